import { hash } from "node:crypto";
import { isObject } from "../../../../src/headless/library.ts";
import { changeReplyJson, type PlayedReply, type ReplyParts, writeReply } from "./replies.ts";

/** A repeatable number from 0 to 1 for a place in a measurement. */
export function computeChance(...place: readonly (string | number)[]): number {
  return Number.parseInt(hash("sha256", JSON.stringify(place)).slice(0, 8), 16) / 2 ** 32;
}

/** Spoils a reply. `draw` is a number from 0 to 1 for further choices. */
type Spoil = (parts: ReplyParts, draw: number) => PlayedReply;

const CUT_AT = 0.6;

/** The ways in which models and servers are known to spoil a reply. */
const SPOILS = {
  "prose around": (parts) =>
    changeReplyJson(writeReply(parts), (json) => `Sure, here is my answer:\n${json}\nI hope that this helps.`),
  "trailing commas": (parts) => writeReply(parts, (value) => writeLooseJson(value, { trailingCommas: true })),
  "single quotes": (parts) => writeReply(parts, (value) => writeLooseJson(value, { quote: "'" })),
  "Python literals": (parts) =>
    writeReply(addNullThought(parts), (value) => writeLooseJson(value, { quote: "'", python: true })),
  "cut at a limit": (parts) => ({ ...changeReplyJson(writeReply(parts), cut), finish: "length" }),
  "cut without a reason": (parts) => ({ ...changeReplyJson(writeReply(parts), cut), finish: "" }),
  "wrong keys": writeWrongKeys,
  "no command": (parts) => ({
    content:
      parts.format === "tools"
        ? `I think that I should use ${parts.call.command} next.`
        : JSON.stringify({ thoughts: parts.thoughts ?? "I think about it." }),
    finish: "stop",
  }),
  "unknown command": ({ call, ...parts }) => writeReply({ ...parts, call: { ...call, command: "do_the_work" } }),
  fences: (parts) => changeReplyJson(writeReply(parts), (json) => `\`\`\`json\n${json}\n\`\`\``),
  "wrong argument names": ({ call, ...parts }) =>
    writeReply({ ...parts, call: { ...call, args: misspellFirstArgument(call.args) } }),
  "text after": (parts) => changeReplyJson(writeReply(parts), (json) => `${json}\n\nShall I go on?`),
  empty: () => ({ content: "", finish: "stop" }),
  null: ({ format }) => ({ content: format === "tools" ? null : "null", finish: "stop" }),
  "raw newlines": (parts) => writeReply(parts, (value) => writeLooseJson(value, { rawNewlines: true })),
  "tool call as text": ({ call }) => ({
    content: `<tool_call>\n${JSON.stringify({ name: call.command, arguments: call.args })}\n</tool_call>`,
    finish: "stop",
  }),
} as const satisfies Readonly<Record<string, Spoil>>;

export type SpoilName = keyof typeof SPOILS;

/** The names of all ways, in the order of the table. */
export const SPOIL_NAMES = Object.keys(SPOILS) as readonly SpoilName[];

/** How to spoil a reply; undefined if it stays intact. `share` of all replies are spoiled, each way equally often. */
export function spoilFor(share: number, ...place: readonly (string | number)[]): SpoilName | undefined {
  if (computeChance("spoiled", ...place) >= share) return undefined;
  return SPOIL_NAMES[Math.floor(computeChance("way", ...place) * SPOIL_NAMES.length)];
}

/** Spoils a reply in one of the ways. */
export function spoilReply(parts: ReplyParts, name: SpoilName, draw: number): PlayedReply {
  const spoil: Spoil = SPOILS[name];
  return spoil(parts, draw);
}

function cut(json: string): string {
  return json.slice(0, Math.ceil(json.length * CUT_AT));
}

/** Adds a `null` thought, which Python writes differently. */
function addNullThought({ thoughts, ...parts }: ReplyParts): ReplyParts {
  if (!isObject(thoughts)) return thoughts === undefined ? parts : { ...parts, thoughts };
  return { ...parts, thoughts: { ...thoughts, criticism: null } };
}

/** Misspells the first argument's name by doubling its last letter. */
function misspellFirstArgument(args: ReplyParts["call"]["args"]): ReplyParts["call"]["args"] {
  const [first, ...others] = Object.entries(args);
  if (!first) return args;
  const [name, value] = first;
  return Object.fromEntries([[`${name}${name.at(-1)}`, value], ...others]);
}

/** Writes the call with other keys: ReAct's, nested once more, or those of other agents. */
function writeWrongKeys({ format, thoughts, call }: ReplyParts, draw: number): PlayedReply {
  const { command, args } = call;
  const which = Math.floor(draw * 3);
  if (format === "tools") {
    const key = ["arguments", "parameters", "input"][which] ?? "args";
    const call = { name: command, arguments: JSON.stringify({ [key]: args }) };
    return { content: "", call, finish: "tool_calls" };
  }
  const objects = [
    { thought: "I go on.", action: command, action_input: args },
    { thoughts, command: { command, arguments: args } },
    { thoughts, tool: command, tool_input: args },
  ];
  return { content: JSON.stringify(objects[which]), finish: "stop" };
}

/** Ways in which models write JSON that isn't valid. */
interface LooseStyle {
  readonly quote?: "'";
  readonly trailingCommas?: boolean;
  readonly python?: boolean;
  readonly rawNewlines?: boolean;
}

/** Writes a value in a loose style. */
function writeLooseJson(value: unknown, style: LooseStyle): string {
  if (typeof value === "string") return writeLooseText(value, style);
  if (value === null || typeof value === "boolean")
    return style.python ? { null: "None", true: "True", false: "False" }[`${value}`] : String(value);
  const end = style.trailingCommas ? "," : "";
  if (Array.isArray(value)) {
    const items = value.map((item) => writeLooseJson(item, style));
    return items.length === 0 ? "[]" : `[${items.join(", ")}${end}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, item]) => `${writeLooseText(key, style)}: ${writeLooseJson(item, style)}`,
  );
  return fields.length === 0 ? "{}" : `{${fields.join(", ")}${end}}`;
}

function writeLooseText(value: string, { quote, rawNewlines }: LooseStyle): string {
  const json = JSON.stringify(value);
  if (rawNewlines) return json.replace(/\\\\|\\n/g, (mark) => (mark === "\\n" ? "\n" : mark));
  if (quote === undefined) return json;
  const inside = json.slice(1, -1).replace(/\\"|'/g, (mark) => (mark === "'" ? "\\'" : '"'));
  return `'${inside}'`;
}
