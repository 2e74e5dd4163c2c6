import { spawn } from "node:child_process";
import path from "node:path";
import type { HostEnd, HostRun } from "./host-run.ts";
import { killTree, whenThisProcessEnds } from "./process-tree.ts";
import { makeProfile } from "./profile.ts";

/** Starts a desktop VS Code, lets it run a test module in its extension host, and takes everything down again. */
export async function runInDesktop(executable: string, run: HostRun): Promise<HostEnd> {
  const profile = makeProfile(run.settings);
  const child = spawn(
    executable,
    [
      ...run.extensions.map((folder) => `--extensionDevelopmentPath=${folder}`),
      `--extensionTestsPath=${run.tests}`,
      ...["--user-data-dir", path.join(profile.folder, "data")],
      ...["--extensions-dir", path.join(profile.folder, "extensions")],
      ...["--no-sandbox", "--disable-gpu", "--disable-updates", "--skip-welcome", "--skip-release-notes"],
      ...(run.trust ? [] : ["--disable-workspace-trust"]),
      ...(run.workspace ? [run.workspace] : []),
    ],
    { env: { ...process.env, ...run.env }, stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  const stop = () => killTree(child);
  const keepRunning = whenThisProcessEnds(stop);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => run.onLog?.(text.trimEnd()));
  }
  try {
    return await new Promise<HostEnd>((resolve) => {
      child.once("error", ({ message }) =>
        resolve({ trouble: `${executable} could not be started: ${message}` }),
      );
      child.once("exit", (code) => resolve(code === null ? { trouble: "VS Code was killed." } : { code }));
      void run.silence.then(() => resolve({ trouble: "Nothing happened for too long." }));
    });
  } finally {
    keepRunning();
    stop();
    profile.remove();
  }
}
