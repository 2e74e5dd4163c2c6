import type { Settings } from "./profile.ts";

/** A test module to run in the extension host of a fresh VS Code, and what is around it. */
export interface HostRun {
  /** A module whose `run()` the extension host calls; its file lies in the folder of an extension. */
  readonly tests: string;
  /** Extensions under development, loaded from their folders. */
  readonly extensions: readonly string[];
  readonly workspace?: string;
  readonly settings?: Settings;
  readonly env?: Readonly<Record<string, string>>;
  readonly trust?: boolean;
  /** Resolves when nothing has happened for too long. */
  readonly silence: Promise<void>;
  /** Takes what the console of the extension host and the page say. */
  readonly onLog?: (line: string) => void;
  /** Where to put a picture of the window when the run does not end by itself. */
  readonly picture: string;
}

/** How the module ended: by itself, with the code VS Code gave it, or not. */
export type HostEnd = { readonly code: number } | { readonly trouble: string };
