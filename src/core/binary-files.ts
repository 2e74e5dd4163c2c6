import type { Place } from "./ports.ts";

/** Files of the workspace that are no text. Both methods throw `WorkspaceError`. */
export interface BinaryFiles {
  readBytes(place: Place): Promise<Uint8Array>;
  /** Replaces or creates the file atomically; throws `Stale` unless it is still at `place.version`. */
  writeBytes(place: Place, bytes: Uint8Array): Promise<void>;
}
