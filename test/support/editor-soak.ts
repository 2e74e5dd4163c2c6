import type { AutoGptApi } from "../../src/vscode/host/exported-api.ts";
import type { VsCodeApi } from "./host-driver.ts";

/** What an extension host holds at one moment, after a collection. */
interface Held {
  readonly bytes: number;
  /** Open handles, timers and the like. */
  readonly resources: number;
  /** VS Code's disposables that are alive. */
  readonly disposables: number;
  /** Signals that can be listened to for an abort, and Node's emitters. */
  readonly signals: number;
  readonly emitters: number;
  /** Listeners on this process. */
  readonly listeners: number;
}

/** How a long run in the editor went. */
export interface EditorSoak {
  readonly steps: number;
  /** After the warm-up, at half time, in the end. */
  readonly held: readonly Held[];
  /** The time of each step, in milliseconds. */
  readonly stepMs: readonly number[];
}

/** Runs in the extension host: a run of so many steps with the panel open, looked at after the warm-up, at half time and in the end. */
export async function soakInHost(
  vscode: VsCodeApi,
  { steps, warmUp }: { readonly steps: number; readonly warmUp: number },
): Promise<EditorSoak> {
  const v8 = process.getBuiltinModule("node:v8");
  const { EventEmitter } = process.getBuiltinModule("node:events");
  v8.setFlagsFromString("--expose-gc");
  const collect: () => void = process.getBuiltinModule("node:vm").runInNewContext("gc");
  const extension = vscode.extensions.getExtension<AutoGptApi>("autogpt-vscode.autogpt");
  if (!extension) throw new Error("The extension is not installed in this host.");
  const api = await extension.activate();
  await vscode.commands.executeCommand("autogpt.openPanel");
  const look = (): Held => {
    collect();
    return {
      bytes: process.memoryUsage().heapUsed,
      resources: process.getActiveResourcesInfo().length,
      disposables: v8.queryObjects(vscode.Disposable, { format: "count" }),
      signals: v8.queryObjects(AbortSignal, { format: "count" }),
      emitters: v8.queryObjects(EventEmitter, { format: "count" }),
      listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(String(name)), 0),
    };
  };
  const held: Held[] = [];
  const stepMs: number[] = [];
  const clock = { last: performance.now() };
  const listening = api.onEvent(({ event }) => {
    if (event.type !== "ended") return;
    stepMs.push(performance.now() - clock.last);
    if (event.step === warmUp || event.step === steps / 2 || event.step === steps) held.push(look());
    clock.last = performance.now();
  });
  const run = await api.startRun({ task: "Go on for very long.", maxSteps: steps });
  await run.end;
  listening.dispose();
  return { steps: stepMs.length, held, stepMs };
}
