import { isUriPath } from "../../core/base/uri-path.ts";
import type { StartedBody } from "../../core/events/run.ts";
import type { Walls } from "../../isolation/walls/walls.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { Settings } from "../../schema/settings.ts";
import { DisplayError, displayText, type Sentence, thrownText } from "../../texts/display-text.ts";
import type { NewRun } from "../first-event.ts";
import type { Host } from "../host.ts";
import { runFolders } from "../run-folders.ts";
import { isolatedHost } from "./isolated-host.ts";
import { type HostIsolation, inBytes } from "./isolated-run.ts";
import { copyHome, copyOfStored, heldByOthers } from "./stored-copies.ts";

/** Why isolated runs can't start in a folder, as a sentence; undefined if they can. */
export async function isolationProblem(host: Host, folder: string): Promise<Sentence | undefined> {
  const found = await isolationFor(host, folder);
  return "why" in found ? found.why : undefined;
}

/** Makes the copy for a new isolated run, and the host that works in it. Throws a sentence where that can't be done. */
export async function startIsolation(
  host: Host,
  id: string,
  { folder, settings, copying }: NewRun,
): Promise<{ readonly host: Host; abandon(): Promise<void> }> {
  const found = await isolationFor(host, folder);
  if ("why" in found) throw new DisplayError(found.why);
  const { walls, parts } = found;
  const home = copyHome(host, id);
  const { lend, quotaMb } = settings.isolation;
  const copy = await parts.createCopy({
    ...{ run: id, home, lend, quotaBytes: inBytes(quotaMb) },
    heldBytes: await heldByOthers(host, parts, quotaMb),
    folders: runFolders(host, folder)(),
    signal: copying?.signal ?? new AbortController().signal,
    progress: (files) => copying?.progress?.(files),
    ...(copying?.from === undefined ? {} : { from: await copyOfStored(host, copying.from) }),
  });
  return { host: isolatedHost({ host, copy, walls, parts }), abandon: () => parts.removeCopy(home) };
}

/** The host for a stored isolated run, or why the run can only be read, as a sentence. */
export async function reopenIsolation(
  host: Host,
  stored: StoredRun,
  { folder }: StartedBody,
): Promise<Host | { readonly why: Sentence }> {
  const review = stored.events.findLast((event) => event.type === "reviewed");
  if (review?.what === "discarded") return { why: displayText("isolation.discarded") };
  const found = await isolationFor(host, folder);
  if ("why" in found) return found;
  try {
    return isolatedHost({ host, ...found, copy: await copyOfStored(host, stored) });
  } catch (error) {
    return { why: displayText("isolation.copyUnusable", { why: thrownText(error) }) };
  }
}

/** Facts of the first event about a run's copy. */
export function isolationOf(
  { isolated }: Pick<Host, "isolated">,
  { isolation }: Settings,
): Pick<StartedBody, "isolated"> {
  if (!isolated) return {};
  const { copy, walls } = isolated;
  const folders = copy.folders.map(({ name, path, origin }) => ({ name, path, origin }));
  const { hosts } = isolation;
  return {
    isolated: { home: copy.home, engine: walls.engine, folders, ...(hosts.length > 0 ? { hosts } : {}) },
  };
}

/** The working isolation of a host. */
interface FoundIsolation {
  readonly walls: Walls;
  readonly parts: HostIsolation;
}

async function isolationFor(
  { workspace, settings, isolation: parts }: Host,
  folder: string,
): Promise<FoundIsolation | { readonly why: Sentence }> {
  if (!workspace.isTrusted()) return { why: displayText("isolation.untrusted") };
  if (isUriPath(folder)) return { why: displayText("isolation.virtual") };
  if (!parts) return { why: displayText("isolation.unavailable") };
  const walls = await parts.walls(settings(folder).isolation.engine);
  return walls.engine === "none" ? { why: walls.why } : { walls, parts };
}
