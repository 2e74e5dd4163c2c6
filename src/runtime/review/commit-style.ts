import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { isBelow } from "../../disk/below.ts";
import { expandHomePath } from "../../disk/home-path.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { mayHoldSecrets } from "../../safety/paths/sensitive.ts";
import type { ReadRepository } from "./change-set.ts";

/** How the messages of a repository's commits are written. */
export interface CommitStyle {
  /** Recent messages, the user's own first. */
  readonly examples: readonly string[];
  /** The text that the repository's template begins messages with; "" if there is none. */
  readonly template: string;
}

const MOST_LOGGED = 60;
const MOST_EXAMPLES = 20;
const LONGEST_EXAMPLE = 600;
const [FIELD, RECORD] = ["\x1f", "\x1e"];

/** Reads the style from the last commits and from git's settings. */
export async function readCommitStyle(repository: ReadRepository): Promise<CommitStyle> {
  const [settings, log] = await Promise.all([readSettings(repository), readLog(repository)]);
  const author = settings.get("user.email")?.value.toLowerCase() ?? "";
  const own = log.filter(({ email }) => email === author);
  const others = log.filter(({ email }) => email !== author);
  const examples = [...own, ...others].slice(0, MOST_EXAMPLES).map(({ message }) => message);
  return { examples, template: await readTemplate(repository.root, settings.get("commit.template")) };
}

const TYPE = /^(?:feat|fix|docs|test|refactor|chore|style|perf|build|ci)(?:\([^)\n]*\))?!?: /;
const AREA = /^[^\s:][^:\n]{0,40}: /;

/** Languages that their script shows. */
const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "Japanese"],
  [/\p{Script=Hangul}/u, "Korean"],
  [/\p{Script=Han}/u, "Chinese"],
];

/** The common form of most messages, for small models, which don't see it by themselves; "" if there are none. */
export function describeForm(examples: readonly string[]): string {
  if (examples.length === 0) return "";
  const isUsual = (test: (message: string) => boolean): boolean => examples.filter(test).length * 2 > examples.length;
  const prefix = isUsual((message) => TYPE.test(message))
    ? "begins with a type, such as feat, fix, docs, test or refactor, as the recent ones do"
    : isUsual((message) => AREA.test(message))
      ? "begins with the changed area and a colon, as the recent ones do"
      : "has no prefix";
  const length = isUsual((message) => message.includes("\n")) ? "a line and a body" : "a single line";
  const [, language = "the language of the recent ones"] =
    LANGUAGES.find(([script]) => isUsual((message) => script.test(message))) ?? [];
  return `It is ${length} in ${language}, and ${prefix}. It says what this change does; the recent ones are about other changes.`;
}

const MOST_SUBJECTS = 5;

/** The messages for small models, which take a whole one for the answer: subjects, of which a prefix shows the first alone. */
export function hideWords(examples: readonly string[]): readonly string[] {
  const subjects = examples.map((message) => message.split("\n")[0] ?? "");
  const [first = "", ...others] = subjects;
  const prefixes = others.flatMap((subject) => (TYPE.exec(subject) ?? AREA.exec(subject) ?? [])[0] ?? []);
  if (prefixes.length * 2 <= others.length) return subjects.slice(0, MOST_SUBJECTS);
  return [first, ...[...new Set(prefixes)].map((prefix) => `${prefix}…`)];
}

async function readLog({ git }: ReadRepository) {
  const format = `--format=%ae${FIELD}%B${RECORD}`;
  const answer = await git(["log", "--no-merges", "--no-show-signature", "--no-color", `-n${MOST_LOGGED}`, format]);
  // Without a commit there is no log.
  if (!answer.ok) return [];
  return answer.text.split(RECORD).flatMap((record) => {
    const [email = "", message = ""] = record.split(FIELD);
    const text = message.trim();
    if (text === "") return [];
    const cut = text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE).trimEnd()} […]` : text;
    return [{ email: email.trim().toLowerCase(), message: cut }];
  });
}

interface GitValue {
  /** `system`, `global`, `local` or `worktree`. */
  readonly scope: string;
  readonly value: string;
}

async function readSettings({ git }: ReadRepository): Promise<ReadonlyMap<string, GitValue>> {
  const answer = await git(["config", "--show-scope", "-z", "--get-regexp", "^(user\\.email|commit\\.template)$"]);
  const fields = answer.ok ? answer.text.split("\0") : [];
  const found = new Map<string, GitValue>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = "", ...value] = (fields[at + 1] ?? "").split("\n");
    found.set(name, { scope: fields[at] ?? "", value: value.join("\n") });
  }
  return found;
}

/** The template's text. A repository's own settings may only name a file in it, since their author may be someone else. */
async function readTemplate(root: string, setting: GitValue | undefined): Promise<string> {
  if (!setting || setting.value === "") return "";
  const named = expandHomePath(setting.value);
  const path = await realpath(isAbsolute(named) ? named : resolve(root, named)).catch(() => undefined);
  if (path === undefined) return "";
  const isOwn = setting.scope === "local" || setting.scope === "worktree";
  if (isOwn && !isBelow(path, root)) return "";
  if (mayHoldSecrets(isBelow(path, root) ? relative(root, path) : relative(join(path, "../.."), path))) return "";
  return stripComments(await readFileText(path, MOST_MESSAGE_BYTES).catch(() => ""));
}

/** The message that git has prepared for a merge or a squash in progress; "" if there is none. */
export async function readPreparedMessage(gitFolder: string): Promise<string> {
  for (const name of ["MERGE_MSG", "SQUASH_MSG"]) {
    const text = await readFileText(join(gitFolder, name), MOST_MESSAGE_BYTES).catch(() => "");
    if (text.trim() !== "") return stripComments(text);
  }
  return "";
}

const MOST_MESSAGE_BYTES = 20_000;

/** A prepared message without the lines that git drops. */
function stripComments(text: string): string {
  return text.replace(/^[ \t]*#.*$\n?/gm, "").trim();
}
