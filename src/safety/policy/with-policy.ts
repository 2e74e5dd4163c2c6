import type { Disk } from "../../core/ports/disk.ts";
import type { ApprovalReason, ApprovalRequest, Approver, DecisionRecord } from "../../core/ports/model.ts";
import type { Mode } from "../../schema/events.ts";
import type { Platform } from "../paths/paths.ts";
import { influenceText, type Provenance } from "../provenance/provenance.ts";
import { areUnchanged, type ExecutedFile, executedFiles } from "../shell/executed-files.ts";
import { everyCommand } from "../shell/reading.ts";
import type { Grants } from "./grants.ts";
import { judge, policyFailed, TAMPERED } from "./policy.ts";
import { type Rule, readDeny, readRules } from "./rules.ts";
import type { SavedRule, SavedRules } from "./saved-rules.ts";
import { type ShellFacts, type ShellLanguage, shellFacts } from "./shell-facts.ts";
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
  /** How command lines are read; without it each one asks. */
  readonly lines?: LineReading;
  /** How the shell confines command lines, if it does. */
  sandbox?(): "confined" | "trusted" | undefined;
  /** Changes that sandboxed lines made to files that steer programs. */
  tampering?(): { readonly what: string | undefined; accept(): void } | undefined;
  /** Which other run is at work on one of some files. */
  claims?(paths: readonly string[]): Promise<{ readonly path: string; readonly by: string } | undefined>;
  /** True while the user wants a plan and nothing done yet. */
  planning?(): boolean;
  settings(): PolicySettings;
  /** Real paths of the workspace folders. */
  folders(): readonly string[];
  trusted(): boolean;
}

/** What is needed to know what a command line does. */
interface LineReading {
  readonly disk: Disk;
  readonly taught?: SavedRules;
  /** Loaded at the first command line. */
  shell(): Promise<ShellLanguage>;
}

/** Decides by itself what the policy allows or refuses, and asks about the rest, saying why. */
export function withPolicy(ask: Approver, state: PolicyState): Approver {
  return {
    async decide(request, signal) {
      const { grants } = state;
      const { verdict, facts } = await verdictOn(request, state);
      if (request.proposal.call.name === QUESTION || verdict.sensitive) grants.endGrant();
      if (verdict.verdict === "allow") return { ...allowed(verdict, grants), ...runsAs(verdict, facts) };
      if (verdict.verdict === "refuse") {
        grants.endGrant();
        return refused(verdict);
      }
      const before = await executedBy(facts, request, state);
      const why = whyOf(verdict, request, state);
      const decided = await ask.decide({ ...request, why }, signal);
      if (decided === "again") return decided;
      if (decided.decision.allow && !(await isStillThat(before, state))) return "again";
      remember(decided, request, grants);
      if (decided.decision.allow && verdict.rule === TAMPERED) state.tampering?.()?.accept();
      return explained(decided, why);
    },
  };
}

/** A question to the user ends a grant: the answer may change everything. */
const QUESTION = "ask_user";

/** The verdict on a request as things stand, with what its command line was found to be. Whatever goes wrong on the way asks. */
async function verdictOn(
  request: ApprovalRequest,
  state: PolicyState,
): Promise<{ readonly verdict: Verdict; readonly facts?: ShellFacts }> {
  try {
    const facts = await factsOf(request, state);
    const taught = await taughtLineOf(facts, request, state);
    const claimed = await state.claims?.(changedBy(request));
    const context = {
      ...contextOf(state),
      ...(claimed ? { claimed } : {}),
      ...(facts ? { shell: facts } : {}),
      ...(taught ? { taught } : {}),
    };
    return { verdict: judge(request, context), ...(facts ? { facts } : {}) };
  } catch (error) {
    return { verdict: policyFailed(error) };
  }
}

function changedBy({ prepared }: ApprovalRequest): readonly string[] {
  return prepared.touches.filter(({ how }) => how !== "read").map(({ path }) => path);
}

async function factsOf({ prepared }: ApprovalRequest, state: PolicyState): Promise<ShellFacts | undefined> {
  if (prepared.shell === undefined || !state.lines) return undefined;
  const { disk, shell } = state.lines;
  const folders = state.folders();
  const folder = prepared.cwd ?? folders[0] ?? "";
  return shellFacts(prepared.shell, await shell(), { folder, folders, platform: state.platform }, disk);
}

async function taughtLineOf(
  facts: ShellFacts | undefined,
  { prepared }: ApprovalRequest,
  { lines }: PolicyState,
): Promise<string | undefined> {
  if (facts?.reading.kind !== "script" || prepared.cwd === undefined) return undefined;
  return (await lines?.taught?.match(facts.reading, prepared.cwd))?.line;
}

/** The scripts that an approval is about, as they are when it is asked for. */
async function executedBy(
  facts: ShellFacts | undefined,
  { prepared }: ApprovalRequest,
  { lines }: PolicyState,
): Promise<readonly ExecutedFile[]> {
  if (facts?.reading.kind !== "script" || prepared.cwd === undefined || !lines) return [];
  return executedFiles(everyCommand(facts.reading), prepared.cwd, lines.disk);
}

async function isStillThat(files: readonly ExecutedFile[], { lines }: PolicyState): Promise<boolean> {
  return !lines || areUnchanged(files, lines.disk);
}

function contextOf(state: PolicyState): PolicyContext {
  const { grants, provenance, platform, rules = [] } = state;
  const settings = state.settings();
  const mode: Mode = state.planning?.() ? "plan" : grants.continuousLeft > 0 ? "continuous" : "ask";
  const sandbox = state.sandbox?.();
  const tampered = state.tampering?.()?.what;
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
    ...(sandbox ? { sandbox } : {}),
    ...(tampered === undefined ? {} : { tampered }),
  };
}

function whyOf(
  verdict: Verdict,
  request: ApprovalRequest,
  { provenance, lines }: PolicyState,
): ApprovalReason {
  const { rule, reason, sensitive, teaches } = verdict;
  const canTeach = teaches !== undefined && lines?.taught !== undefined;
  const sources = isInfluenced(verdict, request) ? provenance.sources : [];
  return { rule, reason, sensitive, sources, ...(canTeach ? { teaches } : {}) };
}

/**
 * Whether untrusted text changes the decision: it's the reason for asking, or the call runs a program, leaves the machine or touches
 * something sensitive. It doesn't for an edit that the user sees in full, or for the end of the run.
 */
function isInfluenced({ rule, sensitive }: Verdict, { prepared }: ApprovalRequest): boolean {
  const { effect, hosts = [] } = prepared;
  return (
    rule === "untrusted-text" || sensitive || effect === "run" || effect === "network" || hosts.length > 0
  );
}

function allowed({ by, rule, reason }: Verdict, grants: Grants): DecisionRecord {
  if (by === "grant" || by === "continuous") grants.use(by);
  return { decision: { allow: true }, by, rule, reason };
}

/** Rules that run a line without approval. Approved lines run as typed. */
const NOBODY_APPROVED: ReadonlySet<string> = new Set(["read-only-shell", "sandbox", "continuous", "grant"]);

function runsAs({ rule }: Verdict, facts: ShellFacts | undefined): Pick<DecisionRecord, "harmlessIn"> {
  const calls = facts?.notReadOnly === undefined ? facts?.callsGitIn : undefined;
  return calls && NOBODY_APPROVED.has(rule) ? { harmlessIn: calls } : {};
}

/** The user's decision with the rule that had it asked, so that the log can explain it. */
function explained(decided: DecisionRecord, { rule, reason, sources }: ApprovalReason): DecisionRecord {
  if (decided.rule !== undefined) return decided;
  const why = [reason, influenceText(sources)].filter((part) => part !== "").join(" ");
  return { ...decided, rule, reason: `${decided.reason}; it was asked because: ${why}` };
}

function refused({ rule, reason }: Verdict): DecisionRecord {
  const feedback = `${reason} (rule: ${rule}) Nothing was done, and asking again will not help: take another way.`;
  return { decision: { allow: false, feedback }, by: "rule", rule, reason };
}

/** What a decision of the user says about the next ones. */
function remember({ decision, by }: DecisionRecord, { prepared }: ApprovalRequest, grants: Grants): void {
  if (!decision.allow) {
    grants.endGrant();
    return;
  }
  if (grants.left > 0) grants.use("grant");
  if (by === "user") grants.allowHosts(prepared.hosts ?? []);
}

/** Keeps the command line of a proposal as one that may always run where it would run. Throws a sentence where that cannot be. */
export async function saveRuleFor({ prepared }: ApprovalRequest, { lines }: PolicyState): Promise<SavedRule> {
  if (!lines?.taught || prepared.shell === undefined || prepared.cwd === undefined)
    throw new Error(
      "Only a command line can be allowed for always. Write a rule in autogpt.approval.rules instead.",
    );
  const { reader } = await lines.shell();
  const reading = reader.read(prepared.shell);
  if (reading.kind === "unreadable")
    throw new Error(`This command line cannot be allowed for always. ${reading.why}`);
  return lines.taught.teach(reading, prepared.cwd);
}

/** The user's end when nobody is there: refuses whatever would have to be asked, says why, and lets the run go on. */
export const unattendedApprover: Approver = {
  async decide({ why }) {
    const influence = influenceText(why?.sources ?? []);
    const reason = `${why?.reason ?? "It needs approval."}${influence === "" ? "" : ` ${influence}`}`;
    const feedback = `${reason} Nobody is there to approve it, so it was not done. Go on with what needs no approval, or complete the task and say what is left.`;
    return {
      decision: { allow: false, feedback },
      by: "rule",
      rule: why?.rule ?? "nobody-to-ask",
      reason: `${reason} Nobody was there to approve it.`,
    };
  },
};
