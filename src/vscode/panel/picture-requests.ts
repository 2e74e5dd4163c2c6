import * as vscode from "vscode";
import { readPictureFormat } from "../../core/base/pictures.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { findPicturePath, type GivenPicture, readPicture } from "../../runs/store/run-pictures.ts";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import { fail } from "../../texts/display-text.ts";
import type { Starter } from "../host/starter.ts";

type Reply = (message: PanelUpdate) => void;
type Given = Extract<PanelRequest, { readonly type: "say" }>["pictures"];

/** Pictures of a request, decoded. */
export function decodePictures(pictures: Given = []): readonly GivenPicture[] {
  return pictures.map(({ name, data }) => ({ name, data: Buffer.from(data, "base64") }));
}

type AboutPictures = Extract<PanelRequest, { readonly type: "askSight" | "showAttached" | "openAttached" }>;

/** Handles a request about attached pictures. */
export async function handlePictureRequest(
  parts: { readonly starter: Starter },
  message: AboutPictures,
  run: HostedRun | undefined,
  reply: Reply,
): Promise<void> {
  if (message.type === "askSight") return tellSight(parts, run, reply);
  if (!run) fail("trouble.noRunOpen");
  return message.type === "showAttached" ? showAttached(run, message.files, reply) : openAttached(run, message.file);
}

/** Reports whether the model accepts pictures: the run's model, or that of new runs. */
async function tellSight(
  { starter }: { readonly starter: Starter },
  run: HostedRun | undefined,
  reply: Reply,
): Promise<void> {
  const sight = run
    ? { model: run.run.state.model.smart, sees: (await run.canSeePictures?.()) !== false }
    : await starter.checkPictureSupport();
  if (sight) reply({ type: "sight", ...sight });
}

/** Sends the pictures that the user attached to a run; those whose files are gone are left out. */
async function showAttached({ id, home }: HostedRun, files: readonly string[], reply: Reply): Promise<void> {
  for (const file of files) {
    const bytes = await readPicture(home, file);
    const type = bytes && readPictureFormat(bytes)?.mediaType;
    if (!type) continue;
    reply({
      type: "attached",
      run: id,
      file,
      data: `data:${type};base64,${Buffer.from(bytes).toString("base64")}`,
    });
  }
}

async function openAttached({ home }: HostedRun, file: string): Promise<void> {
  const path = findPicturePath(home, file) ?? fail("timeline.attachedGone");
  if (!(await readPicture(home, file))) fail("timeline.attachedGone");
  await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(path));
}
