import * as vscode from "vscode";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { readLog } from "../../runs/log/read-log.ts";
import { readPicture } from "../../runs/store/run-pictures.ts";
import type { PanelUpdate } from "../../schema/panel-messages.ts";
import { convertPathToUri } from "../workspace/places.ts";

/** Larger pictures aren't shown in the panel. */
const MOST_BYTES = 12_000_000;

/** First bytes of picture files. */
const KINDS: readonly (readonly [string, readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46]],
];

/** The picture that a step produced, for the panel; undefined when the file is gone or isn't a picture. */
export async function loadStepPicture(hosted: HostedRun, step: number): Promise<PanelUpdate | undefined> {
  const [outcome] = await loadStepOutcomes(hosted, step);
  if (outcome?.status !== "done") return undefined;
  const names = outcome.picture?.split("/").filter((name) => name !== "..") ?? [];
  if (names.length === 0) return undefined;
  const kept = await readPicture(hosted.home, outcome.picture ?? "");
  const bytes = kept ?? (await loadSmallFile(vscode.Uri.joinPath(convertPathToUri(hosted.folder), ...names)));
  if (!bytes) return undefined;
  const kind = KINDS.find(([, start]) => start.every((byte, index) => bytes[index] === byte))?.[0];
  if (kind === undefined) return undefined;
  const data = `data:${kind};base64,${Buffer.from(bytes).toString("base64")}`;
  return { type: "picture", run: hosted.id, step, data };
}

/** Loads a picture in the workspace. Pictures of plugins' commands are stored with the run instead. */
async function loadSmallFile(file: vscode.Uri): Promise<Uint8Array | undefined> {
  const stat = await vscode.workspace.fs.stat(file).then(undefined, () => undefined);
  const isSmall = stat?.type === vscode.FileType.File && stat.size <= MOST_BYTES;
  return isSmall ? vscode.workspace.fs.readFile(file) : undefined;
}

/** The whole outcomes of a step's calls; empty when it hasn't ended. The log is read only for older steps. */
export async function loadStepOutcomes({ run, home }: HostedRun, step: number): Promise<readonly Outcome[]> {
  const recent = run.state.recent.find((past) => past.step === step);
  if (recent?.outcome) return [recent.outcome, ...(recent.also ?? [])];
  const { events } = await readLog(home);
  const ended = events.findLast((event) => event.type === "ended" && event.step === step);
  return ended?.type === "ended" ? [ended.outcome, ...(ended.also ?? [])] : [];
}
