import { assertNever } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { listTouchedNames } from "../../core/commands/command.ts";
import { COMMAND, findTraits } from "../../core/commands/command-traits.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { displayText, isDisplayText } from "../../texts/display-text.ts";
import { getPathBelow, isInside } from "../paths/paths.ts";
import { findProtection } from "../paths/sensitive.ts";
import type { LineFacts } from "../shell/line-facts.ts";
import { addOriginNames, isConfinedToCopy } from "./isolated-considerations.ts";
import { findNewHosts, findShellFacts, maySendDataOut } from "./line-considerations.ts";
import { findDecidingRule, type ShellSubject, type Subject } from "./rule-match.ts";
import { getSavableLine } from "./saved-rules.ts";
import {
  createAllowJudgment,
  createAskJudgment,
  createRefuseJudgment,
  type Judgment,
  type PolicyContext,
} from "./verdict.ts";

const MOST_TOUCHES = 250;
const MOST_HOSTS = 5;
const MOST_FILES = 5;

/** The rule that asks and names the hosts, once the run has read text by others. */
export const ASKS_HOST = "untrusted-text";

/** The rule that asks after files that steer programs were changed. */
export const TAMPERED = "control-files-changed";

/** In an untrusted workspace nothing acts. */
export function judgeUntrustedWorkspace(
  { prepared }: ApprovalRequest,
  { trustedWorkspace }: PolicyContext,
): Judgment | undefined {
  if (trustedWorkspace || prepared.effect === "none" || prepared.effect === "finish") return undefined;
  return createRefuseJudgment("untrusted-workspace", displayText("safety.untrustedWorkspace"));
}

/** A plan that the user asked for needs no approval. */
export function judgeFinishedPlan({ prepared }: ApprovalRequest, { mode }: PolicyContext): Judgment | undefined {
  if (mode !== "plan" || prepared.effect !== "finish") return undefined;
  return createAllowJudgment("rule", "plan-ready", displayText("safety.planReady"));
}

/** While the user waits for a plan, nothing is changed, run or sent, regardless of approvals. */
export function judgeActionBeforePlan({ prepared }: ApprovalRequest, { mode }: PolicyContext): Judgment | undefined {
  if (mode !== "plan" || prepared.effect === "none") return undefined;
  if (prepared.effect === "read" && prepared.shell === undefined) return undefined;
  return createRefuseJudgment("plan-first", displayText("safety.planFirst"));
}

/** If there are too many files to check in a moment, the user decides. */
export function judgeTooManyFiles(request: ApprovalRequest, context: PolicyContext): Judgment | undefined {
  const { prepared, approved } = request;
  if (approved || prepared.touches.length <= MOST_TOUCHES) return undefined;
  if (isConfinedToCopy(request, context)) return undefined;
  return createAskJudgment("too-much", displayText("safety.tooMuch", { count: prepared.touches.length }), true);
}

/** Deny patterns and rules that refuse. */
export function judgeRefusingRules(request: ApprovalRequest, context: PolicyContext): Judgment | undefined {
  const { prepared } = request;
  const named = { ...request, prepared: { ...prepared, touches: addOriginNames(prepared.touches, context) } };
  const verdicts = [judgeByRules(named, context, "deny"), judgeByRules(named, context, "rules")];
  return verdicts.find((verdict) => verdict?.verdict === "refuse");
}

/** The user has seen and edited exactly this call. */
export function judgeUserApproval({ approved }: ApprovalRequest): Judgment | undefined {
  if (!approved) return undefined;
  return createAllowJudgment("user", "your change of the arguments", displayText("safety.approvedByUser"));
}

/** Files that hold secrets or steer programs. */
export function judgeProtectedFile(
  { prepared }: ApprovalRequest,
  { folders, platform }: PolicyContext,
): Judgment | undefined {
  for (const touch of prepared.touches) {
    for (const path of listTouchedNames(touch)) {
      const why = findProtection({ path, how: touch.how }, folders, platform);
      if (why === undefined) continue;
      const isOnlyOne = touch.how === "write" && prepared.touches.length === 1 && path === touch.path;
      const text = isOnlyOne
        ? displayText("safety.protected.this", { why })
        : displayText(`safety.protected.${touch.how}`, { path, why });
      return createAskJudgment("sensitive-file", text, true);
    }
  }
  return undefined;
}

/** Files outside the workspace folders. */
export function judgeOutsideWorkspace(
  { prepared }: ApprovalRequest,
  { folders, platform }: PolicyContext,
): Judgment | undefined {
  for (const touch of prepared.touches) {
    const outside = listTouchedNames(touch).find((path) => !isInside(path, folders, platform));
    if (outside !== undefined)
      return createAskJudgment(
        "outside-workspace",
        displayText(`safety.outside.${touch.how}`, { path: outside }),
        true,
      );
  }
  return undefined;
}

/** The user decides in every mode on calls that can't be judged in advance, or that read something of the user's own. */
export function judgeUserOnlyCall({ prepared }: ApprovalRequest): Judgment | undefined {
  if (!prepared.onlyByUser) return undefined;
  const { rule, reason } = prepared.onlyByUser;
  return createAskJudgment(rule, reason);
}

/** A page of this machine asks no more once the user has allowed its origin: the browser lets nothing of it go elsewhere. */
export function judgeApprovedOrigin(request: ApprovalRequest, context: PolicyContext): Judgment | undefined {
  const { onApprovedOrigin, hosts = [] } = request.prepared;
  if (!onApprovedOrigin) return undefined;
  const allowed = createAllowJudgment(
    "rule",
    "approved-origin",
    displayText("safety.approvedOrigin", { host: hosts.join(", ") }),
  );
  return judgeUserRules(request, context) ?? allowed;
}

/** Once the context contains text by others, everything that could send data out asks; in continuous mode, only new hosts do. */
export function judgeUntrustedText(request: ApprovalRequest, context: PolicyContext): Judgment | undefined {
  if (context.untrusted.length === 0) return undefined;
  const { prepared } = request;
  const isLine = prepared.shell !== undefined;
  const named = (prepared.hosts ?? [])
    .map((host) => host.toLowerCase())
    .filter((host) => !context.hosts.includes(host));
  const isSending = isLine && maySendDataOut(request, context);
  const inLine = isSending ? findNewHosts(request, context) : { hosts: [], isHidden: false };
  const hosts = [...named, ...inLine.hosts];
  const leaves = isLine ? isSending : prepared.effect === "network" || prepared.effect === "run" || hosts.length > 0;
  if (!leaves) return undefined;
  const isContinuous = context.mode === "continuous" && context.continuousLeft > 0;
  if (isContinuous && hosts.length === 0 && !inLine.isHidden) return undefined;
  return createAskJudgment(
    ASKS_HOST,
    hosts.length > 0
      ? displayText("safety.contacts", { hosts: hosts.slice(0, MOST_HOSTS).join(", ") })
      : displayText("safety.sends"),
  );
}

/** A sandboxed line may prepare for the next line by changing files that steer programs. */
export function judgeTamperedControls(
  { prepared }: ApprovalRequest,
  { tampered }: PolicyContext,
): Judgment | undefined {
  if (tampered === undefined || prepared.effect !== "run") return undefined;
  return createAskJudgment(TAMPERED, displayText("safety.tampered", { changes: tampered }), true);
}

/** A program would read the files as they were before the agent's changes, so the user may save them first. */
export function judgeUnsavedChanges(
  { prepared }: ApprovalRequest,
  { unsaved = [], folders, platform }: PolicyContext,
): Judgment | undefined {
  if (unsaved.length === 0 || prepared.effect !== "run") return undefined;
  const named = unsaved.slice(0, MOST_FILES).map((path) => getPathBelow(path, folders, platform));
  const files = named.join(", ");
  const count = unsaved.length - named.length;
  return createAskJudgment(
    "unsaved-changes",
    count > 0 ? displayText("safety.unsavedAndMore", { files, count }) : displayText("safety.unsaved", { files }),
  );
}

/** Two runs that change one file undo each other's work, so the user is notified before anything is changed. */
export function judgeClaimedFile(_request: ApprovalRequest, { claimed }: PolicyContext): Judgment | undefined {
  if (!claimed) return undefined;
  return createAskJudgment("claimed-file", displayText("safety.claimed", { path: claimed.path, task: claimed.by }));
}

/** Deny patterns and the user's rules, whether they allow or not. */
export function judgeUserRules(request: ApprovalRequest, context: PolicyContext): Judgment | undefined {
  return judgeByRules(request, context, "deny") ?? judgeByRules(request, context, "rules");
}

/** Undo can't take back words in the user's name, or effects that calls warn of. Only the user or the user's rule allows such calls. */
export function judgePublishedWords({ prepared }: ApprovalRequest): Judgment | undefined {
  if (prepared.publishes) return createAskJudgment("publishes", displayText("safety.publishes"), true);
  return prepared.warns === undefined ? undefined : createAskJudgment("warned", prepared.warns, true);
}

/** A call that touches nothing needs no approval. Neither does the end of a run, because a message continues it. */
export function judgeHarmlessCall({ prepared }: ApprovalRequest): Judgment | undefined {
  if (prepared.effect === "finish") return createAllowJudgment("rule", "finish", displayText("safety.effect.finish"));
  if (prepared.effect !== "none") return undefined;
  return createAllowJudgment("rule", "no-effect", displayText("safety.noEffect"));
}

export function judgeWorkspaceRead({ prepared }: ApprovalRequest): Judgment | undefined {
  if (prepared.effect !== "read" || prepared.shell !== undefined) return undefined;
  return createAllowJudgment("rule", "reads", displayText("safety.reads"));
}

export function judgeContinuousMode(
  _request: ApprovalRequest,
  { mode, continuousLeft }: PolicyContext,
): Judgment | undefined {
  if (mode !== "continuous" || continuousLeft <= 0) return undefined;
  return createAllowJudgment("continuous", "continuous", displayText("safety.continuous", { count: continuousLeft }));
}

export function grant(_request: ApprovalRequest, { grantLeft }: PolicyContext): Judgment | undefined {
  if (grantLeft <= 0) return undefined;
  return createAllowJudgment("grant", "grant", displayText("safety.granted", { count: grantLeft }));
}

/** Leaves the call to the user, who may save a rule with the answer. */
export function askByEffect(request: ApprovalRequest, context: PolicyContext): Judgment {
  const { rule, reason: byEffect } = EFFECTS[request.prepared.effect];
  const { inLine, notReadOnly } = findShellFacts(request, context) ?? {};
  const teaches = inLine && getSavableLine(inLine.script);
  const found = context.readOnlyShell ? notReadOnly : undefined;
  const isKnown = typeof found === "string" || (found !== undefined && isDisplayText(found));
  const reason = isKnown ? found : byEffect;
  return { ...createAskJudgment(rule, reason), ...omitUndefined({ teaches }) };
}

const EFFECTS = {
  none: { rule: "no-effect", reason: displayText("safety.noEffect") },
  read: { rule: "reads", reason: displayText("safety.effect.read") },
  write: { rule: "writes", reason: displayText("safety.effect.write") },
  run: { rule: "programs", reason: displayText("safety.effect.run") },
  network: { rule: "network", reason: displayText("safety.effect.network") },
  finish: { rule: "finish", reason: displayText("safety.effect.finish") },
} as const;

function judgeByRules(request: ApprovalRequest, context: PolicyContext, which: "deny" | "rules"): Judgment | undefined {
  const rules = context[which];
  const found = rules.length === 0 ? undefined : findDecidingRule(rules, createRuleSubject(request, context));
  if (!found) return undefined;
  const { rule, action, reason } = found;
  switch (action) {
    case "refuse":
      return createRefuseJudgment(rule, reason);
    case "ask":
      return createAskJudgment(rule, reason);
    case "allow":
      return createAllowJudgment("rule", rule, reason);
    default:
      return assertNever(action);
  }
}

function createRuleSubject(request: ApprovalRequest, context: PolicyContext): Subject {
  const { shell, touches, hosts = [] } = request.prepared;
  const { name, args } = request.proposal.call;
  const { folders, platform } = context;
  const lines =
    shell === undefined ? {} : { shell: createShellSubject(shell, findShellFacts(request, context)?.inLine) };
  const subject: Subject = { command: name, args, touches, hosts, folders, platform, ...lines };
  if (shell === undefined || !findTraits(name)?.runsTypedLine) return subject;
  return { ...subject, typed: { ...subject, command: COMMAND.shell, args: { command_line: shell } } };
}

/** Rules that allow see a line only if it consists of plain commands; rules that ask or refuse see every command in it. */
function createShellSubject(line: string, { script, calls }: Partial<LineFacts> = {}): ShellSubject {
  const plain = script?.plain ?? [];
  const isBare =
    plain.length > 0 &&
    plain.every(({ redirects }) => redirects.every(({ target }) => /^(?:\/dev\/null|\$null|[12])$/.test(target.text)));
  return { line, calls, allowable: isBare ? plain.map(({ words }) => words) : undefined };
}
