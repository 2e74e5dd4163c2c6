import type { UnsavedTexts } from "../../core/ports/unsaved-texts.ts";
import type { RipgrepFinder } from "./find-ripgrep.ts";

/** Files whose content a search leaves out, by path relative to the workspace folder. */
type SearchExclusion = (relative: string) => boolean;

/** Needs of a search beside the disk. */
export interface SearchParts {
  readonly leftOut: SearchExclusion;
  /** Texts in editors, which are searched in place of those on disk. */
  readonly unsaved?: UnsavedTexts | undefined;
  /** Without it, or if it fails, the files are walked. */
  readonly ripgrep?: RipgrepFinder | undefined;
}
