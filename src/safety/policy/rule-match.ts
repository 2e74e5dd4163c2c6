import { listTouchedNames, type Touch } from "../../core/commands/command.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { isGlobMatch, isPathGlobMatch, LONGEST_VALUE } from "../paths/glob.ts";
import { findInnermostFolder, getPathBelow, type Platform, splitPathSegments } from "../paths/paths.ts";
import { isLiteral, skipLeadingFlags, type Word } from "../shell/reading.ts";
import type { ProgramCall } from "../shell/script.ts";
import type { Rule, RuleAction, RuleMatch } from "./rules.ts";

/** The call that rules are compared with. */
export interface Subject {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly touches: readonly Touch[];
  readonly hosts: readonly string[];
  readonly shell?: ShellSubject;
  readonly folders: readonly string[];
  readonly platform: Platform;
  /** The same line as a call of `execute_shell`, whose rules apply to it, too. */
  readonly typed?: Subject;
}

/** A command line as rules see it. */
export interface ShellSubject {
  readonly line: string;
  /** The commands in the line; undefined if it couldn't be parsed. */
  readonly calls: readonly ProgramCall[] | undefined;
  /** Words of the same commands, if the line only runs them: no redirection into files, no assignment, nothing nested. */
  readonly allowable: readonly (readonly Word[])[] | undefined;
}

/** True when a rule is about a call, or about its command line as it would be typed. */
function isRuleAbout(rule: Rule, subject: Subject): boolean {
  return isAbout(rule, subject) || (subject.typed !== undefined && isAbout(rule, subject.typed));
}

/**
 * True when a rule is about a call. A rule that allows must match all of it, exactly as spelled; one that asks or refuses needs to
 * match only a part of it, ignoring case.
 */
function isAbout(rule: Rule, subject: Subject): boolean {
  if (rule.command !== "*" && rule.command.toLowerCase() !== subject.command.toLowerCase()) return false;
  const { match } = rule;
  if (rule.problem !== undefined || match === undefined) return true;
  const widens = rule.action === "allow";
  if (match.kind === "path") return areTouchesMatching(match.text, subject, widens);
  const { shell } = subject;
  if (shell && (rule.argument === undefined || subject.args[rule.argument] === shell.line)) {
    if (widens) return isLineAllowed(match, shell);
    if (isAboutLine(match, shell)) return true;
  }
  const values = listMatchedValues(rule, subject, widens);
  const isMatchingValue = (value: string): boolean => isTextMatch(match, value, widens, rule.argument !== undefined);
  return widens ? values.length > 0 && values.every(isMatchingValue) : values.some(isMatchingValue);
}

function listMatchedValues(rule: Rule, subject: Subject, widens: boolean): readonly string[] {
  if (rule.argument !== undefined) {
    const value = subject.args[rule.argument];
    if (value === undefined) return [];
    return typeof value === "string" ? [value, ...listOtherNames(value, subject, widens)] : [JSON.stringify(value)];
  }
  const texts = Object.values(subject.args).filter((value) => typeof value === "string");
  if (widens) return texts.flatMap((text) => [text, ...listOtherNames(text, subject, widens)]);
  return [
    ...texts,
    ...texts.flatMap((text) => listOtherNames(text, subject, widens)),
    ...subject.touches.flatMap(listTouchedNames),
    ...subject.hosts,
  ];
}

/** Other names of the file in an argument; a rule about the argument covers them too. A name that is too long may mean any file. */
function listOtherNames(value: string, subject: Subject, widens: boolean): readonly string[] {
  const { touches, folders, platform } = subject;
  if (touches.length === 0) return [];
  const named = value.length > LONGEST_PATH ? undefined : splitPathSegments(value, platform);
  const isNamed = (path: string): boolean => named === undefined || hasEnding(splitPathSegments(path, platform), named);
  const linked = touches.filter(({ via = [] }) => via.some(isNamed));
  const found = touches.filter(({ path }) => isNamed(path));
  return [
    ...linked.flatMap(listTouchedNames).map((path) => getPathBelow(path, folders, platform)),
    ...found.flatMap(({ path }) => listNamesWithFolder(path, subject, widens)),
  ];
}

/**
 * A file's name with its workspace folder's name, when several folders are open: the argument may leave the folder out. A file in
 * the run's own folder, the first, is allowed without it.
 */
function listNamesWithFolder(path: string, { folders, platform }: Subject, widens: boolean): readonly string[] {
  const folder = folders.length > 1 ? findInnermostFolder(path, folders, platform) : undefined;
  if (folder === undefined || (widens && folder === folders[0])) return [];
  const [name = ""] = folder
    .split(/[\\/]+/)
    .filter((part) => part !== "")
    .slice(-1);
  return [`${name}/${getPathBelow(path, folders, platform)}`];
}

function hasEnding(names: readonly string[], last: readonly string[]): boolean {
  return last.length > 0 && last.every((name, at) => names[names.length - last.length + at] === name);
}

/** If a value is too long for a pattern, it matches no rule that allows, and every rule that asks or refuses by that argument. */
function isTextMatch(match: RuleMatch, value: string, widens: boolean, named: boolean): boolean {
  const normalizeForMatch = (text: string): string => (widens ? text : text.normalize("NFKC").toLowerCase());
  const pattern = normalizeForMatch(match.text);
  if (match.kind === "exact")
    return value.length <= LONGEST_FORM * match.text.length && normalizeForMatch(value) === pattern;
  if (match.kind === "prefix")
    return normalizeForMatch(value.slice(0, LONGEST_FORM * match.text.length)).startsWith(pattern);
  if (value.length > LONGEST_VALUE) return !widens && named;
  return isGlobMatch(pattern, normalizeForMatch(value));
}

/** Letters in the longest Unicode form of one letter. */
const LONGEST_FORM = 4;

function isLineAllowed(match: RuleMatch, shell: ShellSubject): boolean {
  if (match.kind === "exact" && match.text === shell.line) return true;
  if (!shell.allowable || shell.allowable.length === 0) return false;
  return shell.allowable.every(
    (words) =>
      words.every(isLiteral) &&
      areWordsMatching(
        match,
        words.map(({ text }) => text),
      ),
  );
}

function isAboutLine(match: RuleMatch, shell: ShellSubject): boolean {
  if (shell.line.length > LONGEST_VALUE) return false;
  const lower: RuleMatch = { ...match, text: match.text.toLowerCase() };
  const words = shell.line.toLowerCase().split(/\s+/);
  return areWordsMatching(lower, words) || listLowerCommands(shell).some((command) => areWordsMatching(lower, command));
}

/** Words of a line's commands in lower case. Cached, because many rules compare the same line. */
const lowerCommands = new WeakMap<readonly ProgramCall[], readonly (readonly string[])[]>();

function listLowerCommands({ calls = [] }: ShellSubject): readonly (readonly string[])[] {
  const known = lowerCommands.get(calls);
  if (known) return known;
  const commands = calls.map(({ words }) => words.map(({ text }) => text.toLowerCase()));
  // `git -C x --no-pager push` is a `git push`, too: flags before a program's first argument don't change its effect.
  const all = [...commands, ...commands.map(([name = "", ...args]) => [name, ...skipLeadingFlags(args)])];
  lowerCommands.set(calls, all);
  return all;
}

function areWordsMatching(match: RuleMatch, words: readonly string[]): boolean {
  const line = words.join(" ");
  if (match.kind === "glob") return line.length <= LONGEST_VALUE && isGlobMatch(match.text, line);
  const wanted = match.text.trim().split(/\s+/);
  if (match.kind === "exact" && wanted.length !== words.length) return false;
  return wanted.every((word, index) => words[index] === word);
}

const LONGEST_PATH = 4096;

/** The names by which a touch is compared: as spelled below its workspace folder, and normalized, below the folder and in full. */
interface TouchSpelling {
  readonly how: Touch["how"];
  readonly exact: readonly string[];
  readonly below: readonly string[];
  readonly whole: readonly string[];
}

/** Cached, because many rules compare the same touches. */
const spelled = new WeakMap<Subject["touches"], readonly TouchSpelling[]>();

function listTouchSpellings({ touches, folders, platform }: Subject): readonly TouchSpelling[] {
  const known = spelled.get(touches);
  if (known) return known;
  const made = touches.flatMap((touch) =>
    listTouchedNames(touch).map((path) => {
      const below = getPathBelow(path, folders, platform);
      return {
        how: touch.how,
        exact: below.split("/"),
        below: splitPathSegments(below, platform),
        whole: splitPathSegments(path, platform),
      };
    }),
  );
  spelled.set(touches, made);
  return made;
}

function areTouchesMatching(scope: string, subject: Subject, widens: boolean): boolean {
  if (subject.touches.flatMap(listTouchedNames).some((path) => path.length > LONGEST_PATH)) return !widens;
  const wanted = scope.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, "");
  const touches = listTouchSpellings(subject);
  if (widens) {
    const pattern = [...wanted.split("/"), "**"];
    return touches.length > 0 && touches.every(({ exact }) => isPathGlobMatch(pattern, exact));
  }
  const pattern = wanted.normalize("NFKC").toLowerCase().split("/");
  const scoped = [...pattern, "**"];
  return touches.some(
    ({ how, below, whole }) =>
      isPathGlobMatch(scoped, below) ||
      isPathGlobMatch(scoped, whole) ||
      (how === "delete" && (isPatternInFolder(below, pattern) || isPatternInFolder(whole, pattern))),
  );
}

/** True if a deleted folder contains a match of the pattern. */
function isPatternInFolder(folder: readonly string[], pattern: readonly string[]): boolean {
  return folder.length === 0 || isPathGlobMatch(pattern.slice(0, folder.length), folder);
}

/** The rule that decides a call, with its answer. */
export interface RuleDecision {
  readonly rule: string;
  readonly action: RuleAction;
  readonly reason: DisplayText;
}

const STRICTNESS: Readonly<Record<RuleAction, number>> = { allow: 0, ask: 1, refuse: 2 };

/** The first rule that matches the call decides. If another rule for exactly the same calls contradicts it, the stricter one applies. */
export function findDecidingRule(rules: readonly Rule[], subject: Subject): RuleDecision | undefined {
  const first = rules.find((rule) => isRuleAbout(rule, subject));
  if (!first) return undefined;
  if (first.problem !== undefined)
    return {
      rule: first.name,
      action: "ask",
      reason: displayText("safety.line.ruleInvalid", { rule: first.name, problem: first.problem }),
    };
  const stricter = rules
    .filter((rule) => isForSameCalls(rule, first) && STRICTNESS[rule.action] > STRICTNESS[first.action])
    .sort((a, b) => STRICTNESS[b.action] - STRICTNESS[a.action])[0];
  if (!stricter) return { rule: first.name, action: first.action, reason: describeRule(first) };
  return {
    rule: stricter.name,
    action: stricter.action,
    reason: displayText("safety.line.contradictoryRules", { first: first.name, stricter: stricter.name }),
  };
}

function isForSameCalls(rule: Rule, other: Rule): boolean {
  return (
    rule.problem === undefined &&
    rule.command === other.command &&
    rule.argument === other.argument &&
    rule.match?.kind === other.match?.kind &&
    rule.match?.text === other.match?.text
  );
}

function describeRule({ name: rule, action, match, argument, command }: Rule): DisplayText {
  const named = command === "*" ? displayText("safety.line.everyCommand") : command;
  const calls = match
    ? displayText(HOW[match.kind], {
        command: named,
        value: argument ?? displayText(match.kind === "path" ? "safety.line.thePath" : "safety.line.theText"),
        text: JSON.stringify(match.text),
      })
    : named;
  return displayText(ANSWERS[action], { rule, calls });
}

const ANSWERS = {
  allow: "safety.line.ruleAllows",
  ask: "safety.line.ruleAsks",
  refuse: "safety.line.ruleRefuses",
} as const;
const HOW = {
  exact: "safety.line.whereEqual",
  prefix: "safety.line.whereStarting",
  glob: "safety.line.whereMatching",
  path: "safety.line.whereMatching",
} as const;
