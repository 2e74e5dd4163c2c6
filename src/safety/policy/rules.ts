import { COMMAND } from "../../core/commands/command-traits.ts";
import { explainInvalidGlob } from "../paths/glob.ts";

export type RuleAction = "allow" | "ask" | "refuse";

/** The condition of a rule for an argument, a command line or a path. */
export type RuleMatch =
  /** The exact text. */
  | { readonly kind: "exact"; readonly text: string }
  /** The start of the text. Command lines are compared word by word, so `npm test` doesn't match `npm testx`. */
  | { readonly kind: "prefix"; readonly text: string }
  /** A pattern of `*` and `?` for the whole text. */
  | { readonly kind: "glob"; readonly text: string }
  /** A path pattern relative to the workspace folder, with `**` for any number of names; every file that would be touched must match. */
  | { readonly kind: "path"; readonly text: string };

/** A decision that the user made in advance. */
export interface Rule {
  /** Its place in the settings, for people: `approval.rules[0]`. */
  readonly name: string;
  /** A command's name, or `*`. */
  readonly command: string;
  /** The argument to compare; absent: every text argument, or the command line. */
  readonly argument?: string;
  /** Absent: every call of the command. */
  readonly match?: RuleMatch;
  readonly action: RuleAction;
  /** Why the rule isn't valid, as a sentence. Such a rule asks about every call that it might concern. */
  readonly problem?: string;
}

const MATCHES = ["exact", "prefix", "glob", "path"] as const;
const FIELDS: readonly string[] = ["command", "argument", "action", ...MATCHES];

/** Reads the user's rules. None is dropped, because an invalid rule may have been meant to refuse. */
export function readRules(values: readonly unknown[], setting = "approval.rules"): readonly Rule[] {
  return values.map((value, index) => readRule(value, `${setting}[${index}]`));
}

function readRule(value: unknown, name: string): Rule {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return createBrokenRule(name, "*", `It must be an object like {"command": "${COMMAND.read}", "action": "allow"}.`);
  const fields = new Map<string, unknown>(Object.entries(value));
  const command = fields.get("command");
  if (typeof command !== "string" || !/^(\*|[\w.:/-]+)$/.test(command))
    return createBrokenRule(name, "*", `"command" must be a command's name or "*".`);
  const problem = explainInvalidRule(fields);
  if (problem !== undefined) return createBrokenRule(name, command, problem);
  const kind = MATCHES.find((match) => fields.has(match));
  const argument = fields.get("argument");
  return {
    name,
    command,
    action: parseRuleAction(fields.get("action")) ?? "ask",
    ...(typeof argument === "string" ? { argument } : {}),
    ...(kind === undefined ? {} : { match: { kind, text: String(fields.get(kind)) } }),
  };
}

function explainInvalidRule(fields: ReadonlyMap<string, unknown>): string | undefined {
  const stranger = [...fields.keys()].find((field) => !FIELDS.includes(field));
  if (stranger !== undefined) return `It has no field "${stranger}"; the fields are ${FIELDS.join(", ")}.`;
  if (parseRuleAction(fields.get("action")) === undefined) return `"action" must be "allow", "ask" or "refuse".`;
  const kinds = MATCHES.filter((match) => fields.has(match));
  if (kinds.length > 1) return `It can have only one of ${MATCHES.join(", ")}.`;
  if (fields.has("argument") && (typeof fields.get("argument") !== "string" || kinds.length === 0))
    return `"argument" must be an argument's name, with one of ${MATCHES.join(", ")} beside it.`;
  const [kind] = kinds;
  if (kind === undefined) return undefined;
  const text = fields.get(kind);
  if (typeof text !== "string") return `"${kind}" must be text.`;
  const wrong = explainInvalidGlob(text);
  return wrong === undefined ? undefined : `"${kind}" ${wrong}.`;
}

function parseRuleAction(value: unknown): RuleAction | undefined {
  return value === "allow" || value === "ask" || value === "refuse" ? value : undefined;
}

function createBrokenRule(name: string, command: string, problem: string): Rule {
  return { name, command, action: "ask", problem };
}

/** Rules that allow whole commands, by name. */
export function createAllowRules(commands: readonly string[]): readonly Rule[] {
  return commands.map((command) => ({ name: `--yes-to ${command}`, command, action: "allow" as const }));
}

/**
 * Reads deny patterns: a command's name (`browse_website`), or a name and a pattern for any of its arguments, its command
 * line or its paths (`execute_shell(git push*)`, `*(src/generated/**)`). They can only refuse; an invalid one asks about everything.
 */
export function readDeny(patterns: readonly unknown[], setting = "approval.deny"): readonly Rule[] {
  return patterns.flatMap((pattern, index) => readPattern(pattern, `${setting}[${index}]`));
}

function readPattern(pattern: unknown, name: string): readonly Rule[] {
  const [, command, text] = (typeof pattern === "string" && PATTERN.exec(pattern.trim())) || [];
  const wrong = text === undefined ? undefined : explainInvalidGlob(text);
  if (command === undefined || wrong !== undefined) {
    const problem = `It must be a command's name, or a name and a pattern like ${COMMAND.shell}(git push*)${wrong ? `; this one's pattern ${wrong}` : ""}.`;
    return [{ name, command: "*", action: "ask", problem }];
  }
  if (text === undefined) return [{ name, command, action: "refuse" }];
  return [
    { name, command, action: "refuse", match: { kind: "glob", text } },
    { name, command, action: "refuse", match: { kind: "path", text } },
  ];
}

const PATTERN = /^(\*|[\w.:/-]+)(?:\((.*)\))?$/s;
