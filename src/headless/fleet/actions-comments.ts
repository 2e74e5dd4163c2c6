import type { TalkComment } from "../../code-host/github-talk.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import type { FleetKey } from "../../fleet/key.ts";
import type { FleetBinding } from "../../schema/fleet/decisions.ts";
import { isFleetBinding } from "../../schema/host-validators.ts";

/** GitHub's limit for a comment is 65,536 characters. */
const LONGEST_TEXT = 50_000;
const HASH_LENGTH = 8;
const PURPOSE = "question on GitHub";
const MARK = /<!-- autogpt ([\w-]+) -->\s*$/;

/** Where a question is asked. A question that was copied to another issue doesn't count there. */
export interface QuestionPlace {
  /** As `owner/name`. */
  readonly repository: string;
  readonly issue: number;
  readonly key: FleetKey;
}

/** Something that waits for a person. */
export interface JobQuestion {
  readonly binding: FleetBinding;
  /** `continue`: whether the work should, which is asked outside the run. */
  readonly kind: "proposal" | "question" | "continue";
  /** All that the person decides about. */
  readonly text: string;
  /** Why an answer that was given didn't count. */
  readonly refusal?: string;
}

/** A question that was asked in a comment, as the fleet's key proves it. */
export interface IssueQuestion {
  readonly binding: FleetBinding;
  readonly kind: JobQuestion["kind"];
  /** False if the comment couldn't show all of it, so that a yes wouldn't be for what was seen. */
  readonly isWhole: boolean;
}

/** The comment that asks a question: all that the person decides about, how to answer, and the question itself, encrypted. */
export function renderQuestionComment(question: JobQuestion, place: QuestionPlace): string {
  const { binding, kind, text, refusal } = question;
  const isWhole = text.length <= LONGEST_TEXT;
  const hash = binding.hash.slice(0, HASH_LENGTH);
  const shown = isWhole ? text : `${text.slice(0, LONGEST_TEXT)}\n[The rest is too long for a comment.]`;
  return [
    ...(refusal === undefined ? [] : [`The last answer didn't count. ${refusal}`]),
    `**AutoGPT asks** (run \`${binding.run}\`)`,
    fenceText(shown),
    renderWays(kind, isWhole, hash, new Date(binding.expiresMs).toISOString().slice(0, 16)),
    renderMark({ binding, kind, isWhole }, place),
  ].join("\n\n");
}

/** The question itself, for the program alone. */
function renderMark(asked: IssueQuestion, { key, repository, issue }: QuestionPlace): string {
  const text = JSON.stringify({ ...asked, repository, issue });
  return `<!-- autogpt ${key.encrypt(PURPOSE, Buffer.from(text)).toString("base64url")} -->`;
}

/** Ends a comment so that the earlier questions of the run can't be answered any more. */
export function closeQuestions(
  text: string,
  { binding, kind }: Pick<JobQuestion, "binding" | "kind">,
  place: QuestionPlace,
): string {
  return `${text}\n\n${renderMark({ binding, kind, isWhole: false }, place)}`;
}

function renderWays(kind: JobQuestion["kind"], isWhole: boolean, hash: string, expiry: string): string {
  const yes = `- \`/autogpt yes ${hash}\``;
  const no = `- \`/autogpt no ${hash}\`, with a reason behind it if you like`;
  const words = `- \`/autogpt ${hash}\` and your words`;
  const ways = {
    proposal: isWhole ? [yes, no, words] : [no, words],
    question: [words, yes, no],
    continue: [yes],
  }[kind];
  const more = isWhole ? "" : " What it proposes can't be shown here as a whole, so it can't be approved here.";
  return `Whoever may push to this repository can answer with a new comment until ${expiry.replace("T", " ")} UTC.${more}\n${ways.join("\n")}`;
}

/** Text between fences that don't occur in it. Nothing in it is a mention, a link or a picture. */
export function fenceText(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/~+/g)].map(([run]) => run.length));
  const fence = "~".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/**
 * Finds the question that an answer names. Only the newest question of a run is open, and only to answers that were written after it: a run
 * could look for a second proposal whose hash begins in the same way. All comments are searched, because only a machine with the fleet's
 * key can have written a question.
 */
export function findAskedQuestion(
  comments: readonly TalkComment[],
  answer: { readonly hash: string; readonly comment: number },
  place: QuestionPlace,
): IssueQuestion | undefined {
  const read = (all: readonly TalkComment[]) => all.flatMap(({ body }) => readAskedQuestion(body, place) ?? []);
  const posted = read(comments);
  const named = read(comments.filter(({ id }) => id < answer.comment))
    .filter(({ binding }) => binding.hash.startsWith(answer.hash))
    .sort((one, other) => other.binding.attempt - one.binding.attempt);
  const [newest] = named;
  if (named.some(({ binding }) => binding.hash !== newest?.binding.hash)) return undefined;
  const isOpen = posted.every(
    ({ binding: { run, attempt } }) => run !== newest?.binding.run || attempt <= newest.binding.attempt,
  );
  return isOpen && (newest?.isWhole || newest?.kind !== "continue") ? newest : undefined;
}

function readAskedQuestion(body: string, { key, repository, issue }: QuestionPlace): IssueQuestion | undefined {
  const [, mark] = MARK.exec(body) ?? [];
  if (mark === undefined) return undefined;
  try {
    const posted = tryJson(key.decrypt(PURPOSE, Buffer.from(mark, "base64url")).toString());
    if (!isObject(posted) || posted.repository !== repository || posted.issue !== issue) return undefined;
    const { binding, kind, isWhole } = posted;
    const isKind = kind === "proposal" || kind === "question" || kind === "continue";
    return isKind && isFleetBinding(binding) ? { binding, kind, isWhole: isWhole === true } : undefined;
  } catch {
    return undefined;
  }
}
