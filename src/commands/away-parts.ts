import type { BinaryFiles } from "../core/binary-files.ts";
import type { Images, Transcriber, Tweets } from "../core/media.ts";
import type { Model, Workspace } from "../core/ports.ts";
import type { Web, WebSearch } from "../core/web.ts";

/** Why a part is not there, as a sentence for the user. */
export interface Missing {
  readonly missing: string;
}

/** What commands that leave the machine work with. */
export interface AwayParts {
  readonly web: Web | Missing;
  readonly search: WebSearch | Missing;
  readonly downloads: Web | Missing;
  readonly images: Images | Missing;
  readonly audio: Transcriber | Missing;
  readonly tweets: Tweets | Missing;
  readonly files: BinaryFiles;
  /** The model that reads pages. */
  fast(): Promise<Model>;
}

/** A part of a place that may have none of them. */
export interface AwayPlace {
  readonly workspace: Workspace;
  readonly away?: AwayParts | undefined;
}

const NOTHING: Missing = { missing: "There is no way to the web here." };

/** A part, or why it is missing. */
export function partOf<K extends "web" | "search" | "downloads" | "images" | "audio" | "tweets">(
  { away }: Pick<AwayPlace, "away">,
  name: K,
): AwayParts[K] | Missing {
  return away?.[name] ?? NOTHING;
}

/** Why a command that needs this part is not offered; undefined when it is. */
export function whyMissing(part: object): string | undefined {
  return isMissing(part) ? part.missing : undefined;
}

export function isMissing(part: object): part is Missing {
  return "missing" in part;
}
