import type { Touch } from "../core/command.ts";
import { fitsGlob, fitsPathGlob, LONGEST_VALUE } from "./glob.ts";
import { comparablePath, type Platform, pathBelow } from "./paths.ts";
import type { Match, Rule } from "./rules.ts";
import { isLiteral, type Word } from "./shell/reading.ts";

/** What a rule is compared with. */
export interface Subject {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly touches: readonly Touch[];
  readonly hosts: readonly string[];
  readonly shell?: ShellSubject;
  readonly folders: readonly string[];
  readonly platform: Platform;
}

/** A command line as rules see it. */
export interface ShellSubject {
  readonly line: string;
  /** The words of each command in it, quotes taken off; undefined when it could not be read to the end. */
  readonly commands: readonly (readonly string[])[] | undefined;
  /** The same commands, when the line does no more than run these: no redirection into files, no assignment, nothing nested. */
  readonly allowable: readonly (readonly Word[])[] | undefined;
}

/**
 * Tells whether a rule is about a call. A rule that allows must fit all of it, exactly as spelt; one that asks or refuses need only
 * fit some of it, in any spelling of letters' case.
 */
export function isAbout(rule: Rule, subject: Subject): boolean {
  if (rule.command !== "*" && rule.command.toLowerCase() !== subject.command.toLowerCase()) return false;
  const { match } = rule;
  if (rule.problem !== undefined || match === undefined) return true;
  const widens = rule.action === "allow";
  if (match.kind === "path") return fitsTouches(match.text, subject, widens);
  const { shell } = subject;
  if (shell && (rule.argument === undefined || subject.args[rule.argument] === shell.line)) {
    if (widens) return allowsLine(match, shell);
    if (concernsLine(match, shell)) return true;
  }
  const values = valuesOf(rule, subject, widens);
  const fits = (value: string): boolean => fitsText(match, value, widens, rule.argument !== undefined);
  return widens ? values.length > 0 && values.every(fits) : values.some(fits);
}

function valuesOf(rule: Rule, subject: Subject, widens: boolean): readonly string[] {
  if (rule.argument !== undefined) {
    const value = subject.args[rule.argument];
    if (value === undefined) return [];
    return [typeof value === "string" ? value : JSON.stringify(value)];
  }
  const texts = Object.values(subject.args).flatMap(textsIn);
  return widens ? texts : [...texts, ...subject.touches.map((touch) => touch.path), ...subject.hosts];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A value too long for a pattern fits none that allows, and each that asks or refuses and names its argument. */
function fitsText(match: Match, value: string, widens: boolean, named: boolean): boolean {
  const [text, pattern] = widens ? [value, match.text] : [value.toLowerCase(), match.text.toLowerCase()];
  if (match.kind === "exact") return text === pattern;
  if (match.kind === "prefix") return text.startsWith(pattern);
  if (text.length > LONGEST_VALUE) return !widens && named;
  return fitsGlob(pattern, text);
}

function allowsLine(match: Match, shell: ShellSubject): boolean {
  if (match.kind === "exact" && match.text === shell.line) return true;
  if (!shell.allowable || shell.allowable.length === 0) return false;
  return shell.allowable.every(
    (words) =>
      words.every(isLiteral) &&
      fitsWords(
        match,
        words.map(({ text }) => text),
      ),
  );
}

function concernsLine(match: Match, shell: ShellSubject): boolean {
  const lower: Match = { ...match, text: match.text.toLowerCase() };
  const lines = [shell.line.split(/\s+/), ...(shell.commands ?? [])];
  return lines.some((words) =>
    fitsWords(
      lower,
      words.map((word) => word.toLowerCase()),
    ),
  );
}

function fitsWords(match: Match, words: readonly string[]): boolean {
  const line = words.join(" ");
  if (match.kind === "glob") return line.length <= LONGEST_VALUE && fitsGlob(match.text, line);
  const wanted = match.text.trim().split(/\s+/);
  if (match.kind === "exact" && wanted.length !== words.length) return false;
  return wanted.every((word, index) => words[index] === word);
}

function fitsTouches(scope: string, subject: Subject, widens: boolean): boolean {
  const { touches, folders, platform } = subject;
  const pattern = scope.replace(/^\.\//, "").replace(/\/+$/, "");
  if (widens) {
    const fits = (path: string): boolean => fitsScope(pattern, path);
    return touches.length > 0 && touches.every(({ path }) => fits(pathBelow(path, folders, platform)));
  }
  const wanted = pattern.toLowerCase();
  return touches.some(({ path, how }) =>
    [comparablePath(pathBelow(path, folders, platform)), comparablePath(path)].some(
      (known) => fitsScope(wanted, known) || (how === "delete" && holdsScope(known, wanted)),
    ),
  );
}

/** A scope is what fits it and all that lies below. */
function fitsScope(pattern: string, path: string): boolean {
  const plain = pattern.replace(/^\//, "");
  const names = path.replace(/^\//, "");
  return fitsPathGlob(plain, names) || fitsPathGlob(`${plain}/**`, names);
}

/** Deleting a folder deletes what the scope is about, too. */
function holdsScope(folder: string, pattern: string): boolean {
  const fixed = pattern.split("/").slice(0, folder.split("/").length).join("/");
  return folder === "" || fitsPathGlob(fixed, folder);
}
