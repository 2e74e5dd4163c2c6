import { omitUndefined } from "../../core/base/objects.ts";
import { COMMAND } from "../../core/commands/command-traits.ts";
import type { ApprovalReason, ApprovalRequest, Approver, DecisionRecord } from "../../core/ports/approver.ts";
import { type DisplayText, displayText, joinSentences, writeInEnglish } from "../../texts/display-text.ts";
import { describeInfluence } from "../provenance/provenance.ts";
import { areUnchanged, type ExecutedFile, readExecutedFiles } from "../shell/executed-files.ts";
import { ASKS_HOST, TAMPERED } from "./considerations.ts";
import type { Grants } from "./grants.ts";
import { decideVerdict, type PolicyState } from "./policy-state.ts";
import type { SavedRule } from "./saved-rules.ts";
import type { ShellFacts } from "./shell-facts.ts";
import type { Verdict } from "./verdict.ts";

/** Wraps an approver. The policy decides the calls that it allows or refuses; `ask` decides the rest, with the reason. */
export function wrapApproverWithPolicy(ask: Approver, state: PolicyState): Approver {
  let warnedAt: number | undefined;
  const findInfluence = ({ rule }: Verdict, step: number): DisplayText | undefined => {
    const isNews = AFTER_TEXT.has(rule) && (warnedAt === undefined || warnedAt === step);
    if (isNews) warnedAt = step;
    return isNews ? state.provenance.describeNewestSource() : undefined;
  };
  return {
    async decide(request, signal) {
      const { grants } = state;
      const { verdict, facts } = await decideVerdict(request, state);
      // An answer of the user may change everything.
      if (request.proposal.call.name === COMMAND.ask || verdict.sensitive) grants.endGrant();
      if (verdict.verdict === "allow")
        return { ...recordAllowed(verdict, grants), ...getHarmlessFolders(verdict, facts) };
      if (verdict.verdict === "refuse") {
        grants.endGrant();
        return recordRefused(verdict);
      }
      const before = await listExecutedFiles(facts, request, state);
      const influence = findInfluence(verdict, request.step);
      const why = { ...buildApprovalReason(verdict, request, state), ...omitUndefined({ influence }) };
      const decided = await ask.decide({ ...request, why }, signal);
      if (decided === "again") return decided;
      if (decided.decision.allow && !(await isStillThat(before, state))) return "again";
      remember(decided, request, grants, verdict.rule);
      if (decided.decision.allow && request.prepared.effect === "run") state.getUnsavedChanges?.().leave();
      if (decided.decision.allow && verdict.rule === TAMPERED) state.findTampering?.()?.accept();
      return addAskingRule(decided, why);
    },
    async decideWithoutAsking(request) {
      const { verdict } = await decideVerdict(request, state);
      if (verdict.verdict === "refuse") return recordRefused(verdict);
      return verdict.verdict === "allow" && verdict.by === "rule" ? recordAllowed(verdict, state.grants) : undefined;
    },
  };
}

/** Rules that ask only because of untrusted text. */
const AFTER_TEXT: ReadonlySet<string> = new Set([ASKS_HOST, "outdated-approval"]);

/** The scripts that an approval covers, as they are when the user is asked. */
async function listExecutedFiles(
  facts: ShellFacts | undefined,
  { prepared }: ApprovalRequest,
  { lines }: PolicyState,
): Promise<readonly ExecutedFile[]> {
  if (!facts?.inLine || prepared.cwd === undefined || !lines) return [];
  return readExecutedFiles(facts.inLine.calls, prepared.cwd, lines.disk);
}

async function isStillThat(files: readonly ExecutedFile[], { lines }: PolicyState): Promise<boolean> {
  return !lines || areUnchanged(files, lines.disk);
}

function buildApprovalReason(
  verdict: Verdict,
  request: ApprovalRequest,
  { provenance, lines }: PolicyState,
): ApprovalReason {
  const { rule, reason, text, sensitive, teaches } = verdict;
  const canSave = teaches !== undefined && lines?.savedRules !== undefined;
  const sources = isInfluenced(verdict, request) ? provenance.sources : [];
  return { rule, reason, ...omitUndefined({ text }), sensitive, sources, ...(canSave ? { teaches } : {}) };
}

/**
 * Whether untrusted text changes the decision: it's the reason for asking, or the call runs a program, leaves the machine or touches
 * something sensitive. It doesn't change an edit that the user sees in full, or the end of the run.
 */
function isInfluenced({ rule, sensitive }: Verdict, { prepared }: ApprovalRequest): boolean {
  const { effect, hosts = [] } = prepared;
  return rule === "untrusted-text" || sensitive || effect === "run" || effect === "network" || hosts.length > 0;
}

function recordAllowed({ by, rule, reason, text }: Verdict, grants: Grants): DecisionRecord {
  if (by === "grant" || by === "continuous") grants.use(by);
  return { decision: { allow: true }, by, rule, reason, ...omitUndefined({ text }) };
}

/** Rules that run a line without approval. Approved lines run as typed. */
const UNATTENDED: ReadonlySet<string> = new Set(["read-only-shell", "sandbox", "continuous", "grant"]);

function getHarmlessFolders({ rule }: Verdict, facts: ShellFacts | undefined): Pick<DecisionRecord, "harmlessIn"> {
  const calls = facts?.notReadOnly === undefined ? facts?.callsGitIn : undefined;
  return calls && UNATTENDED.has(rule) ? { harmlessIn: calls } : {};
}

/** The user's decision with the rule that asked, so that the log can explain it. */
function addAskingRule(decided: DecisionRecord, { rule, reason, text, sources }: ApprovalReason): DecisionRecord {
  if (decided.rule !== undefined) return decided;
  const why = joinSentences(text ?? reason, describeInfluence(sources));
  return {
    ...decided,
    rule,
    reason: `${decided.reason}; it asked because: ${writeInEnglish(why)}`,
    text: displayText("safety.askedBecause", { why }),
  };
}

function recordRefused({ rule, reason, text }: Verdict): DecisionRecord {
  const feedback = `${reason} (rule: ${rule}) Nothing was done, and asking again won't help. Try another approach.`;
  return { decision: { allow: false, feedback }, by: "rule", rule, reason, ...omitUndefined({ text }) };
}

/** Applies the user's decision to the grants for later calls. A host is known once a question named it; reading its page isn't enough. */
function remember(
  { decision, by }: DecisionRecord,
  { prepared, proposal }: ApprovalRequest,
  grants: Grants,
  rule: string,
): void {
  if (!decision.allow) {
    grants.endGrant();
    return;
  }
  if (grants.left > 0) grants.use("grant");
  if (by === "user" && rule === ASKS_HOST) grants.allowHosts(prepared.hosts ?? [], proposal.call.name);
}

/** Saves a proposal's command line as always allowed in its folder. Throws a sentence when it can't be saved. */
export async function saveRuleFor({ prepared }: ApprovalRequest, { lines }: PolicyState): Promise<SavedRule> {
  if (!lines?.savedRules || prepared.shell === undefined || prepared.cwd === undefined)
    throw new Error(
      "Only a command line can be saved as always allowed. Write a rule in autogpt.approval.rules instead.",
    );
  const { reader } = await lines.loadShellLanguage();
  const reading = reader.read(prepared.shell);
  if (reading.kind === "unreadable")
    throw new Error(`This command line can't be saved as always allowed. ${writeInEnglish(reading.why)}`);
  return lines.savedRules.save(reading, prepared.cwd);
}

/** An approver for runs without a user: refuses everything that would need a question, and lets the run continue. */
export const unattendedApprover: Approver = {
  async decide({ why }) {
    const influence = writeInEnglish(describeInfluence(why?.sources ?? []));
    const reason = `${why?.reason ?? "It needs approval."}${influence === "" ? "" : ` ${influence}`}`;
    const feedback = `${reason} No one is available to approve it, so it wasn't done. Continue with what needs no approval, or complete the task and say what is left.`;
    return {
      decision: { allow: false, feedback },
      by: "rule",
      rule: why?.rule ?? "nobody-to-ask",
      reason: `${reason} No one was available to approve it.`,
    };
  },
};
