import { namesOf } from "../../core/commands/command.ts";
import type { ApprovalRequest } from "../../core/ports/model.ts";
import { isInside, pathBelow } from "../paths/paths.ts";
import { protectionOf } from "../paths/sensitive.ts";
import { everyCommand } from "../shell/reading.ts";
import {
  destructiveLine,
  harmlessLine,
  lineLeaves,
  newHosts,
  outOfBounds,
  protectedInCode,
  protectedInLine,
  reachesFar,
  scriptOf,
  unreadableLine,
  writesOutside,
} from "./line-considerations.ts";
import { decidingRule, type ShellSubject, type Subject } from "./rule-match.ts";
import { savableLine } from "./saved-rules.ts";
import { allows, asks, type Consideration, type PolicyContext, refuses, type Verdict } from "./verdict.ts";

/** The order is the policy: what is refused comes before what was approved, what always asks before what widens. */
const CONSIDERATIONS: readonly Consideration[] = [
  untrustedWorkspace,
  planFirst,
  tooMuch,
  destructiveLine,
  refusedByRule,
  approvedByUser,
  protectedFile,
  outsideWorkspace,
  protectedInLine,
  protectedInCode,
  outOfBounds,
  unreadableLine,
  untrustedText,
  tamperedControls,
  claimedFile,
  userRule,
  published,
  harmless,
  reachesFar,
  harmlessLine,
  writesOutside,
  continuousMode,
  grant,
];

const MOST_TOUCHES = 250;

/** The rule that asks after files that steer programs were changed. */
export const TAMPERED = "control-files-changed";
/** The most links that a card explains. */
const MOST_LINKS = 5;

/** Says whether a proposal may go ahead. Pure; an error of its own asks. */
export function judge(request: ApprovalRequest, context: PolicyContext): Verdict {
  try {
    for (const consider of CONSIDERATIONS) {
      const verdict = consider(request, context);
      if (verdict) return withLinks(verdict, request, context);
    }
    return withLinks(unlessTaught(request, context), request, context);
  } catch (error) {
    return policyFailed(error);
  }
}

/** The verdict when the policy itself broke. */
export function policyFailed(error: unknown): Verdict {
  const what = error instanceof Error ? error.message : String(error);
  return asks("policy-error", `The policy could not judge this (${what}), so it is up to you.`, true);
}

/** Adds where links lead to the reason of a question. */
function withLinks(
  verdict: Verdict,
  { prepared }: ApprovalRequest,
  { folders, platform }: PolicyContext,
): Verdict {
  if (verdict.verdict !== "ask") return verdict;
  const short = (path: string): string => `"${pathBelow(path, folders, platform)}"`;
  const leads = prepared.touches.flatMap(({ path, via: [link] = [] }) =>
    link === undefined ? [] : [`${short(link)} is a link that leads to ${short(path)}.`],
  );
  return { ...verdict, reason: [verdict.reason, ...new Set(leads)].slice(0, 1 + MOST_LINKS).join(" ") };
}

/** What nothing else decided is up to the user, who may teach a rule by it. */
function unlessTaught({ prepared }: ApprovalRequest, context: PolicyContext): Verdict {
  const { rule, reason } = EFFECTS[prepared.effect];
  const script = scriptOf(context);
  const teaches = prepared.shell !== undefined && script ? savableLine(script) : undefined;
  return { ...asks(rule, reason), ...(teaches === undefined ? {} : { teaches }) };
}

function untrustedWorkspace(
  { prepared }: ApprovalRequest,
  { trustedWorkspace }: PolicyContext,
): Verdict | undefined {
  if (trustedWorkspace || prepared.effect === "none" || prepared.effect === "finish") return undefined;
  return refuses(
    "untrusted-workspace",
    "This workspace is not trusted. Trust it (Workspaces: Manage Workspace Trust) before the agent works in it.",
  );
}

/** While the user waits for a plan nothing is changed, run or sent, whoever approved it; the plan itself needs no approval. */
function planFirst({ prepared }: ApprovalRequest, { mode }: PolicyContext): Verdict | undefined {
  if (mode !== "plan" || prepared.effect === "none") return undefined;
  if (prepared.effect === "finish") return allows("rule", "plan-ready", "The plan is ready.");
  if (prepared.effect === "read" && prepared.shell === undefined) return undefined;
  return refuses("plan-first", "The user wants a plan first, so only commands that read are allowed now.");
}

/** What is too much to be checked in a moment is up to the user. */
function tooMuch({ prepared, approved }: ApprovalRequest): Verdict | undefined {
  if (approved || prepared.touches.length <= MOST_TOUCHES) return undefined;
  return asks(
    "too-much",
    `It touches ${prepared.touches.length} files, more than are checked one by one.`,
    true,
  );
}

function refusedByRule(request: ApprovalRequest, context: PolicyContext): Verdict | undefined {
  const verdicts = [ruleVerdict(request, context, "deny"), ruleVerdict(request, context, "rules")];
  return verdicts.find((verdict) => verdict?.verdict === "refuse");
}

/** The user has seen and changed exactly this call; only refusals hold against that. */
function approvedByUser({ approved }: ApprovalRequest): Verdict | undefined {
  if (!approved) return undefined;
  return allows("user", "your change of the arguments", "You approved it by changing the arguments.");
}

function protectedFile(
  { prepared }: ApprovalRequest,
  { folders, platform }: PolicyContext,
): Verdict | undefined {
  for (const touch of prepared.touches) {
    for (const path of namesOf(touch)) {
      const why = protectionOf({ path, how: touch.how }, folders, platform);
      if (why !== undefined)
        return asks("sensitive-file", `It would ${touch.how} ${path}, which ${why}.`, true);
    }
  }
  return undefined;
}

function outsideWorkspace(
  { prepared }: ApprovalRequest,
  { folders, platform }: PolicyContext,
): Verdict | undefined {
  for (const touch of prepared.touches) {
    const outside = namesOf(touch).find((path) => !isInside(path, folders, platform));
    if (outside !== undefined)
      return asks(
        "outside-workspace",
        `It would ${touch.how} ${outside}, which is outside the workspace.`,
        true,
      );
  }
  return undefined;
}

/** Once text of others is in the context, whatever could carry something out asks: in continuous mode only to new hosts. */
function untrustedText({ prepared }: ApprovalRequest, context: PolicyContext): Verdict | undefined {
  if (context.untrusted.length === 0) return undefined;
  const isLine = prepared.shell !== undefined;
  const named = (prepared.hosts ?? [])
    .map((host) => host.toLowerCase())
    .filter((host) => !context.hosts.includes(host));
  const inLine = isLine && lineLeaves(context) ? newHosts(context) : { hosts: [], isHidden: false };
  const hosts = [...named, ...inLine.hosts];
  const leaves = isLine
    ? lineLeaves(context)
    : prepared.effect === "network" || prepared.effect === "run" || hosts.length > 0;
  if (!leaves) return undefined;
  const isContinuous = context.mode === "continuous" && context.continuousLeft > 0;
  if (isContinuous && hosts.length === 0 && !inLine.isHidden) return undefined;
  const what =
    hosts.length > 0 ? `It would ask ${hosts.slice(0, 5).join(", ")}` : "It may send something out";
  return asks("untrusted-text", `${what}.`);
}

/** Two runs at one file tread on each other's feet, so the user is told before anything is changed, whatever was allowed in advance. */
function claimedFile(_request: ApprovalRequest, { claimed }: PolicyContext): Verdict | undefined {
  if (!claimed) return undefined;
  return asks(
    "claimed-file",
    `Another run that is not over has changed ${claimed.path} too: "${claimed.by}".`,
  );
}

/** A line may change files that steer programs to prepare for the next line. */
function tamperedControls({ prepared }: ApprovalRequest, { tampered }: PolicyContext): Verdict | undefined {
  if (tampered === undefined || prepared.effect !== "run") return undefined;
  const reason = `A command line in the sandbox changed protected files: ${tampered}. Look at them first.`;
  return asks(TAMPERED, reason, true);
}

function userRule(request: ApprovalRequest, context: PolicyContext): Verdict | undefined {
  return ruleVerdict(request, context, "deny") ?? ruleVerdict(request, context, "rules");
}

/** Words in the user's name are not taken back by undo, so only the user or a rule of theirs lets them out. */
function published({ prepared }: ApprovalRequest): Verdict | undefined {
  if (!prepared.publishes) return undefined;
  return asks("publishes", "It publishes something in your name, for others to read.", true);
}

function harmless({ prepared }: ApprovalRequest): Verdict | undefined {
  if (prepared.effect === "none") return allows("rule", "no-effect", "It touches nothing outside the run.");
  if (prepared.effect === "read" && prepared.shell === undefined)
    return allows("rule", "reads", "Reading inside the workspace needs no approval.");
  return undefined;
}

function continuousMode(
  _request: ApprovalRequest,
  { mode, continuousLeft }: PolicyContext,
): Verdict | undefined {
  if (mode !== "continuous" || continuousLeft <= 0) return undefined;
  return allows("continuous", "continuous", `Continuous mode is on, for ${continuousLeft} more.`);
}

function grant(_request: ApprovalRequest, { grantLeft }: PolicyContext): Verdict | undefined {
  if (grantLeft <= 0) return undefined;
  return allows("grant", "grant", `You approved the next ${grantLeft} in advance.`);
}

function ruleVerdict(
  request: ApprovalRequest,
  context: PolicyContext,
  which: "deny" | "rules",
): Verdict | undefined {
  const rules = context[which];
  const found = rules.length === 0 ? undefined : decidingRule(rules, subjectOf(request, context));
  if (!found) return undefined;
  const { rule, action, reason } = found;
  if (action === "refuse") return refuses(rule, reason);
  return action === "ask" ? asks(rule, reason) : allows("rule", rule, reason);
}

function subjectOf({ proposal, prepared }: ApprovalRequest, context: PolicyContext): Subject {
  const { shell, touches, hosts = [] } = prepared;
  return {
    command: proposal.call.name,
    args: proposal.call.args,
    touches,
    hosts,
    folders: context.folders,
    platform: context.platform,
    ...(shell === undefined ? {} : { shell: shellSubject(shell, context) }),
  };
}

/** Rules that allow see a line only when it is nothing but plain commands; those that ask or refuse see every command in it. */
function shellSubject(line: string, context: PolicyContext): ShellSubject {
  const script = scriptOf(context);
  const plain = script?.plain ?? [];
  const isBare =
    plain.length > 0 &&
    plain.every(({ redirects }) =>
      redirects.every(({ target }) => /^(?:\/dev\/null|\$null|[12])$/.test(target.text)),
    );
  return {
    line,
    commands: script && everyCommand(script).map(({ words }) => words.map(({ text }) => text)),
    allowable: isBare ? plain.map(({ words }) => words) : undefined,
  };
}

const EFFECTS = {
  none: { rule: "no-effect", reason: "It touches nothing outside the run." },
  read: { rule: "reads", reason: "It reads by running a program." },
  write: { rule: "writes", reason: "It changes files." },
  run: { rule: "programs", reason: "It runs a program." },
  network: { rule: "network", reason: "It leaves this machine." },
  finish: { rule: "finish", reason: "It ends the run." },
} as const;
