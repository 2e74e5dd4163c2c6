import { spawn } from "node:child_process";
import path from "node:path";
import type { HostEnd, HostRun } from "./host-run.ts";
import { killTree, whenThisProcessEnds } from "./process-tree.ts";
import { makeProfile } from "./profile.ts";

/** Starts a desktop VS Code, lets it run a test module in its extension host, and takes everything down again. */
export async function runInDesktop(executable: string, run: HostRun): Promise<HostEnd> {
  const profile = makeProfile(run.settings);
  const launchArgs = [
    ...["--user-data-dir", path.join(profile.folder, "data")],
    ...["--extensions-dir", path.join(profile.folder, "extensions")],
    "--disable-gpu",
    ...(run.workspace ? [run.workspace] : []),
  ];
  const [program, args] = run.trust
    ? [executable, trustingArgs(run, launchArgs)]
    : [process.execPath, runTestsArgs(executable, run, launchArgs)];
  const child = spawn(program, args, {
    env: { ...process.env, ...run.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const stop = () => killTree(child);
  const keepRunning = whenThisProcessEnds(stop);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => run.onLog?.(text.trimEnd()));
  }
  try {
    return await new Promise<HostEnd>((resolve) => {
      child.once("error", ({ message }) => resolve({ trouble: `${executable} could not be started: ${message}` }));
      child.once("exit", (code) => resolve(code === null ? { trouble: "VS Code was killed." } : { code }));
      void run.silence.then(() => resolve({ trouble: "Nothing happened for too long." }));
    });
  } finally {
    keepRunning();
    stop();
    profile.remove();
  }
}

/** `runTests` of `@vscode/test-electron`, in a process of its own, because nothing else can end its VS Code. */
function runTestsArgs(
  vscodeExecutablePath: string,
  { extensions, tests }: HostRun,
  launchArgs: readonly string[],
): readonly string[] {
  const options = {
    vscodeExecutablePath,
    extensionDevelopmentPath: extensions,
    extensionTestsPath: tests,
    launchArgs,
  };
  return [path.join(import.meta.dirname, "run-tests.ts"), JSON.stringify(options)];
}

/** `runTests` always turns workspace trust off, so a run that needs trust is started without it. */
function trustingArgs({ extensions, tests }: HostRun, launchArgs: readonly string[]): readonly string[] {
  return [
    ...extensions.map((folder) => `--extensionDevelopmentPath=${folder}`),
    `--extensionTestsPath=${tests}`,
    ...["--no-sandbox", "--disable-updates", "--skip-welcome", "--skip-release-notes"],
    ...launchArgs,
  ];
}
