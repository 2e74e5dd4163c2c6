import { isAbout, type Subject } from "./rule-match.ts";
import type { Rule, RuleAction } from "./rules.ts";

/** The rule that decides a call, and what it says. */
export interface Deciding {
  readonly rule: string;
  readonly action: RuleAction;
  readonly reason: string;
}

const STRICTNESS: Readonly<Record<RuleAction, number>> = { allow: 0, ask: 1, refuse: 2 };

/** The first rule that is about the call decides. Where another one says something else of the very same calls, the stricter holds. */
export function decidingRule(rules: readonly Rule[], subject: Subject): Deciding | undefined {
  const first = rules.find((rule) => isAbout(rule, subject));
  if (!first) return undefined;
  if (first.problem !== undefined)
    return {
      rule: first.name,
      action: "ask",
      reason: `The rule ${first.name} cannot be used. ${first.problem}`,
    };
  const stricter = rules
    .filter((rule) => sameCalls(rule, first) && STRICTNESS[rule.action] > STRICTNESS[first.action])
    .sort((a, b) => STRICTNESS[b.action] - STRICTNESS[a.action])[0];
  if (!stricter) return { rule: first.name, action: first.action, reason: reasonOf(first) };
  return {
    rule: stricter.name,
    action: stricter.action,
    reason: `The rules ${first.name} and ${stricter.name} contradict each other, so the stricter one holds.`,
  };
}

function sameCalls(rule: Rule, other: Rule): boolean {
  return (
    rule.problem === undefined &&
    rule.command === other.command &&
    rule.argument === other.argument &&
    rule.match?.kind === other.match?.kind &&
    rule.match?.text === other.match?.text
  );
}

function reasonOf(rule: Rule): string {
  const { match, argument, command, action } = rule;
  const about = match
    ? ` where ${argument ?? WHAT[match.kind]} ${HOW[match.kind]} ${JSON.stringify(match.text)}`
    : "";
  return `The rule ${rule.name} says ${action} for ${command === "*" ? "every command" : command}${about}.`;
}

const WHAT = { exact: "the text", prefix: "the text", glob: "the text", path: "the path" } as const;
const HOW = { exact: "is", prefix: "begins with", glob: "fits", path: "fits" } as const;
