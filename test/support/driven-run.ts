import type { AgentEvent } from "../../src/schema/events.ts";
import type { AutoGptApi, RunHandle } from "../../src/vscode/host/exported-api.ts";
import type { VsCodeApi } from "./host-driver.ts";

/** A run that a user in the extension host steers, and where the host is killed. */
export interface Driving {
  /** An open run to go on steering; absent: a new one is started. */
  readonly run?: string;
  /** A file that gets each event as it is told, a line each. */
  readonly told: string;
  /** Kill this very process at so many events of this kind. */
  readonly kill?: { readonly type: AgentEvent["type"]; readonly count: number };
}

/**
 * Runs in the extension host. A user who says something, pauses and goes on, changes the goals, has the agent criticise itself, undoes
 * a step, approves three commands at once and all others one by one, each as far as it has not happened yet. Gives how the run ended.
 */
export async function driveRun(vscode: VsCodeApi, { run, told, kill }: Driving): Promise<string> {
  const fs = process.getBuiltinModule("node:fs");
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const extension = vscode.extensions.getExtension<AutoGptApi>("autogpt-vscode.autogpt");
  if (!extension) throw new Error("The extension is not installed in this host.");
  const api = await extension.activate();
  const lines = (): string => (fs.existsSync(told) ? fs.readFileSync(told, "utf8") : "");
  const seen = (words: string): boolean => lines().includes(words);
  const die = (): void => void process.kill(process.pid, "SIGKILL");
  const passed = { count: 0 };
  const driven: { handle?: RunHandle } = {};

  api.onEvent(({ event }) => {
    fs.appendFileSync(told, `${JSON.stringify(event)}\n`);
    if (event.type === kill?.type && ++passed.count === kill.count) die();
    if (event.type !== "asked" || event.step < 2) return;
    if (!seen('"by":"user"}')) driven.handle?.say("Go on like this.");
    if (!seen('"type":"undone"')) driven.handle?.pause();
  });
  const undoFirstWrite = async (handle: RunHandle): Promise<void> => {
    const write = lines()
      .split("\n")
      .find((line) => line.includes('"type":"began"') && line.includes('"write_to_file"'));
    if (write !== undefined && !seen('"type":"undone"')) await handle.undo(JSON.parse(write).step);
  };
  const accepting = async (action: string, type: string): Promise<void> => {
    const asking = { over: false };
    const asked = vscode.commands.executeCommand(action, driven.handle?.id);
    void asked.then(() => Object.assign(asking, { over: true }));
    while (!asking.over && !seen(`"type":"${type}"`)) {
      await pause(50);
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
    }
    await asked;
  };
  const act = async (handle: RunHandle, step: number): Promise<void> => {
    if (!seen('"type":"changed"')) return accepting("autogpt.changeRun", "changed");
    if (!seen('"type":"spent"')) return void (await vscode.commands.executeCommand("autogpt.selfFeedback"));
    if (!seen('"type":"granted"')) return accepting("autogpt.approveNext", "granted");
    await handle.decide(step, { allow: true });
  };

  const handle = run === undefined ? await api.startRun({ task: "Survive a killed host." }) : await api.openRun(run);
  driven.handle = handle;
  if (kill?.type === "started") die();
  for (;;) {
    await pause(20);
    const { open, end, paused } = handle.state;
    if (end) return end.reason;
    if (paused !== undefined) {
      await undoFirstWrite(handle).catch(() => undefined);
      handle.resume();
    }
    // A decision that was written before a crash is asked for again.
    if (open?.stage === "replied" || open?.stage === "decided") await act(handle, open.step).catch(() => undefined);
  }
}
