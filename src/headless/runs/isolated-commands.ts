import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible, escapeInvisibleJson, formatQuantity } from "../../core/base/text.ts";
import type { Choice } from "../../isolation/review/accept.ts";
import type { Review, ReviewedChange } from "../../isolation/review/review.ts";
import { openRun } from "../../runtime/compose-run.ts";
import type { ComposedRun } from "../../runtime/composed-run.ts";
import type { IsolatedRun } from "../../runtime/isolated/isolated-run.ts";
import { describeConflicts } from "../../runtime/run-undo.ts";
import { DisplayError, displayText, writeInEnglish } from "../../texts/display-text.ts";
import type { ProgramEnd } from "../exit-code.ts";
import type { HeadlessHost } from "../host.ts";
import type { RunOptions } from "../options.ts";
import type { Output } from "../output.ts";
import { UsageError } from "../usage-error.ts";
import { keepShown, listUnshownLabels, renderChange } from "./shown-changes.ts";

/** The part of a session that reviews need. */
interface Session {
  readonly options: Pick<RunOptions, "json" | "accept">;
  readonly host: HeadlessHost;
  readonly out: Output;
  readonly around: { readonly signal: AbortSignal };
}

/** Choices of `runs accept`. */
export interface AcceptOptions {
  /** Files to accept, including those that need separate approval; none: all others. */
  readonly files: readonly string[];
  /** Files to accept in the run's version, regardless of the workspace. */
  readonly replaced: readonly string[];
  /** Commit to this new branch instead. */
  readonly branch?: string;
  /** Undo the last accept. */
  readonly isUndo: boolean;
}

/** `autogpt runs changes ID`: the changes of an isolated run, with all texts or, for `--stat`, only with counts. */
export async function showRunChanges(
  session: Session,
  id: string,
  { isStat }: { readonly isStat: boolean },
): Promise<ProgramEnd> {
  return useIsolatedRun(session, id, async (isolation) => {
    const review = await isolation.review(session.around.signal);
    if (isStat) printReview(session, review);
    else await showReview(session, review);
    return { kind: "done" };
  });
}

/** Prints a review with the text of each change, and records that they were shown. */
async function showReview(session: Session, review: Review): Promise<void> {
  const open = review.changes.filter(({ result }) => result !== "same" && result !== "refused");
  const texts = new Map<string, string>();
  if (!session.options.json) printReview(session, review);
  for (const change of open) {
    const text = await renderChange(review, change);
    if (session.options.json) texts.set(change.label, text);
    else session.out.writeLine(`\n${escapeInvisible(renderChangeHead(change))}\n${text}`.trimEnd());
  }
  if (session.options.json) printReview(session, review, texts);
  await keepShown(review, open);
}

function renderChangeHead({ label, kind }: ReviewedChange): string {
  return `${kind} ${formatOnOneLine(label)}:`;
}

/** `autogpt runs accept ID`: writes an isolated run's changes into the workspace or onto a branch. Throws `UsageError`. */
export async function acceptRunChanges(session: Session, id: string, options: AcceptOptions): Promise<ProgramEnd> {
  const { signal } = session.around;
  return useIsolatedRun(session, id, async (isolation, task) => {
    if (options.isUndo) return withdrawChanges(session, isolation);
    const review = await isolation.review(signal);
    const { branch: name } = options;
    const files = [...options.files, ...options.replaced];
    checkNames(review, files);
    await checkShown(review, selectAcceptedLabels(review, options), id);
    if (name !== undefined) {
      const labels = files.length > 0 ? { labels: files } : {};
      const kept = await isolation.keepAsBranch(review, { name, message: task, signal, ...labels });
      session.out.writeLine(
        escapeInvisible(`Committed to the branch ${name}: ${kept.map(formatOnOneLine).join(", ")}.`),
      );
      return { kind: "done" };
    }
    return acceptReviewed(session, isolation, review, options);
  });
}

/** `autogpt runs discard ID`: deletes the copy of an isolated run. */
export async function discardRunCopy(session: Session, id: string): Promise<ProgramEnd> {
  return useIsolatedRun(session, id, async (isolation) => {
    await isolation.discard(session.around.signal);
    session.out.writeLine("The copy and its changes were deleted.");
    return { kind: "done" };
  });
}

/** Prints the changes of an ended isolated run, and accepts them if the command line requests it. */
export async function reviewAtEnd(session: Session, { isolation, id }: ComposedRun): Promise<void> {
  if (!isolation || session.options.json) return;
  const review = await isolation.review(session.around.signal);
  printReview(session, review);
  if (review.changes.length === 0) return;
  if (session.options.accept) await acceptReviewed(session, isolation, review, { files: [], replaced: [] });
  else
    session.out.writeLine(
      `The workspace is unchanged. To see this: runs changes ${id}. Then, to accept it: runs accept ${id}. To throw it away: runs discard ${id}.`,
    );
}

/** Opens an isolated run for an action, and closes it afterward. Throws a sentence for any other run. */
export async function useIsolatedRun<Result>(
  { host }: Pick<Session, "host">,
  id: string,
  act: (isolation: IsolatedRun, task: string) => Promise<Result>,
): Promise<Result> {
  const composed = await openRun(host, await host.store.open(id));
  try {
    if (!composed.isolation) throw new DisplayError(composed.readOnly ?? displayText("isolation.notIsolated"));
    return await act(composed.isolation, composed.run.state.task);
  } finally {
    await composed.dispose();
  }
}

export function printReview(
  { out, options }: Pick<Session, "out" | "options">,
  { changes }: Review,
  texts?: ReadonlyMap<string, string>,
): void {
  if (options.json) {
    for (const { label, kind, result, added, removed, ownYes, ownLines } of changes) {
      const diff = texts?.get(label);
      const row = {
        file: label,
        kind,
        result,
        added,
        removed,
        ownYes,
        ownLines,
        ...omitUndefined({ diff }),
      };
      out.writeLine(escapeInvisibleJson(JSON.stringify(row)));
    }
    return;
  }
  const [added, removed] = [sum(changes, "added"), sum(changes, "removed")];
  out.writeLine(
    changes.length === 0
      ? "Nothing was changed."
      : `${formatQuantity(changes.length, "file")} changed in the copy (+${added} -${removed}):`,
  );
  for (const change of changes) {
    out.writeLine(escapeInvisible(`  ${renderChangeRow(change)}`));
    for (const line of change.ownLines) out.writeLine(escapeInvisible(`    ${line}`));
  }
}

function sum(changes: readonly ReviewedChange[], figure: "added" | "removed"): number {
  return changes.reduce((total, change) => total + change[figure], 0);
}

function renderChangeRow({ label, kind, result, settle, added, removed, ownYes, why }: ReviewedChange): string {
  const way = settle ? " --replace accepts it in place of yours." : "";
  const notes = [
    ...(result === "conflict" ? [`conflict: ${writeInEnglish(why ?? "")}${way}`] : []),
    ...(result === "refused" ? [writeInEnglish(why ?? "")] : []),
    ...(result === "same" ? ["already in the workspace"] : []),
    ...(result === "merged" ? ["merged with your changes"] : []),
    ...(ownYes.length > 0
      ? [
          `accepted only by name: ${ownYes.map((own) => writeInEnglish(displayText(`isolation.own.${own}`)).toLowerCase()).join(", ")}`,
        ]
      : []),
  ];
  return `${kind} ${formatOnOneLine(label)} (+${added} -${removed})${notes.length > 0 ? `; ${notes.join("; ")}` : ""}`;
}

/** Formats a name on one line, since a line end could imitate more rows. */
function formatOnOneLine(name: string): string {
  return /[\n\r\t]/.test(name) ? JSON.stringify(name) : name;
}

function checkNames({ changes }: Review, files: readonly string[]): void {
  const unknown = files.find((file) => !changes.some(({ label }) => label === file));
  if (unknown !== undefined)
    throw new UsageError(`${unknown} isn't a file that the run has changed. "runs changes" lists the files.`);
}

/** Throws if a change to accept hasn't been shown to the user. */
export async function checkShown(review: Review, labels: ReadonlySet<string>, id: string): Promise<void> {
  const [first, ...more] = await listUnshownLabels(review, labels);
  if (first === undefined) return;
  const others = more.length > 0 ? ` and ${formatQuantity(more.length, "other")}` : "";
  throw new UsageError(
    escapeInvisible(
      `The change of ${formatOnOneLine(first)}${others} hasn't been shown as it is now. See it first: runs changes ${id}`,
    ),
  );
}

/** The labels of the changes that a command line accepts. */
export function selectAcceptedLabels(
  { changes }: Review,
  { files, replaced, branch }: Pick<AcceptOptions, "files" | "replaced" | "branch">,
): ReadonlySet<string> {
  const isOrdinary = ({ ownYes, result }: ReviewedChange): boolean =>
    ownYes.length === 0 && (result === "taken" || result === "merged");
  if (files.length + replaced.length > 0) return new Set([...files, ...replaced]);
  const all = changes.filter((change) => (branch === undefined ? isOrdinary(change) : change.result !== "refused"));
  return new Set(all.map(({ label }) => label));
}

export async function acceptReviewed(
  { out }: Pick<Session, "out">,
  isolation: IsolatedRun,
  review: Review,
  options: Pick<AcceptOptions, "files" | "replaced">,
): Promise<ProgramEnd> {
  const choices = new Map<string, Choice>([...selectAcceptedLabels(review, options)].map((label) => [label, "result"]));
  for (const label of options.replaced) choices.set(label, "run");
  const accepted = await isolation.accept(review, choices);
  const left = review.changes.filter(
    ({ label, result }) => result !== "same" && !accepted.files.includes(label),
  ).length;
  out.writeLine(escapeInvisible(`Accepted: ${accepted.files.map(formatOnOneLine).join(", ") || "nothing"}.`));
  for (const { label, why } of accepted.conflicts)
    out.writeLine(escapeInvisible(`Left out: ${formatOnOneLine(label)}. ${writeInEnglish(why)}`));
  if (left > 0) out.writeLine(`${formatQuantity(left, "file")} of the copy not accepted.`);
  return accepted.conflicts.length > 0 ? { kind: "problem" } : { kind: "done" };
}

async function withdrawChanges({ out }: Session, isolation: IsolatedRun): Promise<ProgramEnd> {
  const done = await isolation.withdraw();
  const files = [...new Set(done.steps.flatMap((step) => step.files))];
  out.writeLine(escapeInvisible(`Undid the accepted changes to: ${files.join(", ") || "nothing"}.`));
  const left = describeConflicts(done);
  if (left !== undefined) out.writeLine(escapeInvisible(writeInEnglish(left)));
  return left === undefined ? { kind: "done" } : { kind: "problem" };
}
