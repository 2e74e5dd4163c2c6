import { isUriPath } from "../../core/base/uri-path.ts";
import type { StartedBody } from "../../core/events/run.ts";
import type { Walls } from "../../isolation/walls/walls.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { Settings } from "../../schema/settings.ts";
import { DisplayError, displayText, getErrorText, type Sentence } from "../../texts/display-text.ts";
import type { NewRun } from "../first-event.ts";
import type { Host } from "../host.ts";
import { createRunFolderLister } from "../run-folders.ts";
import { createIsolatedHost } from "./isolated-host.ts";
import { convertToBytes, type HostIsolation } from "./isolated-run.ts";
import { getCopyFolder, limitOtherCopies, openStoredCopy } from "./stored-copies.ts";

/** Why isolated runs can't start in a folder, as a sentence; undefined if they can. */
export async function explainIsolationProblem(host: Host, folder: string): Promise<Sentence | undefined> {
  const found = await findIsolation(host, folder);
  return "why" in found ? found.why : undefined;
}

/** Makes the copy for a new isolated run, and the host that works in it. Throws a sentence where that can't be done. */
export async function startIsolation(
  host: Host,
  id: string,
  { folder, settings, copying }: NewRun,
): Promise<{ readonly host: Host; abandon(): Promise<void> }> {
  const found = await findIsolation(host, folder);
  if ("why" in found) throw new DisplayError(found.why);
  const { walls, parts } = found;
  const home = getCopyFolder(host, id);
  const { lend, quotaMb } = settings.isolation;
  const copy = await parts.createCopy({
    run: id,
    home,
    lend,
    quotaBytes: convertToBytes(quotaMb),
    heldBytes: await limitOtherCopies(host, parts, quotaMb),
    folders: createRunFolderLister(host, folder)(),
    signal: copying?.signal ?? new AbortController().signal,
    reportProgress: (files) => copying?.reportProgress?.(files),
    ...(copying?.from === undefined ? {} : { from: await openStoredCopy(host, copying.from) }),
  });
  return { host: createIsolatedHost({ host, copy, walls, parts }), abandon: () => parts.removeCopy(home) };
}

/** The host for a stored isolated run, or why the run can only be read, as a sentence. */
export async function reopenIsolation(
  host: Host,
  stored: StoredRun,
  { folder }: StartedBody,
): Promise<Host | { readonly why: Sentence }> {
  const review = stored.events.findLast((event) => event.type === "reviewed");
  if (review?.what === "discarded") return { why: displayText("isolation.discarded") };
  const found = await findIsolation(host, folder);
  if ("why" in found) return found;
  try {
    return createIsolatedHost({ host, ...found, copy: await openStoredCopy(host, stored) });
  } catch (error) {
    return { why: displayText("isolation.copyUnusable", { why: getErrorText(error) }) };
  }
}

/** Facts of the first event about a run's copy. */
export function getIsolationFacts(
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

async function findIsolation(
  { workspace, getSettings, isolation: parts }: Host,
  folder: string,
): Promise<FoundIsolation | { readonly why: Sentence }> {
  if (!workspace.isTrusted()) return { why: displayText("isolation.untrusted") };
  if (isUriPath(folder)) return { why: displayText("isolation.virtual") };
  if (!parts) return { why: displayText("isolation.unavailable") };
  const walls = await parts.findWalls(getSettings(folder).isolation.engine);
  return walls.engine === "none" ? { why: walls.why } : { walls, parts };
}
