import { globProblem } from "./glob.ts";
import type { Rule } from "./rules.ts";

/**
 * Reads a workspace's deny patterns: a command's name (`browse_website`), or a name and a pattern for any of its arguments, its command
 * line or its paths (`execute_shell(git push*)`, `*(src/generated/**)`). They can only refuse; one that cannot be read asks about everything.
 */
export function readDeny(patterns: readonly unknown[], setting = "approval.deny"): readonly Rule[] {
  return patterns.flatMap((pattern, index) => readPattern(pattern, `${setting}[${index}]`));
}

function readPattern(pattern: unknown, name: string): readonly Rule[] {
  const [, command, text] = (typeof pattern === "string" && PATTERN.exec(pattern.trim())) || [];
  const wrong = text === undefined ? undefined : globProblem(text);
  if (command === undefined || wrong !== undefined) {
    const problem = `It must be a command's name, or a name and a pattern like execute_shell(git push*)${wrong ? `; this one's pattern ${wrong}` : ""}.`;
    return [{ name, command: "*", action: "ask", problem }];
  }
  if (text === undefined) return [{ name, command, action: "refuse" }];
  return [
    { name, command, action: "refuse", match: { kind: "glob", text } },
    { name, command, action: "refuse", match: { kind: "path", text } },
  ];
}

const PATTERN = /^(\*|[\w.:/-]+)(?:\((.*)\))?$/s;
