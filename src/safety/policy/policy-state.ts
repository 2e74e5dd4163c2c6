import { omitUndefined } from "../../core/base/objects.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { Disk } from "../../core/ports/disk.ts";
import type { Mode } from "../../schema/run-values.ts";
import type { DisplayText } from "../../texts/display-text.ts";
import type { Platform } from "../paths/paths.ts";
import type { Provenance } from "../provenance/provenance.ts";
import { explainFarReach } from "../shell/far-reaching.ts";
import { expandSpellings } from "../shell/spelling.ts";
import { listCommandsStartedByCode } from "../shell/unwrap.ts";
import { collectTextFacts } from "./after-text.ts";
import type { Grants } from "./grants.ts";
import { getCallCode } from "./line-considerations.ts";
import { createPolicyFailureVerdict, judge } from "./policy.ts";
import { type Rule, readDeny, readRules } from "./rules.ts";
import type { SavedRules } from "./saved-rules.ts";
import { readShellFacts, type ShellFacts, type ShellLanguage } from "./shell-facts.ts";
import type { AfterText, IsolatedContext, OwnFiles, PolicyContext, Verdict } from "./verdict.ts";

/** Settings for approval. Read at each decision, so that a change takes effect at once. */
export interface PolicySettings {
  /** `approval.rules`, from the user's level only. */
  readonly rules: readonly unknown[];
  /** `approval.deny`, from every level together. */
  readonly deny: readonly unknown[];
  readonly readOnlyShell: boolean;
  /** `web.allowHosts`. */
  readonly allowHosts: readonly string[];
}

/** Everything that a run's policy knows besides the proposal. */
export interface PolicyState {
  readonly grants: Grants;
  readonly provenance: Provenance;
  readonly platform: Platform;
  /** Rules from outside the settings, such as those of the command line. They come first. */
  readonly rules?: readonly Rule[];
  /** How command lines are parsed; without it, each line asks. */
  readonly lines?: LineReading;
  /** How the shell confines command lines, if it does. */
  getSandboxMode?(): "confined" | "trusted" | undefined;
  /** Changes that sandboxed lines made to files that steer programs. */
  findTampering?(): { readonly what: string | undefined; accept(): void } | undefined;
  /** Unsaved files that agents changed in editors, so that programs would read older versions. */
  getUnsavedChanges?(): { readonly paths: readonly string[]; leave(): void };
  /** Another run that works on one of these files. */
  claims?(paths: readonly string[]): Promise<{ readonly path: string; readonly by: string } | undefined>;
  /** Set for a run that works in a sandboxed copy. */
  readonly isolated?: IsolatedContext;
  /** Paths that the run has changed and created. */
  ownFiles?(): Promise<OwnFiles>;
  /** True while the user waits for a plan. */
  isPlanning?(): boolean;
  getSettings(): PolicySettings;
  /** Real paths of the workspace folders. */
  listFolders(): readonly string[];
  isTrusted(): boolean;
}

/** Dependencies of analyzing command lines. */
interface LineReading {
  readonly disk: Disk;
  readonly savedRules?: SavedRules;
  /** Loaded at the first command line. */
  loadShellLanguage(): Promise<ShellLanguage>;
}

/** Decides on a request in the present state, with the facts about its command line. Any failure on the way asks. */
export async function decideVerdict(
  request: ApprovalRequest,
  state: PolicyState,
): Promise<{ readonly verdict: Verdict; readonly facts?: ShellFacts }> {
  try {
    const facts = await collectLineFacts(request, state);
    const savedLine = await findSavedLine(facts, request, state);
    const afterText = await collectAfterTextFacts(request, facts, state);
    const startedByCode = await explainStartedCommands(request, state);
    const claimed = await state.claims?.(listChangedPaths(request));
    const context = {
      ...createPolicyContext(state, request.proposal.call.name),
      ...omitUndefined({ claimed, shell: facts, startedByCode, afterText, savedLine }),
    };
    return { verdict: judge(request, context), ...omitUndefined({ facts }) };
  } catch (error) {
    return { verdict: createPolicyFailureVerdict(error) };
  }
}

function listChangedPaths({ prepared }: ApprovalRequest): readonly string[] {
  return prepared.touches.filter(({ how }) => how !== "read").map(({ path }) => path);
}

async function collectLineFacts({ prepared }: ApprovalRequest, state: PolicyState): Promise<ShellFacts | undefined> {
  if (prepared.shell === undefined || !state.lines) return undefined;
  const { disk, loadShellLanguage } = state.lines;
  const folders = state.listFolders();
  const folder = prepared.cwd ?? folders[0] ?? "";
  const starts = prepared.cwd === undefined ? folders : [prepared.cwd];
  const ground = { folder, folders, starts, platform: state.platform };
  return readShellFacts(prepared.shell, await loadShellLanguage(), ground, disk);
}

/** Facts that only matter once the run has read text that others wrote. */
async function collectAfterTextFacts(
  request: ApprovalRequest,
  facts: ShellFacts | undefined,
  state: PolicyState,
): Promise<AfterText | undefined> {
  const { provenance, grants } = state;
  if (provenance.sources.length === 0) return undefined;
  const allowed = new Set([
    ...grants.listApprovedHosts(request.proposal.call.name),
    ...state.getSettings().allowHosts.map((host) => host.toLowerCase()),
  ]);
  return collectTextFacts(
    request,
    {
      line: facts?.inLine,
      own: (await state.ownFiles?.()) ?? { changed: new Set(), created: new Set() },
      hosts: new Set([...provenance.hosts].filter((host) => !allowed.has(host))),
      folders: state.listFolders(),
      outdated: grants.outdated,
    },
    state.lines?.disk,
  );
}

/** Explains why a call asks because of the commands that its code would start; undefined for a call without code. */
async function explainStartedCommands(
  { prepared, proposal }: ApprovalRequest,
  { lines }: PolicyState,
): Promise<DisplayText | undefined> {
  const code = getCallCode(prepared, proposal.call.args);
  if (code === undefined || !lines) return undefined;
  const { reader } = await lines.loadShellLanguage();
  const wrapped = listCommandsStartedByCode(code, (line) => reader.read(line));
  return explainFarReach(expandSpellings({ commands: [], wrapped }));
}

async function findSavedLine(
  facts: ShellFacts | undefined,
  { prepared }: ApprovalRequest,
  { lines }: PolicyState,
): Promise<string | undefined> {
  if (!facts?.inLine || prepared.cwd === undefined) return undefined;
  return (await lines?.savedRules?.match(facts.inLine.script, prepared.cwd))?.line;
}

function createPolicyContext(state: PolicyState, command: string): PolicyContext {
  const { grants, provenance, platform, rules = [] } = state;
  const settings = state.getSettings();
  const sandbox = state.getSandboxMode?.();
  const tampered = state.findTampering?.()?.what;
  const unsaved = state.getUnsavedChanges?.().paths ?? [];
  return {
    mode: determineMode(state),
    grantLeft: grants.left,
    continuousLeft: grants.continuousLeft,
    rules: [...rules, ...readRules(settings.rules)],
    deny: readDeny(settings.deny),
    readOnlyShell: settings.readOnlyShell,
    folders: state.listFolders(),
    hosts: [...grants.listApprovedHosts(command), ...settings.allowHosts.map((host) => host.toLowerCase())],
    untrusted: provenance.sources,
    trustedWorkspace: state.isTrusted(),
    platform,
    ...omitUndefined({ sandbox, isolated: state.isolated, tampered }),
    ...(unsaved.length > 0 ? { unsaved } : {}),
  };
}

function determineMode({ isPlanning, grants, isolated }: PolicyState): Mode {
  if (isPlanning?.()) return "plan";
  if (grants.continuousLeft > 0) return "continuous";
  return isolated ? "isolated" : "ask";
}
