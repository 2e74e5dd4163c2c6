import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { displayText } from "../../texts/display-text.ts";
import type { OutgoingHosts } from "../provenance/hosts.ts";
import { explainDestructiveCode, explainDestructiveText } from "../shell/destructive.ts";
import { explainCodeProblem } from "../shell/inline-code.ts";
import { mentionInCode } from "../shell/mentions.ts";
import { findOutsidePlaceInCode } from "../shell/writes-outside.ts";
import type { ShellFacts } from "./shell-facts.ts";
import {
  type Consideration,
  createAllowJudgment,
  createAskJudgment,
  createRefuseJudgment,
  type PolicyContext,
} from "./verdict.ts";

/** The facts about a call's line; absent if it has none, or if they are about another line. */
export function findShellFacts({ prepared }: ApprovalRequest, { shell }: PolicyContext): ShellFacts | undefined {
  return shell?.line === prepared.shell ? shell : undefined;
}

/** Lines and code that are refused in every mode. */
export const judgeDestructiveLine: Consideration = (request, context) => {
  const { prepared, proposal } = request;
  if (prepared.effect !== "run" && prepared.shell === undefined) return undefined;
  const inLine = findShellFacts(request, context)?.inLine;
  const { code } = proposal.call.args;
  const why =
    (inLine ? inLine.refusal : explainDestructiveText(prepared.shell ?? "")) ??
    (typeof code === "string" ? explainDestructiveCode(code) : undefined);
  return why === undefined
    ? undefined
    : createRefuseJudgment("destructive", displayText("safety.destructive", { why }));
};

/** A line that can't be parsed asks in every mode. */
export const judgeUnreadableLine: Consideration = (request, context) => {
  if (request.prepared.shell === undefined) return undefined;
  const { inLine, notReadOnly: why } = findShellFacts(request, context) ?? {};
  if (inLine) return undefined;
  const reason = why === undefined ? displayText("safety.unanalyzed") : displayText("safety.unreadable", { why });
  return createAskJudgment("unreadable-line", reason);
};

/** A line whose deletions can't be determined, or that shuts down the machine, asks in every mode. */
export const judgeDoubtfulLine: Consideration = (request, context) => {
  const doubt = findShellFacts(request, context)?.inLine?.doubt;
  return doubt === undefined ? undefined : createAskJudgment("doubtful-line", doubt, true);
};

/** A line that names a protected file asks in every mode, unless it only reads files without secrets. */
export const judgeProtectedFileInLine: Consideration = (request, context) => {
  const { inLine, notReadOnly, linked, reaches } = findShellFacts(request, context) ?? {};
  if (!inLine || notReadOnly === undefined) return undefined;
  const { text: file, why } = inLine.mention ?? linked ?? {};
  const unconfined = context.sandbox === undefined ? reaches : undefined;
  const reason =
    file === undefined || why === undefined ? unconfined : displayText("safety.namesProtected", { file, why });
  return reason && createAskJudgment("sensitive-file", reason, true);
};

/** Code that names a protected file asks in every mode, as a line does. */
export const judgeProtectedFileInCode: Consideration = ({ prepared, proposal }) => {
  const { code } = proposal.call.args;
  const mention = prepared.effect === "run" && typeof code === "string" ? mentionInCode(code) : undefined;
  if (!mention) return undefined;
  const { text: file, why } = mention;
  return createAskJudgment("sensitive-file", displayText("safety.codeNamesProtected", { file, why }), true);
};

/** A line that names a file which the user's ignore file excludes asks in every mode. */
export const judgeIgnoredFileInLine: Consideration = (request, context) => {
  const { ignored } = findShellFacts(request, context) ?? {};
  if (ignored?.by !== "agent") return undefined;
  return createAskJudgment("out-of-bounds", displayText("safety.outOfBounds", { file: ignored.name }), true);
};

/** A line that the user has saved as always allowed. */
export const judgeSavedLine: Consideration = ({ prepared }, { savedLine }) => {
  if (prepared.shell === undefined || savedLine === undefined) return undefined;
  return createAllowJudgment("rule", "taught", displayText("safety.savedLine", { line: JSON.stringify(savedLine) }));
};

/** A line that only reads, if the user lets such lines run. */
export const readOnlyLine: Consideration = (request, context) => {
  const facts = findShellFacts(request, context);
  if (!context.readOnlyShell || !facts || facts.notReadOnly !== undefined) return undefined;
  return createAllowJudgment("rule", "read-only-shell", displayText("safety.readOnly"));
};

/** A line that the sandbox confines. */
export const judgeSandboxedLine: Consideration = (request, context) => {
  const inLine = findShellFacts(request, context)?.inLine;
  if (context.sandbox !== "trusted" || !inLine || inLine.deletesWork) return undefined;
  return createAllowJudgment("rule", "sandbox", displayText("safety.sandboxed"));
};

/** A call asks if it's listed in the table of calls that ask in every mode, unless a rule or a saved line allows it. */
export const judgeFarReachingCall: Consideration = (request, context) => {
  const code = getCallCode(request.prepared, request.proposal.call.args);
  const inCode = code === undefined ? undefined : explainCodeProblem(code);
  if (inCode !== undefined)
    return createAskJudgment("far-reaching", displayText("safety.line.codeReaches", { effect: inCode }), true);
  const { inLine, notReadOnly } = findShellFacts(request, context) ?? {};
  const isHarmless = context.savedLine !== undefined || notReadOnly === undefined;
  const why = context.startedByCode ?? (isHarmless ? undefined : inLine?.farReach);
  return why === undefined ? undefined : createAskJudgment("far-reaching", why, true);
};

/** A line or code that openly uses a place outside the workspace asks, unless a rule allows it or a sandbox prevents it. */
export const judgeWritesOutside: Consideration = (request, context) => {
  const { sandbox, folders, platform } = context;
  if (sandbox !== undefined) return undefined;
  const { prepared, proposal } = request;
  const ground = { folders, platform, starts: prepared.cwd === undefined ? folders : [prepared.cwd] };
  const code = getCallCode(prepared, proposal.call.args);
  const named = code === undefined ? undefined : findOutsidePlaceInCode(code, ground);
  if (named !== undefined)
    return createAskJudgment("outside-workspace", displayText("safety.codeNamesOutside", { file: named }), true);
  const { inLine, linkedOutside } = findShellFacts(request, context) ?? {};
  const place = inLine?.outside ?? (linkedOutside === undefined ? undefined : { file: linkedOutside, how: "writes" });
  if (!place) return undefined;
  const { file, how } = place;
  return createAskJudgment(
    "outside-workspace",
    how === "writes" ? displayText("safety.writesOutside", { file }) : displayText("safety.codeNamesOutside", { file }),
    true,
  );
};

/** The code that a call passes as text. */
export function getCallCode(
  { effect }: ApprovalRequest["prepared"],
  { code }: Readonly<Record<string, unknown>>,
): string | undefined {
  return effect === "run" && typeof code === "string" ? code : undefined;
}

/** True when a line may send data out: it does more than read, and no sandbox confines it. */
export function maySendDataOut(request: ApprovalRequest, context: PolicyContext): boolean {
  const facts = findShellFacts(request, context);
  return context.sandbox === undefined && (!facts || facts.notReadOnly !== undefined);
}

/** The hosts that a line names and the user has not allowed, and whether it contacts a host that it doesn't name. */
export function findNewHosts(
  request: ApprovalRequest,
  context: PolicyContext,
): Pick<OutgoingHosts, "hosts" | "isHidden"> {
  const { inLine } = findShellFacts(request, context) ?? {};
  if (!inLine) return { hosts: [], isHidden: false };
  const { hosts, isHidden, sends } = inLine.hosts;
  return { hosts: hosts.filter((host) => !context.hosts.includes(host)), isHidden: isHidden || sends };
}
