import type { UnsavedTexts } from "../../core/ports/unsaved-texts.ts";
import type { FileIndexes } from "./file-index.ts";
import type { SearchExclusion } from "./search-query.ts";

/** Needs of searches and listings beside the disk. */
export interface SearchParts {
  readonly leftOut: SearchExclusion;
  /** Texts in editors, which are searched in place of those on disk. */
  readonly unsaved?: UnsavedTexts | undefined;
  /** Lists of the files, and the ripgrep to search with. Without them, or without ripgrep, the files are walked. */
  readonly files?: FileIndexes | undefined;
}
