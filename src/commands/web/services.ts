import type { Outcome } from "../../core/commands/outcome.ts";
import type { RunBrowser } from "../../core/ports/browser.ts";
import { type Model, ModelError } from "../../core/ports/model.ts";
import {
  type ImageGenerator,
  type Transcriber,
  type TweetPublisher,
  type Web,
  WebError,
  type WebSearch,
} from "../../core/ports/services.ts";
import type { BinaryFiles, Workspace } from "../../core/ports/workspace.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { createFailure } from "../outcomes.ts";

/** A service that isn't available, with a sentence for the user. */
export interface Missing {
  readonly missing: Sentence;
}

/** Services of the commands that leave the machine. */
export interface OnlineServices {
  readonly web: Web | Missing;
  readonly search: WebSearch | Missing;
  readonly downloads: Web | Missing;
  readonly images: ImageGenerator | Missing;
  readonly audio: Transcriber | Missing;
  readonly tweets: TweetPublisher | Missing;
  /** The browser of the run; it starts with the first page. */
  readonly browser: RunBrowser | Missing;
  readonly files: BinaryFiles;
  /** Whether a file of the workspace may hold secrets, by its label. */
  isSecret(label: string): boolean;
  /** The model that reads pages. */
  getFastModel(): Promise<Model>;
}

/** Dependencies of a command that needs such a service. */
export interface ServiceDependencies {
  readonly workspace: Workspace;
  readonly services?: OnlineServices | undefined;
}

const NOTHING: Missing = { missing: displayText("trouble.noWeb") };

/** A service, or why it's missing. */
export function findService<K extends "web" | "search" | "downloads" | "images" | "audio" | "tweets" | "browser">(
  { services }: Pick<ServiceDependencies, "services">,
  name: K,
): OnlineServices[K] | Missing {
  return services?.[name] ?? NOTHING;
}

/** Explains in a sentence why a command that needs this service isn't offered; undefined if it is. */
export function explainMissingService(part: object): Sentence | undefined {
  return isMissing(part) ? part.missing : undefined;
}

export function isMissing(part: object): part is Missing {
  return "missing" in part;
}

/** Runs an action that needs a service, and converts errors of the service to failed outcomes. */
export async function catchServiceErrors(act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof WebError || error instanceof ModelError)
      return createFailure(error.message, error instanceof WebError ? error.shown : undefined);
    throw error;
  }
}
