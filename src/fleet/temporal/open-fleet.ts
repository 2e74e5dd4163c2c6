import { findRemoteAddress } from "../../node/git/author.ts";
import { fail } from "../../texts/display-text.ts";
import type { FleetEngine } from "../engine.ts";
import type { FleetKey } from "../key.ts";
import { parseTemporalAddress } from "./address.ts";
import { connectToTemporal } from "./connection.ts";
import { TemporalEngine } from "./temporal-engine.ts";

/** A fleet as it's opened. */
export interface NamedFleet {
  /** Its address as the user wrote it. */
  readonly name: string;
  /** A folder in the repository whose runs they are. */
  readonly folder: string;
  /** Address of the repository through which runs travel; absent: that of the folder's remote one. */
  readonly repository?: string;
  /** The folder of the copies; absent: the one in the user's folder. */
  readonly copies?: string;
  readonly data: string;
  readonly key: FleetKey;
  /** The sender's name, for people. */
  readonly sender: string;
}

/** Opens a fleet on Temporal. Certificates and the key for its server come from the environment. Throws a sentence. */
export async function openTemporalFleet(
  { name, repository, folder, ...own }: NamedFleet,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly engine: FleetEngine; close(): Promise<void> }> {
  const { client, close } = await connectToTemporal(parseTemporalAddress(name), own.key, env);
  const findRepository = async (): Promise<string> =>
    repository ?? (await findRemoteAddress(folder)) ?? fail("temporal.noRemote", { folder });
  return { engine: new TemporalEngine({ ...own, client, place: name, folder, findRepository }), close };
}
