import type { JsonSchema } from "../core/base/json.ts";

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const amount = { type: "number", minimum: 0 };
const flag = { type: "boolean" };
const args = { type: "object" };

/** An object whose fields are all required but those named with a `?`; further fields are let through. */
function object(fields: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const names = Object.keys(fields);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name.replace("?", ""), fields[name]])),
    required: names.filter((name) => !name.endsWith("?")),
  };
}

function list(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

function oneOf(...values: readonly string[]): JsonSchema {
  return { enum: values };
}

/** One of several objects, told apart by a tag. */
function tagged(tag: string, cases: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: "object",
    required: [tag],
    discriminator: { propertyName: tag },
    oneOf: Object.entries(cases).map(([value, schema]) => ({
      ...schema,
      properties: { [tag]: { const: value }, ...(schema.properties as object) },
      required: [tag, ...(schema.required as readonly string[])],
    })),
  };
}

const format = oneOf("tools", "jsonSchema", "text");
const usage = object({
  input: amount,
  output: amount,
  "cached?": amount,
  "cachedRatio?": amount,
  "reasoning?": amount,
});
const cost = { "usage?": usage, "costUsd?": amount };
const limits = { steps: amount, tokens: amount, minutes: amount, usd: amount };
const modelNames = object({ smart: text, fast: text, contextWindow: amount, "statedWindow?": amount });
const plan = list(object({ text, status: oneOf("pending", "in_progress", "done", "dropped") }));
const recalled = list(
  object({ text, source: text, score: { type: "number" }, "why?": text, "isClean?": flag }),
);
const profile = object({ name: text, role: text, goals: list(text), "budgetUsd?": amount });
const directives = object({ constraints: list(text), resources: list(text), bestPractices: list(text) });
const call = object({ name: text, args });
const thoughts = object({ text, reasoning: text, plan: text, criticism: text, speak: text });

const reply = tagged("kind", {
  proposal: object({ thoughts, call, "ignored?": list(text), "dropped?": list(text) }),
  unreadable: object({ problem: text, "cutOff?": flag }),
});

const source = object({ kind: text, name: text, "isClean?": flag });
const outcome = tagged("status", {
  done: object({
    output: text,
    "source?": source,
    "picture?": text,
    "exitCode?": { type: ["integer", "null"] },
  }),
  failed: object({ error: text, "source?": source }),
  refused: object({ feedback: text }),
  finished: object({ summary: text }),
});

const end = tagged("reason", {
  finished: object({ summary: text }),
  exhausted: object({ limit: oneOf("steps", "tokens", "minutes", "usd") }),
  stuck: object({ why: text }),
  failed: object({ error: text }),
  stopped: object({}),
  crashed: object({ error: text }),
});

const started = object({
  schema: count,
  id: text,
  task: text,
  profile,
  directives,
  rules: list(object({ file: text, text })),
  "unread?": list(text),
  model: modelNames,
  limits: object(limits),
  mode: oneOf("ask", "continuous", "plan"),
  commands: list(object({ name: text, description: text, parameters: args })),
  folder: text,
  "folders?": list(object({ name: text, path: text })),
  os: text,
  machine: text,
  "parent?": text,
  "isAgent?": flag,
  "sources?": list(source),
});

const tail = object({
  time: text,
  budget: text,
  plan,
  recalled,
  remarks: list(text),
  "goals?": list(text),
});

const STEP = { step: count };

/** An event as it stands in a log: what a reader may rely on, whoever wrote the file. */
export const EVENT_SCHEMA: JsonSchema = {
  allOf: [
    object({ seq: count, at: text }),
    tagged("type", {
      started,
      asked: object({ ...STEP, format, tail }),
      replied: object({
        ...STEP,
        format,
        text,
        calls: list(object({ id: text, name: text, arguments: text })),
        finish: text,
        reply,
        model: text,
        ...cost,
      }),
      decided: object({
        ...STEP,
        allow: flag,
        by: oneOf("user", "rule", "grant", "continuous"),
        "rule?": text,
        reason: text,
        hash: text,
        "feedback?": text,
        "args?": args,
        "edited?": flag,
      }),
      began: object({ ...STEP, command: text, args }),
      ended: object({ ...STEP, outcome }),
      said: object({ text, by: oneOf("user", "self", "agent"), "sources?": list(source) }),
      planned: object({ items: plan }),
      recalled: object({ ...STEP, memories: recalled }),
      compacted: object({
        through: count,
        summary: text,
        "feedback?": list(text),
        "problems?": list(text),
        "model?": text,
        ...cost,
      }),
      granted: object({ count: amount }),
      paused: object({ reason: text }),
      resumed: object({ reason: text }),
      changed: object({
        "goals?": list(text),
        "limits?": {
          type: "object",
          properties: Object.fromEntries(Object.keys(limits).map((name) => [name, amount])),
        },
        "model?": modelNames,
        "mode?": oneOf("ask", "continuous", "plan"),
      }),
      spent: object({ on: text, model: text, "run?": text, ...cost }),
      undone: object({ ...STEP, files: list(text), "redone?": flag }),
      child: object({ run: text, name: text, what: text }),
      over: object({ end }),
    }),
  ],
};
