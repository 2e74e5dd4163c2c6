import { jsonrepair } from "jsonrepair";
import { isObject, type Json, objectsIn, tryJson } from "../base/json.ts";
import type { Completion, ToolCall } from "../ports/model.ts";
import {
  NO_THOUGHTS,
  type Proposal,
  type Reply,
  THOUGHT_FIELDS,
  type Thoughts,
  type UnreadableReply,
} from "./reply.ts";

/** Reads a reply in any format. An unreadable reply explains the problem in one sentence. */
export function readReply(completion: Completion): Reply {
  const broken = brokenOff(completion);
  if (broken) return broken;
  return readCalls(completion.calls, completion.text) ?? readText(completion.text);
}

/** Reads the first call; undefined if there is none. */
function readCalls([call, ...further]: readonly ToolCall[], text: string): Reply | undefined {
  if (!call) return undefined;
  const reply = readCall(call, text);
  if (reply.kind === "unreadable" || further.length === 0) return reply;
  return { ...reply, ignored: further.map((other) => other.name) };
}

/** Reads calls in the tags of Hermes and Qwen, for servers that leave them in the text, and the words before them. */
function readTagged(text: string): Reply | undefined {
  const [before = "", ...blocks] = text.split("<tool_call>");
  if (before.includes("{")) return undefined;
  const calls = blocks.flatMap((block): readonly ToolCall[] => {
    const called = tryObject(block);
    const args = called?.arguments ?? called?.args ?? called?.parameters ?? {};
    if (typeof called?.name !== "string") return [];
    return [{ id: "", name: called.name, arguments: typeof args === "string" ? args : JSON.stringify(args) }];
  });
  return readCalls(calls, before);
}

function brokenOff(completion: Completion): UnreadableReply | undefined {
  if (completion.finish === "length") {
    return cutOff(
      "Your reply was too long and was cut off, so nothing of it was done. Say the same in fewer words, or do less in one step.",
    );
  }
  if (completion.finish === "content_filter") {
    return unreadable(
      "Your reply was withheld by the provider's content filter. Choose another way to go on.",
    );
  }
  if (completion.finish === "")
    return cutOff("Your reply broke off before its end, so nothing of it was done. Give it again, whole.");
  return undefined;
}

function readCall(call: ToolCall, text: string): Reply {
  const parsed = parseObject(call.arguments.trim() === "" ? "{}" : call.arguments);
  if ("problem" in parsed) return { ...parsed.problem };
  const { thoughts, ...args } = parsed.object;
  const said = readThoughts(thoughts);
  const spoken = said.text === "" ? { ...said, text: text.trim() } : said;
  const name = call.name.trim();
  return name === "" ? question(spoken) : { kind: "proposal", thoughts: spoken, call: { name, args } };
}

/** Reads a text reply: drops private reasoning, then takes the first matching object. */
function readText(text: string): Reply {
  const spoken = text.replace(/^\s*<think>[\s\S]*?<\/think>/, "");
  if (spoken.trim() === "")
    return unreadable("Your reply was empty. Answer with one JSON object in the format described.");
  const direct = tryJson(spoken);
  if (isObject(direct)) return proposalFrom(direct);
  const tagged = readTagged(spoken);
  if (tagged) return tagged;
  const { objects, cutOff: broken } = objectsIn(spoken);
  let problem: UnreadableReply | undefined;
  for (const candidate of objects) {
    const parsed = parseObject(candidate);
    if ("problem" in parsed) {
      problem ??= parsed.problem;
      continue;
    }
    const reply = proposalFrom(parsed.object);
    if (reply.kind === "proposal") return reply;
    problem ??= reply;
  }
  if (problem) return problem;
  if (broken)
    return cutOff(
      "Your JSON broke off before its last bracket was closed, so nothing of it was done. Give it again, whole.",
    );
  return unreadable(
    "Your reply held no JSON object. Answer with one JSON object in the format described, and nothing else.",
  );
}

/** Reads one command from an object: `{command: {name, args}}`, the older `{command: "name", arguments}`, or a bare `{name, args}`. */
function proposalFrom(object: Json): Reply {
  const { command } = object;
  const thoughts = readThoughts(object.thoughts);
  if (command === undefined && typeof object.name === "string")
    return withThoughtsOutside(proposal(thoughts, object.name, object));
  if (command === undefined)
    return unreadable('Your reply had no "command" object. Put the command\'s name and arguments there.');
  if (typeof command === "string") return proposal(thoughts, command, object);
  if (!isObject(command)) return unreadable('"command" must be an object with "name" and "args".');
  const name = command.name;
  if (typeof name !== "string")
    return unreadable('The "command" object had no "name". Name exactly one of the commands you were given.');
  return proposal(thoughts, name, command);
}

function proposal(thoughts: Thoughts, name: string, holder: Json): Proposal | UnreadableReply {
  const args = holder.args ?? holder.arguments ?? holder.parameters ?? {};
  const object = typeof args === "string" ? tryJson(args.trim() === "" ? "{}" : args) : args;
  if (!isObject(object))
    return unreadable('The command\'s "args" must be an object: argument names, each with its value.');
  if (name.trim() === "") return question(thoughts);
  return { kind: "proposal", thoughts, call: { name: name.trim(), args: object } };
}

/** Moves the thoughts of a bare call out of its arguments. */
function withThoughtsOutside(reply: Proposal | UnreadableReply): Proposal | UnreadableReply {
  if (reply.kind === "unreadable" || reply.thoughts.text !== "" || !isObject(reply.call.args.thoughts))
    return reply;
  const { thoughts, ...args } = reply.call.args;
  return { ...reply, thoughts: readThoughts(thoughts), call: { ...reply.call, args } };
}

/** Turns a reply without a command into a question to the user. */
function question(thoughts: Thoughts): Proposal {
  const text = thoughts.speak || thoughts.text || "What should I do next?";
  return { kind: "proposal", thoughts, call: { name: "ask_user", args: { question: text } } };
}

/** Parses an object, and repairs it if necessary. A reply that is cut off before its last bracket is never repaired. */
function parseObject(text: string): { object: Json } | { problem: UnreadableReply } {
  const direct = tryJson(text);
  if (isObject(direct)) return { object: direct };
  const { objects, cutOff: broken } = objectsIn(text);
  if (broken)
    return {
      problem: cutOff(
        "Your JSON broke off before its last bracket was closed, so nothing of it was done. Give it again, whole.",
      ),
    };
  const [first] = objects;
  const repaired = first === undefined ? undefined : (tryJson(first) ?? tryJson(tryRepair(first) ?? ""));
  if (isObject(repaired)) return { object: repaired };
  return {
    problem: unreadable(
      `Your reply was not valid JSON: ${whyNot(text)}. Escape quotes and line breaks inside strings.`,
    ),
  };
}

/** Finds the first JSON object in a text, repaired if possible; undefined if there is none. */
export function tryObject(text: string): Json | undefined {
  const parsed = parseObject(text);
  return "object" in parsed ? parsed.object : undefined;
}

function readThoughts(value: unknown): Thoughts {
  if (typeof value === "string") return { ...NO_THOUGHTS, text: value };
  if (!isObject(value)) return NO_THOUGHTS;
  const older: Json = {
    ...value,
    speak: value.speak ?? value.speech,
    criticism: value.criticism ?? value.self_criticism,
  };
  return Object.fromEntries(
    THOUGHT_FIELDS.map((field) => [field, asText(older[field])]),
  ) as unknown as Thoughts;
}

/** Converts a thought of any structure to text: a list to bullets, an object to lines. */
function asText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map((item) => `- ${asText(item)}`).join("\n");
  if (isObject(value))
    return Object.entries(value)
      .map(([key, item]) => `- ${key}: ${asText(item)}`)
      .join("\n");
  return String(value);
}

function tryRepair(text: string): string | undefined {
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}

function whyNot(text: string): string {
  try {
    JSON.parse(text);
    return "it is not an object";
  } catch (error) {
    return (error as Error).message.replace(/\s+/g, " ").slice(0, 160);
  }
}

function unreadable(problem: string): UnreadableReply {
  return { kind: "unreadable", problem };
}

function cutOff(problem: string): UnreadableReply {
  return { kind: "unreadable", problem, cutOff: true };
}
