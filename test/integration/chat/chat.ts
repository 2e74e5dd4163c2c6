import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import type { AgentEvent } from "../../../src/schema/events.ts";
import type { RunHandle } from "../../../src/vscode/host/exported-api.ts";
import { ourApi } from "../our-api.ts";

/** A call that the fixture's model replies with. */
interface PlayedCall {
  readonly name: string;
  readonly input: object;
}

/** A reply of the fixture's model. */
export function call(name: string, input: object = {}): PlayedCall {
  return { name, input: { thoughts: { text: `I want ${name}.` }, ...input } };
}

/** Lets the only model of this VS Code reply so, one call after the other. */
export async function play(...replies: readonly PlayedCall[]): Promise<void> {
  const fixture = await vscode.extensions.getExtension("autogpt-tests.model-extension")?.activate();
  fixture.play(replies, "No profile.");
  // The chat answers nothing before it has a model.
  while ((await vscode.lm.selectChatModels()).length === 0) await pause(20);
}

/** The result of an answer in the chat. */
export interface Answered {
  readonly metadata?: { readonly run: string; readonly end: string };
  readonly errorDetails?: { readonly message: string };
}

/** Sends a message in the chat view, and waits for the whole answer. */
export async function send(query: string): Promise<Answered> {
  const answer = await vscode.commands.executeCommand<Answered>("workbench.action.chat.open", {
    query,
    blockOnResponse: true,
  });
  return answer ?? assert.fail("The chat didn't answer.");
}

/** Starts a chat without history. */
export async function newChat(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.chat.newChat");
}

/** Events of the runs from now on. */
export async function heard(): Promise<{
  readonly events: readonly { readonly runId: string; readonly event: AgentEvent }[];
  /** Waits for the next run that begins to think. */
  run(): Promise<RunHandle>;
}> {
  const api = await ourApi();
  const events: { readonly runId: string; readonly event: AgentEvent }[] = [];
  api.onEvent((one) => events.push(one));
  return {
    events,
    run: async () => {
      for (;;) {
        const asked = events.find(({ event }) => event.type === "asked");
        if (asked) return api.openRun(asked.runId);
        await pause(20);
      }
    },
  };
}

/** Processes of this machine with a text in their command line. */
export function processesWith(mark: string): readonly string[] {
  const all = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.includes(mark));
}
