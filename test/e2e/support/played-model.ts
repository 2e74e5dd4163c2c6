import { draftMessages } from "../../../src/core/draft.ts";
import {
  callChunk,
  chunk,
  DONE,
  type FakeModelServer,
  fakeModelServer,
  finish,
  type Piece,
  type SeenRequest,
  type ServerAnswer,
  saying,
  stream,
  usage,
} from "../../support/fake-model-server.ts";

/** One step as the model replies it. */
export interface PlayedStep {
  readonly text: string;
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** A pause between the pieces of the reply. */
  readonly pauseMs?: number;
  /** The stream stands still after its first pieces, until it is left. */
  readonly hangs?: boolean;
}

export const DRAFT = {
  name: "Basket-Mender",
  role: "a careful developer who mends what a test shows to be broken",
  goals: ["Find out why the test fails.", "Mend the cause.", "Show that the test passes."],
};

/** A model server that drafts `DRAFT`, criticises, and plays these steps in order, the last one again and again. */
export async function playedModel(steps: readonly PlayedStep[]): Promise<FakeModelServer> {
  let next = 0;
  return fakeModelServer((request) => {
    if (request.path.endsWith("/models")) return models();
    const first = String(request.body?.messages?.[0]?.content ?? "");
    if (first === draftMessages("")[0]?.content) return saying(JSON.stringify(DRAFT));
    if (first.startsWith("You review"))
      return saying("The change is right, but look at the other callers first.");
    const step = steps[Math.min(next++, steps.length - 1)];
    if (!step) throw new Error("A played model needs a step.");
    return played(step, next);
  });
}

/** The text of the last messages that the model was sent, for assertions on what it was told. */
export function lastTold(server: FakeModelServer): string {
  const { body } = server.requests.findLast(isStep) ?? { body: {} };
  return JSON.stringify(body.messages ?? []);
}

function isStep(request: SeenRequest): boolean {
  return request.path.endsWith("/chat/completions") && request.body?.tools !== undefined;
}

function played(
  { text, command, args, pauseMs = 0, hangs = false }: PlayedStep,
  number: number,
): ServerAnswer {
  const thoughts = {
    text,
    reasoning: "It is the next thing to do.",
    plan: "- look\n- mend\n- check",
    criticism: "None so far.",
    speak: text,
  };
  const whole = JSON.stringify({ thoughts, ...args });
  const size = Math.max(8, Math.ceil(whole.length / 12));
  const pieces: (object | Piece)[] = [
    chunk({ role: "assistant", content: null }),
    callChunk({ index: 0, id: `call_${number}`, name: command, arguments: "" }),
  ];
  for (let at = 0; at < whole.length; at += size) {
    pieces.push(callChunk({ index: 0, arguments: whole.slice(at, at + size) }));
    if (pauseMs > 0) pieces.push({ pauseMs });
    if (hangs && at > size) return stream(...pieces, "hang!");
  }
  return stream(...pieces, finish("tool_calls"), usage(1200, 90), DONE);
}

function models(): ServerAnswer {
  return {
    headers: { "content-type": "application/json" },
    pieces: [JSON.stringify({ object: "list", data: [{ id: "served-model", object: "model" }] })],
  };
}
