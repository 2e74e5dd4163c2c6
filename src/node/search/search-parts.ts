import type { UnsavedTexts } from "../../core/ports/unsaved-texts.ts";
import type { FileIndexes } from "./file-index.ts";
import type { SearchExclusion } from "./search-query.ts";

/** Dependencies of searches and listings, in addition to the disk. */
export interface SearchParts {
  readonly leftOut: SearchExclusion;
  /** Texts in editors, which replace those on disk in searches. */
  readonly unsaved?: UnsavedTexts | undefined;
  /** Lists of the files, and the ripgrep for searching. Without either, the files are walked. */
  readonly files?: FileIndexes | undefined;
}
