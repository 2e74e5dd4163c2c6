import { isDeepStrictEqual } from "node:util";
import { json, type Piece, refusal, type SeenRequest, type ServerAnswer } from "./fake-model-server.ts";
import { PICTURES } from "./picture-files.ts";

type Body = SeenRequest["body"];
type Item = Readonly<Record<string, unknown>>;

/** What a scripted reply has besides its reasoning. */
export interface Said {
  /** Words before the calls; with calls, they are commentary. */
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
  /** More reasoning before each call but the first one. */
  readonly thinksBetween?: boolean;
}

/** An event of a reply. */
export type ItemEvent = { readonly type: string } & Item;

/** Changes the events of a reply on their way; a piece takes the place of an event. */
type Spoil = (events: readonly ItemEvent[]) => readonly (ItemEvent | Piece)[];

/** OpenAI's Responses without storage: enforces its published rules in its own words, and answers with sealed reasoning. */
export interface ScriptedResponses {
  /** All refusals so far. */
  readonly refused: readonly string[];
  /** Requests that were answered. */
  readonly bodies: readonly Body[];
  /** Takes none of its sealed reasoning back that it has given so far. */
  expire(): void;
  answer(body: Body, said: Said, spoil?: Spoil): ServerAnswer;
}

const PARAMETERS = [
  ...["model", "input", "stream", "store", "include", "prompt_cache_key", "max_output_tokens", "tools"],
  "prompt_cache_options",
  ...["tool_choice", "parallel_tool_calls", "text", "reasoning", "instructions"],
];
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "phase"],
  reasoning: ["type", "id", "summary", "encrypted_content", "content"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status"],
  function_call_output: ["type", "call_id", "output"],
};
const PARTS: Readonly<Record<string, readonly string[]>> = {
  input_text: ["type", "text", "prompt_cache_breakpoint"],
  input_image: ["type", "detail", "image_url", "prompt_cache_breakpoint"],
};
const EFFORTS = ["none", "low", "medium", "high", "xhigh"];

class Complaint extends Error {
  readonly status: number;
  readonly more: object;
  constructor(message: string, more: object = {}, status = 400) {
    super(message);
    this.status = status;
    this.more = { type: "invalid_request_error", ...more };
  }
}

function check(holds: boolean, message: string, more: object = {}, status = 400): asserts holds {
  if (!holds) throw new Complaint(message, more, status);
}

/** Sealed reasoning that was given out. */
interface Seal {
  readonly model: string;
  readonly item: Item;
  /** The item after it. */
  readonly next: Item;
}

export function scriptedResponses(): ScriptedResponses {
  const refused: string[] = [];
  const bodies: Body[] = [];
  const seals = new Map<string, Seal>();
  return {
    refused,
    bodies,
    expire: () => seals.clear(),
    answer(body, said, spoil = (events) => events) {
      try {
        checkParameters(body);
        checkInput(body, seals);
      } catch (error) {
        if (!(error instanceof Complaint)) throw error;
        refused.push(error.message);
        return refusal(error.status, error.message, error.more);
      }
      bodies.push(body);
      const events = spoil(reply(body, said, seals, bodies.length));
      const last = events.at(-1);
      if (!body.stream) return json(200, last && isEvent(last) ? (last.response ?? {}) : "");
      return { pieces: events.map((each, at) => (isEvent(each) ? named(each, at) : each)) };
    },
  };
}

const isEvent = (piece: ItemEvent | Piece): piece is ItemEvent => typeof piece === "object" && "type" in piece;

const named = (event: ItemEvent, at: number): string =>
  `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`;

function checkParameters(body: Body): void {
  for (const name of Object.keys(body)) {
    check(
      name !== "temperature" && name !== "top_p",
      `Unsupported parameter: '${name}' is not supported with this model.`,
      { param: name },
    );
    check(PARAMETERS.includes(name), `Unknown parameter: '${name}'.`, {
      param: name,
      code: "unknown_parameter",
    });
  }
  check(body.store === false, "Zero data retention is enabled for this organization. 'store' must be set to false.", {
    param: "store",
  });
  check(
    body.max_output_tokens === undefined || body.max_output_tokens >= 16,
    `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${body.max_output_tokens} instead.`,
    { param: "max_output_tokens", code: "integer_below_min_value" },
  );
  const key = body.prompt_cache_key ?? "";
  check(
    key.length <= 64,
    `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length ${key.length} instead.`,
    { param: "prompt_cache_key", code: "string_above_max_length" },
  );
  const marks = JSON.stringify(body.input).match(/"prompt_cache_breakpoint"/g)?.length ?? 0;
  check(marks <= 4, `Too many prompt cache breakpoints: ${marks}. At most 4 are written by a request.`);
  const effort = body.reasoning?.effort;
  check(
    effort === undefined || EFFORTS.includes(effort),
    `Unsupported value: 'reasoning.effort' does not support '${effort}' with this model. Supported values are: 'none', 'low', 'medium', 'high', and 'xhigh'.`,
    { param: "reasoning.effort", code: "unsupported_value" },
  );
  checkText(body);
  for (const [index, tool] of (body.tools ?? []).entries()) {
    check(typeof tool.name === "string", `Missing required parameter: 'tools[${index}].name'.`, {
      param: `tools[${index}].name`,
      code: "missing_required_parameter",
    });
    check(
      tool.strict === false,
      `Invalid schema for function '${tool.name}': In context=(), 'required' is required to be supplied and to be an array including every key in properties.`,
      { param: `tools[${index}].parameters`, code: "invalid_function_parameters" },
    );
  }
}

function checkText({ text = {}, input }: Body): void {
  const { format, verbosity = "medium", ...others } = text;
  const [odd] = Object.keys(others);
  check(odd === undefined, `Unknown parameter: 'text.${odd}'.`, {
    ...{ param: `text.${odd}`, code: "unknown_parameter" },
  });
  check(
    ["low", "medium", "high"].includes(verbosity),
    `Invalid value: '${verbosity}'. Supported values are: 'low', 'medium', and 'high'.`,
    { param: "text.verbosity", code: "invalid_value" },
  );
  check(
    format?.type !== "json_object" || /json/i.test(JSON.stringify(input)),
    "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
    { param: "input" },
  );
}

function checkInput({ model, input }: Body, seals: ReadonlyMap<string, Seal>): void {
  const open = new Set<string>();
  const called = new Set<string>();
  for (const [index, item] of input.entries()) {
    const type = item.type ?? "message";
    checkFields(item, type, index);
    if (type === "reasoning") checkReasoning(item, input[index + 1], model, seals);
    if (type === "function_call") {
      check(
        /^[a-zA-Z0-9_-]+$/.test(item.name),
        `Invalid 'input[${index}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        { param: `input[${index}].name`, code: "invalid_value" },
      );
      check(item.call_id.length <= 64, `Invalid 'input[${index}].call_id': string too long.`);
      check(!called.has(item.call_id), `Duplicate item found with call_id ${item.call_id}.`);
      JSON.parse(item.arguments);
      called.add(item.call_id);
      open.add(item.call_id);
    }
    if (type === "function_call_output")
      check(open.delete(item.call_id), `No tool call found for function call output with call_id ${item.call_id}.`, {
        param: "input",
      });
  }
  const [unanswered] = open;
  check(unanswered === undefined, `No tool output found for function call ${unanswered}.`, {
    param: "input",
  });
}

function checkFields(item: Body, type: string, index: number): void {
  const fields = FIELDS[type];
  check(fields !== undefined, `Invalid value: '${type}'. Supported values are: ${Object.keys(FIELDS).join(", ")}.`);
  for (const [name, value] of Object.entries(item)) {
    check(fields.includes(name), `Unknown parameter: 'input[${index}].${name}'.`, {
      code: "unknown_parameter",
    });
    check(value !== null, `Invalid type for 'input[${index}].${name}': expected a value, but got null instead.`);
  }
  const content = type === "message" ? item.content : item.output;
  for (const part of Array.isArray(content) ? content : []) {
    const known = PARTS[part.type] ?? [];
    const odd = Object.keys(part).find((name) => !known.includes(name));
    check(odd === undefined, `Unknown parameter: 'input[${index}].content[0].${odd}'.`);
    const [, data] = /^data:image\/(?:png|jpeg|gif|webp);base64,(.+)$/.exec(part.image_url ?? "") ?? [];
    check(
      part.type !== "input_image" || (data?.startsWith(PICTURES.png.slice(0, 16)) ?? false),
      "The image data you provided does not represent a valid image. Please check your input and try again.",
      { param: "input", code: "invalid_value" },
    );
  }
}

function checkReasoning(item: Body, next: Body | undefined, model: string, seals: ReadonlyMap<string, Seal>): void {
  check(
    typeof item.encrypted_content === "string",
    `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    { param: "input" },
    404,
  );
  const seal = seals.get(item.encrypted_content);
  check(
    seal !== undefined && seal.model === model && isDeepStrictEqual(seal.item, item),
    `The encrypted content for item ${item.id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    { code: "invalid_encrypted_content" },
  );
  const follows =
    seal.next.type === "function_call"
      ? next?.type === "function_call" && next.call_id === seal.next.call_id
      : next?.role === "assistant" && next.phase === seal.next.phase;
  check(follows, `Item '${item.id}' of type 'reasoning' was provided without its required following item.`, {
    param: "input",
  });
}

function reply(body: Body, said: Said, seals: Map<string, Seal>, turn: number): readonly ItemEvent[] {
  const calls = said.calls ?? [];
  const phase = calls.length > 0 ? "commentary" : "final_answer";
  const followers: Item[] = [
    ...(said.text === undefined
      ? []
      : [
          {
            ...{ type: "message", id: `msg_${turn}`, role: "assistant", status: "completed", phase },
            content: [{ type: "output_text", text: said.text, annotations: [], logprobs: [] }],
          },
        ]),
    ...calls.map(({ name, args }, index) => ({
      ...{ type: "function_call", id: `fc_${turn}_${index}`, call_id: `call_${turn}_${index}` },
      ...{ name, arguments: JSON.stringify(args), status: "completed" },
    })),
  ];
  const output = followers.flatMap((next, at) => {
    const thinks = at === 0 || (said.thinksBetween && followers[at - 1]?.type === "function_call");
    if (!thinks) return [next];
    const number = at === 0 ? `${turn}` : `${turn}-${at}`;
    const reasoning = {
      ...{ id: `rs_${"0".repeat(12)}${number}`, type: "reasoning" },
      summary: body.reasoning?.summary ? [{ type: "summary_text", text: `Thought ${number}.` }] : [],
      ...(body.include?.includes("reasoning.encrypted_content") ? { encrypted_content: `gAAA${number}` } : {}),
    };
    seals.set(`gAAA${number}`, { model: body.model, item: reasoning, next });
    return [{ ...reasoning, content: null }, next];
  });
  const response = {
    ...{ id: `resp_${turn}`, object: "response", model: `${body.model}-2026-11-01`, store: false },
    ...{ error: null, incomplete_details: null },
  };
  const usage = {
    ...{ input_tokens: 1_000 + turn, input_tokens_details: { cached_tokens: 900, cache_write_tokens: 50 } },
    ...{ output_tokens: 60, output_tokens_details: { reasoning_tokens: 40 }, total_tokens: 1_060 + turn },
  };
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    ...output.flatMap(itemEvents),
    { type: "response.completed", response: { ...response, status: "completed", output, usage } },
  ];
}

/** The events of an item as it streams. */
function itemEvents(item: Body, index: number): ItemEvent[] {
  const at = { output_index: index, item_id: item.id };
  const added = {
    output_index: index,
    item: { ...item, summary: [], content: [], arguments: "", status: "in_progress" },
  };
  const done = { type: "response.output_item.done", output_index: index, item };
  const text = (type: string, all: string, more: object): ItemEvent[] => [
    { type: `${type}.delta`, ...at, ...more, delta: all.slice(0, 5) },
    { type: `${type}.delta`, ...at, ...more, delta: all.slice(5) },
    { type: `${type}.done`, ...at, ...more, text: all, arguments: all },
  ];
  const inside = (): ItemEvent[] => {
    if (item.type === "function_call")
      return text("response.function_call_arguments", item.arguments, { name: item.name });
    if (item.type === "message") return text("response.output_text", item.content[0].text, { content_index: 0 });
    return item.summary.flatMap((part: Body, summary: number) =>
      text("response.reasoning_summary_text", part.text, { summary_index: summary }),
    );
  };
  return [{ type: "response.output_item.added", ...added }, ...inside(), done];
}
