import { createCriticismMessages } from "../../../src/core/loop/think.ts";
import { createDraftMessages } from "../../../src/core/prompt/profile.ts";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import {
  callChunk,
  chunk,
  DONE,
  type FakeModelServer,
  fakeModelServer,
  finish,
  json,
  type Piece,
  refusal,
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
  /** The stream stands still in the midst of the reply until this has happened; for ever with a promise that never settles. */
  readonly until?: Promise<unknown>;
}

/** What the model says of a task before its run. */
export const DRAFT = {
  name: "Basket-Mender",
  role: "a careful developer who mends what a test shows to be broken",
  goals: ["Find out why the test fails.", "Mend the cause.", "Show that the test passes."],
};

export const CRITICISM = "The change is right, but look at the other callers first.";

export const MODEL_NAME = "served-model";

/** A model server that drafts `DRAFT`, criticises with `CRITICISM`, and else replies what it is told to play. */
export interface PlayedModel {
  readonly server: FakeModelServer;
  readonly baseUrl: string;
  /** What it replies from now on, in order. When all is played, a request waits for the next play. */
  play(...replies: readonly (PlayedStep | ServerAnswer)[]): void;
  /** Refuses every request without this key from now on; `undefined` lets everybody in. */
  demandKey(key: string | undefined): void;
  /** All messages of the last step's prompt as one text, for assertions on what the agent was told. */
  told(): string;
  /** How many steps it was asked for since the last play. */
  asked(): number;
  close(): Promise<void>;
}

/** `more` has what it answers at further paths. */
export async function playedModel(more: Readonly<Record<string, object>> = {}): Promise<PlayedModel> {
  let replies: readonly (PlayedStep | ServerAnswer)[] = [];
  let asked = 0;
  let demanded: string | undefined;
  const server = await fakeModelServer((request) => {
    if (demanded !== undefined && request.headers.authorization !== `Bearer ${demanded}`)
      return refusal(401, "Incorrect API key provided.", { code: "invalid_api_key" });
    const other = more[request.path];
    if (other) return json(200, other);
    const beside = answerBeside(request);
    if (beside) return beside;
    const reply = replies[asked++];
    if (!reply) return stream("hang!");
    return "pieces" in reply ? reply : played(reply, asked);
  });
  return {
    server,
    baseUrl: server.baseUrl,
    play(...next) {
      replies = next;
      asked = 0;
    },
    demandKey(key) {
      demanded = key;
    },
    told: () => {
      const last = server.requests.findLast((request) => isChat(request) && !answerBeside(request));
      return JSON.stringify(last?.body.messages ?? []);
    },
    asked: () => asked,
    close: () => server.close(),
  };
}

/** Answers what is asked beside a run's steps. */
function answerBeside(request: SeenRequest): ServerAnswer | undefined {
  if (request.path.endsWith("/models"))
    return json(200, { object: "list", data: [{ id: MODEL_NAME, object: "model" }] });
  if (!isChat(request)) return json(404, { error: { message: "There is no such path here." } });
  const first: unknown = request.body?.messages?.[0]?.content;
  if (DRAFTING.includes(first)) return saying(JSON.stringify(DRAFT));
  if (first === CRITICISING) return saying(CRITICISM);
  return undefined;
}

const DRAFTING: readonly unknown[] = [undefined, { name: "", role: "" }].map(
  (kept) => createDraftMessages("", kept)[0]?.content,
);
const CRITICISING = createCriticismMessages({ name: "", role: "", goals: [] }, "", {
  kind: "proposal",
  thoughts: NO_THOUGHTS,
  call: { name: "", args: {} },
})[0]?.content;

function isChat({ path }: SeenRequest): boolean {
  return path.endsWith("/chat/completions");
}

function played({ text, command, args, until }: PlayedStep, number: number): ServerAnswer {
  const thoughts = {
    text,
    reasoning: "It is the next thing to do.",
    plan: "- look\n- mend\n- check",
    criticism: "None so far.",
    speak: text,
  };
  const whole = JSON.stringify({ thoughts, ...args });
  const middle = whole.indexOf(text) + Math.ceil(text.length / 2);
  const pieces: readonly (object | Piece)[] = [
    chunk({ role: "assistant", content: null }),
    callChunk({ index: 0, id: `call_${number}`, name: command, arguments: "" }),
    callChunk({ index: 0, arguments: whole.slice(0, middle) }),
    ...(until === undefined ? [] : [{ until }]),
    callChunk({ index: 0, arguments: whole.slice(middle) }),
  ];
  return stream(...pieces, finish("tool_calls"), usage(1200, 90), DONE);
}
