import { isAbsolute, join } from "node:path";
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk";
import { isObject } from "../../core/base/json.ts";
import { cutMiddle, escapeForApproval, escapeInvisible } from "../../core/base/text.ts";
import { COMMAND, findTraits } from "../../core/commands/command-traits.ts";
import { getOutcomeText, hasProgramFailed, type Outcome } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import { createStepLine } from "../../core/events/step-line.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { Call } from "../../core/reply/reply.ts";
import { describeHiddenChanges, describeMissingLines } from "../../editor/review/hidden-changes.ts";
import { type Sentence, writeInEnglish } from "../../texts/display-text.ts";
import { renderApprovalCard } from "../display.ts";

/** Outcomes are cut to this; the run's log has all of it. */
const LONGEST_OUTCOME = 10_000;

const KIND_BY_READS: Readonly<Record<string, ToolKind>> = {
  file: "read",
  search: "search",
  state: "read",
  once: "read",
};

const KIND_BY_ROLE: Readonly<Record<string, ToolKind>> = {
  [COMMAND.delete]: "delete",
  [COMMAND.move]: "move",
  [COMMAND.shell]: "execute",
  [COMMAND.tests]: "execute",
};

/** The kind of call that an editor shows, by its command. */
export function getToolKind({ name }: Pick<Call, "name">): ToolKind {
  const traits = findTraits(name);
  if (!traits) return "other";
  const known = KIND_BY_ROLE[name] ?? (traits.changes ? "edit" : KIND_BY_READS[traits.reads ?? ""]);
  if (known) return known;
  if (traits.isIdle) return "think";
  if (traits.page || /^(web_|get_hyperlinks$|call_api$|download_file$)/.test(name)) return "fetch";
  return traits.keepsOutput || /^(execute|run)_/.test(name) ? "execute" : "other";
}

/** A step as an editor shows it. `agent`: the name of the sub-agent that does it. */
export function describeStep(
  step: StepView,
  folder: string,
  agent: string | undefined,
): Pick<ToolCall, "title" | "kind" | "locations" | "rawInput"> {
  const call = step.began ?? (step.reply?.kind === "proposal" ? step.reply.call : undefined);
  const line = createStepLine(step, false);
  const title = [line.title, ...(step.outcome && line.summary ? [line.summary] : [])].map(writeOnOneLine).join(" — ");
  return {
    title: agent === undefined ? title : `${agent}: ${title}`,
    kind: call ? getToolKind(call) : "other",
    ...(call ? { locations: listLocations(call, step.outcome, folder), rawInput: call.args } : {}),
  };
}

/** A title, which an editor may draw as Markdown. */
export function writeOnOneLine(text: Sentence): string {
  return stopPictures(escapeInvisible(writeInEnglish(text).replace(/\s+/g, " ").trim()));
}

/** Markdown without pictures. An editor could load them from anywhere, with what the model knows in their addresses. */
export function stopPictures(text: string): string {
  return text.replaceAll("![", "!\\[");
}

/** The files that a call is about. */
function listLocations({ args }: Call, outcome: Outcome | undefined, folder: string): ToolCallLocation[] {
  const more = Array.isArray(args.files) ? args.files : [];
  const named = [args.filename, args.source, args.destination, ...more].flatMap((one) => {
    const [file, line] = isObject(one) ? [one.filename, one.start_line] : [one, args.start_line];
    return typeof file === "string" ? [{ file, line: typeof line === "number" ? line : undefined }] : [];
  });
  const changed = outcome?.status === "done" ? (outcome.files ?? []) : [];
  const files = changed.length > 0 ? changed : named.filter(({ file }) => !/^output:\d+$/.test(file));
  return files.map(({ file, line }) => ({
    path: isAbsolute(file) ? file : join(folder, file),
    ...(line === undefined ? {} : { line }),
  }));
}

/** Text that no Markdown in it can leave. */
export function createTextContent(text: string): ToolCallContent {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return { type: "content", content: { type: "text", text: `${fence}\n${text}\n${fence}` } };
}

/** Everything that a proposal would do. A change is a diff, with what a diff doesn't mark in words. */
export function createProposalContent(request: ApprovalRequest): ToolCallContent[] {
  const { preview } = request.prepared;
  if (preview.kind !== "change") return [createTextContent(renderApprovalCard(request))];
  const { target, before, after } = preview;
  const influence = writeInEnglish(request.why?.influence ?? "");
  const isPlainReason = request.why?.text?.code.startsWith("safety.effect.") !== false;
  const remarks = [
    ...(request.why && !isPlainReason ? [`Asked because: ${request.why.reason}`] : []),
    ...(influence === "" ? [] : [influence]),
    ...(before === undefined ? [] : [...describeHiddenChanges(before, after), ...describeMissingLines(before, after)]),
  ].map(escapeInvisible);
  const isPlain = escapeForApproval(after) === after;
  return [
    { type: "diff", path: target, oldText: before ?? null, newText: after },
    ...(isPlain ? [] : [createTextContent(renderApprovalCard(request))]),
    ...(remarks.length > 0 ? [createTextContent(remarks.join("\n"))] : []),
  ];
}

/** The changes of a call that wrote a new file or replaced texts, as far as its arguments have them. */
function listCallDiffs({ began, reply, outcome }: StepView, folder: string): readonly ToolCallContent[] {
  const call = began ?? (reply?.kind === "proposal" ? reply.call : undefined);
  if (!call || outcome?.status !== "done" || typeof call.args.filename !== "string") return [];
  const { filename, contents, edits } = call.args;
  const path = isAbsolute(filename) ? filename : join(folder, filename);
  const createDiff = (oldText: unknown, newText: unknown): readonly ToolCallContent[] =>
    (typeof oldText === "string" || oldText === null) && typeof newText === "string"
      ? [{ type: "diff", path, oldText, newText }]
      : [];
  if (call.name === COMMAND.write) return outcome.files?.[0]?.change === "created" ? createDiff(null, contents) : [];
  if (call.name !== COMMAND.edit) return [];
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [call.args];
  return all.flatMap((edit) => (isObject(edit) ? createDiff(edit.search, edit.replace) : []));
}

/** The end of a step: whether it succeeded, and its outcome. A change has its proposal's diff or, if no one was asked, that of its call. */
export function describeStepEnd(
  step: StepView,
  asked: readonly ToolCallContent[],
  folder: string,
): Omit<ToolCallUpdate, "toolCallId"> {
  const { outcome, also = [] } = step;
  const diffs = asked.length > 0 ? asked : listCallDiffs(step, folder);
  const all = outcome ? [outcome, ...also] : [];
  const isGood = all.every((one) => (one.status === "done" && !hasProgramFailed(one)) || one.status === "finished");
  const texts = all.map((one) => escapeInvisible(getOutcomeText(one))).filter((text) => text.trim() !== "");
  const room = LONGEST_OUTCOME / Math.max(1, texts.length);
  return {
    status: isGood ? "completed" : "failed",
    content: [
      ...(outcome?.status === "done" ? diffs : []),
      ...texts.map((text) => createTextContent(cutMiddle(text, room, "\n[…]\n"))),
    ],
  };
}
