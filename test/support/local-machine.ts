import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRemoteProgram, type RemoteShell } from "../../src/fleet/ssh/remote-shell.ts";

const PROGRAM = fileURLToPath(new URL("../../dist-cli/autogpt.mjs", import.meta.url));

/** Another machine, played by processes of this one with a home of their own. Nothing but the connection differs. */
export async function localMachine(home: string): Promise<{ readonly shell: RemoteShell; readonly data: string }> {
  await mkdir(home, { recursive: true });
  const data = join(home, "autogpt");
  const env = { ...process.env, XDG_DATA_HOME: home };
  return {
    data,
    shell: {
      host: "box",
      start: (...args) => createRemoteProgram("box", spawn(process.execPath, [PROGRAM, ...args], { env })),
      startScript: (script, ...args) => createRemoteProgram("box", spawn("sh", ["-c", script, "x", ...args], { env })),
      formatAddress: (path) => path,
      gitCommand: "false",
    },
  };
}

/** Writes down which models the runs of a machine use. */
export async function useModels(data: string, baseUrl: string): Promise<void> {
  const lines = [
    ...["OPENAI_API_KEY=a-test-key", `OPENAI_BASE_URL=${baseUrl}`, "AUTOGPT_MODEL_SMART=fake"],
    "AUTOGPT_MODEL_CONTEXT_WINDOW=16000",
    `AUTOGPT_MODEL_PRICES='{"fake":{"input":1,"output":1}}'`,
  ];
  await mkdir(join(data, "fleet"), { recursive: true });
  await writeFile(join(data, "fleet", "environment"), `${lines.join("\n")}\n`);
}
