import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import * as vscode from "vscode";
import { completeProfile, draftProfile } from "../../core/prompt/profile.ts";
import { DEMO_FILES, DEMO_TASK } from "../../models/demo/demo-files.ts";
import { createDemoScript } from "../../models/demo/demo-script.ts";
import { createScriptedModel } from "../../models/demo/scripted-model.ts";
import type { HostedRuns } from "../../panel/hosted-runs.ts";
import type { RunOpener } from "../host/run-opener.ts";
import { readSettings } from "../host/settings.ts";

/** The demo: a real run in a scratch folder, with a scripted model. */
export async function startDemo(opener: RunOpener, runs: HostedRuns, storage: vscode.Uri): Promise<void> {
  const folder = vscode.Uri.joinPath(storage, "demo", `shop-${Date.now()}`).fsPath;
  for (const [name, text] of Object.entries(DEMO_FILES)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const model = createScriptedModel(createDemoScript(checkCommand()), { tokensPerSecond: 120 });
  const { profile } = await draftProfile(DEMO_TASK, model, { signal: AbortSignal.timeout(10_000) });
  const hosted = await opener.begin({
    task: DEMO_TASK,
    profile: profile ?? completeProfile(DEMO_TASK),
    folder,
    settings: readSettings(),
    models: { smart: model, fast: model },
    mode: "ask",
  });
  runs.add(hosted);
  runs.show(hosted.id);
  hosted.live?.resume();
}

/** The command line for the demo's checks: uses Node if there is one, else the Node inside VS Code. */
function checkCommand(): string {
  const names = process.platform === "win32" ? ["node.exe"] : ["node"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (folders.some((folder) => names.some((name) => existsSync(join(folder, name))))) return "node check.mjs";
  const program = process.execPath;
  return process.platform === "win32"
    ? `$env:ELECTRON_RUN_AS_NODE=1; & "${program}" check.mjs`
    : `ELECTRON_RUN_AS_NODE=1 "${program}" check.mjs`;
}
