import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { isObject, tryJson } from "../base/json.ts";
import { createCallTitle } from "../commands/call-title.ts";

/** A remembered step as `createEpisodeMemory` writes it: thoughts, the call on a line of its own, and the outcome. */
const EPISODE =
  /^(?:[\s\S]*?\n)?([A-Za-z_][\w-]*) (\{[^\n]*)\n(It worked|It failed|The user refused it|With that the task was complete): ([\s\S]*)$/;

const CODES: Readonly<Record<string, "runs.memory.did" | "runs.memory.failed" | "runs.memory.refused">> = {
  "It failed": "runs.memory.failed",
  "The user refused it": "runs.memory.refused",
};

/** The memory in one sentence for people: of a step, its action and the essence of it; otherwise its text on one line. */
export function describeMemoryText(text: string): DisplayText {
  const [, name, json = "", end = "", rest = ""] = EPISODE.exec(text) ?? [];
  if (name === undefined) return displayText("results.text", { text: joinLines(text) });
  const args = parseArguments(json);
  const { before, after } = createCallTitle({ name, args });
  const code = CODES[end] ?? "runs.memory.did";
  const outcome = joinLines(rest.split("\nThe user said: ", 1).join(""));
  const written = WRITTEN.map((argument) => args[argument]).find((value) => typeof value === "string" && value !== "");
  const isChange = code === "runs.memory.did" && typeof written === "string" && !hasWords(after, written);
  return displayText(code, {
    action: code === "runs.memory.did" ? after : before,
    text: isChange ? joinLines(written) : outcome,
  });
}

/** Arguments with the text that a call writes, which says more than its outcome does. */
const WRITTEN = ["contents", "new", "replacement", "text"];

function hasWords({ parameters = {} }: DisplayText, text: string): boolean {
  return Object.values(parameters).some((value) => typeof value === "string" && text.startsWith(value));
}

/** The arguments of a stored call; those that can still be read if its middle was left out. */
function parseArguments(json: string): Readonly<Record<string, unknown>> {
  const value = tryJson(json) ?? tryJson(json.replace(/\\* \[…\] /, " … "));
  if (isObject(value)) return value;
  const [, name, given] = /^\{"(\w+)":"((?:[^"\\]|\\.)*)"/.exec(json) ?? [];
  return name === undefined ? {} : { [name]: tryJson(`"${given}"`) };
}

/** Headings and lines that say nothing by themselves, such as fences and exit codes. */
const EMPTY_LINE = /^(?:#.*|[\W_]*|Exit code \S+.*)$/;

/** The lines that say something on one line; all of them if there are none. */
function joinLines(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const spoken = lines.filter((line) => !EMPTY_LINE.test(line));
  return (spoken.length > 0 ? spoken : lines).join(" ").replace(/\s+/g, " ").trim().slice(0, LONGEST);
}

/** Lists show less than this. */
const LONGEST = 300;
