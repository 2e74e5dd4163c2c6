import type { Request } from "../core/ports.ts";
import { decidingRule } from "./deciding-rule.ts";
import { destructive } from "./destructive.ts";
import { isInside } from "./paths.ts";
import { sourceNames } from "./provenance.ts";
import type { Subject } from "./rule-match.ts";
import { protectionOf } from "./sensitive.ts";
import type { PolicyContext, Verdict } from "./verdict.ts";

/** One thing to consider; the first that has something to say gives the verdict. */
type Consideration = (request: Request, context: PolicyContext) => Verdict | undefined;

/** The order is the policy: what is refused comes before what was approved, what always asks before what widens. */
const CONSIDERATIONS: readonly Consideration[] = [
  untrustedWorkspace,
  destructiveLine,
  refusedByRule,
  approvedByUser,
  protectedFile,
  outsideWorkspace,
  untrustedText,
  userRule,
  harmless,
  continuousMode,
  grant,
];

/** Says whether a proposal may go ahead. Pure; an error of its own asks. */
export function judge(request: Request, context: PolicyContext): Verdict {
  try {
    for (const consider of CONSIDERATIONS) {
      const verdict = consider(request, context);
      if (verdict) return verdict;
    }
    return asks(EFFECT_RULES[request.prepared.effect], EFFECT_REASONS[request.prepared.effect]);
  } catch (error) {
    return policyFailed(error);
  }
}

/** The verdict when the policy itself broke. */
export function policyFailed(error: unknown): Verdict {
  const what = error instanceof Error ? error.message : String(error);
  return asks("policy-error", `The policy could not judge this (${what}), so it is up to you.`, true);
}

function untrustedWorkspace({ prepared }: Request, { trustedWorkspace }: PolicyContext): Verdict | undefined {
  if (trustedWorkspace || prepared.effect === "none" || prepared.effect === "finish") return undefined;
  return refuses(
    "untrusted-workspace",
    "This workspace is not trusted. Trust it (Workspaces: Manage Workspace Trust) before the agent works in it.",
  );
}

function destructiveLine({ prepared }: Request, { folders }: PolicyContext): Verdict | undefined {
  const why = prepared.shell === undefined ? undefined : destructive(prepared.shell, folders);
  return why === undefined ? undefined : refuses("destructive", `${why} That is refused in every mode.`);
}

function refusedByRule(request: Request, context: PolicyContext): Verdict | undefined {
  const denied = ruleVerdict(request, context, "deny");
  const refused = ruleVerdict(request, context, "rules");
  return [denied, refused].find((verdict) => verdict?.verdict === "refuse");
}

/** The user has seen and changed exactly this call; only refusals hold against that. */
function approvedByUser({ approved }: Request): Verdict | undefined {
  return approved
    ? allows("user", "your change of the arguments", "You approved it by changing the arguments.")
    : undefined;
}

function protectedFile({ prepared }: Request, { folders, platform }: PolicyContext): Verdict | undefined {
  for (const touch of prepared.touches) {
    const why = protectionOf(touch, folders, platform);
    if (why !== undefined)
      return asks("sensitive-file", `It would ${touch.how} ${touch.path}, which ${why}.`, true);
  }
  return undefined;
}

function outsideWorkspace({ prepared }: Request, { folders, platform }: PolicyContext): Verdict | undefined {
  const outside = prepared.touches.find((touch) => !isInside(touch.path, folders, platform));
  if (!outside) return undefined;
  return asks(
    "outside-workspace",
    `It would ${outside.how} ${outside.path}, which is outside the workspace.`,
    true,
  );
}

function untrustedText({ prepared }: Request, context: PolicyContext): Verdict | undefined {
  if (context.untrusted.length === 0) return undefined;
  const leaves =
    prepared.effect === "network" || prepared.effect === "run" || (prepared.hosts ?? []).length > 0;
  if (!leaves) return undefined;
  const fresh = (prepared.hosts ?? []).filter((host) => !context.hosts.includes(host.toLowerCase()));
  const isContinuous = context.mode === "continuous" && context.continuousLeft > 0;
  if (isContinuous && fresh.length === 0) return undefined;
  const what = fresh.length > 0 ? `It would ask ${fresh.join(", ")}` : "It may send something out";
  const read = sourceNames(context.untrusted.slice(-3)).join(", ");
  return asks("untrusted-text", `${what}, and the agent has read text that others wrote: ${read}.`);
}

function userRule(request: Request, context: PolicyContext): Verdict | undefined {
  return ruleVerdict(request, context, "deny") ?? ruleVerdict(request, context, "rules");
}

function harmless({ prepared }: Request): Verdict | undefined {
  if (prepared.effect === "none") return allows("rule", "no-effect", "It touches nothing outside the run.");
  if (prepared.effect === "read" && prepared.shell === undefined)
    return allows("rule", "reads", "Reading inside the workspace needs no approval.");
  return undefined;
}

function continuousMode(_request: Request, { mode, continuousLeft }: PolicyContext): Verdict | undefined {
  if (mode !== "continuous" || continuousLeft <= 0) return undefined;
  return allows("continuous", "continuous", `Continuous mode is on, for ${continuousLeft} more.`);
}

function grant(_request: Request, { grantLeft }: PolicyContext): Verdict | undefined {
  if (grantLeft <= 0) return undefined;
  return allows("grant", "grant", `You approved the next ${grantLeft} in advance.`);
}

function ruleVerdict(request: Request, context: PolicyContext, which: "deny" | "rules"): Verdict | undefined {
  const found = decidingRule(context[which], subjectOf(request, context));
  if (!found) return undefined;
  const { rule, action, reason } = found;
  if (action === "refuse") return refuses(rule, reason);
  return action === "ask" ? asks(rule, reason) : allows("rule", rule, reason);
}

function subjectOf({ proposal, prepared }: Request, { folders, platform }: PolicyContext): Subject {
  const { shell, touches, hosts = [] } = prepared;
  return {
    command: proposal.call.name,
    args: proposal.call.args,
    touches,
    hosts,
    folders,
    platform,
    ...(shell === undefined ? {} : { shell: { line: shell, commands: undefined, bare: false } }),
  };
}

const EFFECT_RULES = {
  none: "no-effect",
  read: "reads",
  write: "writes",
  run: "programs",
  network: "network",
  finish: "finish",
} as const;

const EFFECT_REASONS = {
  none: "It touches nothing outside the run.",
  read: "It reads by running a program.",
  write: "It changes files.",
  run: "It runs a program.",
  network: "It leaves this machine.",
  finish: "It ends the run.",
} as const;

function allows(by: Verdict["by"], rule: string, reason: string): Verdict {
  return { verdict: "allow", rule, reason, sensitive: false, by };
}

function asks(rule: string, reason: string, sensitive = false): Verdict {
  return { verdict: "ask", rule, reason, sensitive, by: "user" };
}

function refuses(rule: string, reason: string): Verdict {
  return { verdict: "refuse", rule, reason, sensitive: false, by: "rule" };
}
