import type { Mode } from "../core/event.ts";
import type { Approver, Decided, Request } from "../core/ports.ts";
import { readDeny } from "./deny.ts";
import type { Grants } from "./grants.ts";
import type { Platform } from "./paths.ts";
import { judge, policyFailed } from "./policy.ts";
import type { Provenance } from "./provenance.ts";
import { type Rule, readRules } from "./rules.ts";
import type { PolicyContext, Verdict } from "./verdict.ts";

/** What the settings say about approval. Read anew for each decision, so that a change holds at once. */
export interface PolicySettings {
  /** `approval.rules`, of the user's level only. */
  readonly rules: readonly unknown[];
  /** `approval.deny`, of every level together. */
  readonly deny: readonly unknown[];
  readonly readOnlyShell: boolean;
  /** `web.allowHosts`. */
  readonly allowHosts: readonly string[];
}

/** What a policy knows beside the proposal: one of these for each run. */
export interface PolicyState {
  readonly grants: Grants;
  readonly provenance: Provenance;
  readonly platform: Platform;
  /** Rules that do not come from the settings, such as those of a command line. They come first. */
  readonly rules?: readonly Rule[];
  settings(): PolicySettings;
  /** Real paths of the workspace folders. */
  folders(): readonly string[];
  trusted(): boolean;
}

/** Decides by itself what the policy allows or refuses, and asks about the rest, saying why. */
export function withPolicy(ask: Approver, state: PolicyState): Approver {
  return {
    async decide(request, signal) {
      const { grants, provenance } = state;
      const verdict = verdictOn(request, state);
      if (request.proposal.call.name === QUESTION || verdict.sensitive) grants.endGrant();
      if (verdict.verdict === "allow") return allowed(verdict, grants);
      if (verdict.verdict === "refuse") {
        grants.endGrant();
        return refused(verdict);
      }
      const { rule, reason, sensitive, teaches } = verdict;
      const why = { rule, reason, sensitive, sources: provenance.sources, ...(teaches ? { teaches } : {}) };
      const decided = await ask.decide({ ...request, why }, signal);
      if (decided !== "again") remember(decided, request, grants);
      return decided;
    },
  };
}

/** A question to the user ends a grant: the answer may change everything. */
const QUESTION = "ask_user";

/** The verdict on a request as things stand; `explain` pages use it too. */
export function verdictOn(request: Request, state: PolicyState): Verdict {
  try {
    return judge(request, contextOf(state));
  } catch (error) {
    return policyFailed(error);
  }
}

function contextOf(state: PolicyState): PolicyContext {
  const { grants, provenance, platform, rules = [] } = state;
  const settings = state.settings();
  const mode: Mode = grants.continuousLeft > 0 ? "continuous" : "ask";
  return {
    mode,
    grantLeft: grants.left,
    continuousLeft: grants.continuousLeft,
    rules: [...rules, ...readRules(settings.rules)],
    deny: readDeny(settings.deny),
    readOnlyShell: settings.readOnlyShell,
    folders: state.folders(),
    hosts: [...grants.hosts, ...settings.allowHosts.map((host) => host.toLowerCase())],
    untrusted: provenance.sources,
    trustedWorkspace: state.trusted(),
    platform,
  };
}

function allowed({ by, rule, reason }: Verdict, grants: Grants): Decided {
  if (by === "grant" || by === "continuous") grants.use(by);
  return { decision: { allow: true }, by, rule, reason };
}

function refused({ rule, reason }: Verdict): Decided {
  const feedback = `${reason} (rule: ${rule}) Nothing was done, and asking again will not help: take another way.`;
  return { decision: { allow: false, feedback }, by: "rule", rule, reason };
}

/** What a decision of the user says about the next ones. */
function remember({ decision, by }: Decided, { prepared }: Request, grants: Grants): void {
  if (!decision.allow) {
    grants.endGrant();
    return;
  }
  if (grants.left > 0) grants.use("grant");
  if (by === "user") grants.allowHosts(prepared.hosts ?? []);
}
