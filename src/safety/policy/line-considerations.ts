import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { displayText } from "../../texts/display-text.ts";
import { explainDestructiveCode, explainDestructiveText } from "../shell/destructive.ts";
import { explainCodeProblem } from "../shell/inline-code.ts";
import { mentionInCode } from "../shell/mentions.ts";
import { findOutsidePlaceInCode } from "../shell/writes-outside.ts";
import {
  type Consideration,
  createAllowJudgment,
  createAskJudgment,
  createRefuseJudgment,
  type PolicyContext,
} from "./verdict.ts";

/** Lines and code that are refused in every mode. */
export const judgeDestructiveLine: Consideration = ({ prepared, proposal }, context) => {
  if (prepared.effect !== "run" && prepared.shell === undefined) return undefined;
  const inLine = context.shell?.inLine;
  const { code } = proposal.call.args;
  const why =
    (inLine ? inLine.refusal : explainDestructiveText(prepared.shell ?? "")) ??
    (typeof code === "string" ? explainDestructiveCode(code) : undefined);
  return why === undefined
    ? undefined
    : createRefuseJudgment("destructive", displayText("safety.destructive", { why }));
};

/** A line that can't be parsed asks in every mode. */
export const judgeUnreadableLine: Consideration = ({ prepared }, { shell }) => {
  if (prepared.shell === undefined) return undefined;
  if (shell?.line !== prepared.shell) return createAskJudgment("unreadable-line", displayText("safety.unanalyzed"));
  if (shell.reading.kind === "script") return undefined;
  return createAskJudgment("unreadable-line", displayText("safety.unreadable", { why: shell.reading.why }));
};

/** A line whose deletions can't be determined, or that shuts down the machine, asks in every mode. */
export const judgeDoubtfulLine: Consideration = ({ prepared }, context) => {
  const doubt = prepared.shell === undefined ? undefined : context.shell?.inLine?.doubt;
  return doubt === undefined ? undefined : createAskJudgment("doubtful-line", doubt, true);
};

/** A line that names a protected file asks in every mode, unless it only reads files without secrets. */
export const judgeProtectedFileInLine: Consideration = ({ prepared }, context) => {
  const inLine = context.shell?.inLine;
  if (prepared.shell === undefined || !inLine || context.shell?.notReadOnly === undefined) return undefined;
  const mention = inLine.mention ?? context.shell.linked;
  if (!mention) {
    const { reaches } = context.shell;
    return reaches === undefined || context.sandbox !== undefined
      ? undefined
      : createAskJudgment("sensitive-file", reaches, true);
  }
  return createAskJudgment(
    "sensitive-file",
    displayText("safety.namesProtected", { file: mention.text, why: mention.why }),
    true,
  );
};

/** Code that names a protected file asks in every mode, as a line does. */
export const judgeProtectedFileInCode: Consideration = ({ prepared, proposal }) => {
  const { code } = proposal.call.args;
  const mention = prepared.effect === "run" && typeof code === "string" ? mentionInCode(code) : undefined;
  return (
    mention &&
    createAskJudgment(
      "sensitive-file",
      displayText("safety.codeNamesProtected", { file: mention.text, why: mention.why }),
      true,
    )
  );
};

/** A line that names a file which the user's ignore file excludes asks in every mode. */
export const judgeIgnoredFileInLine: Consideration = ({ prepared }, { shell }) => {
  if (shell?.line !== prepared.shell || shell?.ignored?.by !== "agent") return undefined;
  return createAskJudgment("out-of-bounds", displayText("safety.outOfBounds", { file: shell.ignored.name }), true);
};

/** A line that the user has saved as always allowed. */
export const judgeSavedLine: Consideration = ({ prepared }, { savedLine }) => {
  if (prepared.shell === undefined || savedLine === undefined) return undefined;
  return createAllowJudgment("rule", "taught", displayText("safety.savedLine", { line: JSON.stringify(savedLine) }));
};

/** A line that only reads, if the user lets such lines run. */
export const readOnlyLine: Consideration = ({ prepared }, { readOnlyShell, shell }) => {
  const isRead = prepared.shell !== undefined && shell?.line === prepared.shell;
  if (!readOnlyShell || !isRead || shell.notReadOnly !== undefined) return undefined;
  return createAllowJudgment("rule", "read-only-shell", displayText("safety.readOnly"));
};

/** A line that the sandbox confines. */
export const judgeSandboxedLine: Consideration = ({ prepared }, context) => {
  const inLine = context.shell?.inLine;
  if (prepared.shell === undefined || context.sandbox !== "trusted" || !inLine || inLine.deletesWork) return undefined;
  return createAllowJudgment("rule", "sandbox", displayText("safety.sandboxed"));
};

/** A call asks if it's listed in the table of calls that ask in every mode, unless a rule or a saved line allows it. */
export const judgeFarReachingCall: Consideration = ({ prepared, proposal }, context) => {
  const code = getCallCode(prepared, proposal.call.args);
  const inCode = code === undefined ? undefined : explainCodeProblem(code);
  if (inCode !== undefined)
    return createAskJudgment("far-reaching", displayText("safety.line.codeReaches", { effect: inCode }), true);
  const isHarmless = context.savedLine !== undefined || context.shell?.notReadOnly === undefined;
  const why =
    context.startedByCode ?? (prepared.shell === undefined || isHarmless ? undefined : context.shell?.inLine?.farReach);
  return why === undefined ? undefined : createAskJudgment("far-reaching", why, true);
};

/** A line or code that openly uses a place outside the workspace asks, unless a rule allows it or a sandbox prevents it. */
export const judgeWritesOutside: Consideration = ({ prepared, proposal }, context) => {
  if (context.sandbox !== undefined) return undefined;
  const { folders, platform } = context;
  const ground = { folders, platform, starts: prepared.cwd === undefined ? folders : [prepared.cwd] };
  const code = getCallCode(prepared, proposal.call.args);
  const named = code === undefined ? undefined : findOutsidePlaceInCode(code, ground);
  if (named !== undefined)
    return createAskJudgment("outside-workspace", displayText("safety.codeNamesOutside", { file: named }), true);
  const inLine = context.shell?.inLine;
  if (prepared.shell === undefined || !inLine) return undefined;
  const linked = context.shell?.linkedOutside;
  const place = inLine.outside ?? (linked === undefined ? undefined : { file: linked, how: "writes" });
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
export function maySendDataOut(context: PolicyContext): boolean {
  const readsOnly = context.shell !== undefined && context.shell.notReadOnly === undefined;
  return !readsOnly && context.sandbox === undefined;
}

/** The hosts that a line names and the user has not allowed, and whether it contacts a host that it doesn't name. */
export function findNewHosts(context: PolicyContext): {
  readonly hosts: readonly string[];
  readonly isHidden: boolean;
} {
  const inLine = context.shell?.inLine;
  if (!inLine) return { hosts: [], isHidden: false };
  const { hosts, isHidden, sends } = inLine.hosts;
  return { hosts: hosts.filter((host) => !context.hosts.includes(host)), isHidden: isHidden || sends };
}
