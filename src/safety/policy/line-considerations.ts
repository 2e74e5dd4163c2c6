import { outgoingHosts } from "../provenance/hosts.ts";
import { rewrites } from "../shell/deletion.ts";
import { destructive, destructiveCode, doubtful } from "../shell/destructive.ts";
import { farReaching } from "../shell/far-reaching.ts";
import { mentionInCode, protectedMention } from "../shell/mentions.ts";
import { writtenOutside } from "../shell/reach.ts";
import type { ShellScript } from "../shell/reading.ts";
import { allows, asks, type Consideration, type PolicyContext, refuses } from "./verdict.ts";

/** Lines and code that are refused in every mode. */
export const destructiveLine: Consideration = ({ prepared, proposal }, context) => {
  if (prepared.effect !== "run" && prepared.shell === undefined) return undefined;
  const { shell = "", cwd } = prepared;
  const { code } = proposal.call.args;
  const why =
    destructive(shell, scriptOf(context), context.folders, cwd) ??
    (typeof code === "string" ? destructiveCode(code) : undefined);
  return why === undefined ? undefined : refuses("destructive", `${why} That is refused in every mode.`);
};

/** A line that can't be parsed asks in every mode. */
export const unreadableLine: Consideration = ({ prepared }, { shell }) => {
  if (prepared.shell === undefined) return undefined;
  if (shell?.line !== prepared.shell)
    return asks("unreadable-line", "Command lines can't be analyzed here, so each one needs approval.");
  if (shell.reading.kind === "script") return undefined;
  return asks(
    "unreadable-line",
    `The effect of this command line can't be determined in advance. ${shell.reading.why}`,
  );
};

/** A line whose deletions can't be determined, or that ends more than itself, asks in every mode. */
export const doubtfulLine: Consideration = ({ prepared }, context) => {
  const script = scriptOf(context);
  if (prepared.shell === undefined || !script) return undefined;
  const doubt = doubtful(script, context.folders, prepared.cwd);
  return doubt === undefined ? undefined : asks("doubtful-line", doubt, true);
};

/** A line that names a protected file asks in every mode, unless it only reads what holds no secret. */
export const protectedInLine: Consideration = ({ prepared }, context) => {
  const script = scriptOf(context);
  if (prepared.shell === undefined || !script || context.shell?.notReadOnly === undefined) return undefined;
  const mention = protectedMention(script) ?? context.shell.linked;
  if (!mention) return undefined;
  return asks("sensitive-file", `It names ${mention.text}, which ${mention.why}.`, true);
};

/** Code that names a protected file asks in every mode, as a line does. */
export const protectedInCode: Consideration = ({ prepared, proposal }) => {
  const { code } = proposal.call.args;
  const mention = prepared.effect === "run" && typeof code === "string" ? mentionInCode(code) : undefined;
  return mention && asks("sensitive-file", `Its code names ${mention.text}, which ${mention.why}.`, true);
};

/** A line that names a file which the user's ignore file excludes asks in every mode. */
export const outOfBounds: Consideration = ({ prepared }, { shell }) => {
  if (shell?.line !== prepared.shell || shell?.ignored?.by !== "agent") return undefined;
  return asks(
    "out-of-bounds",
    `It names ${shell.ignored.name}, which the user's .autogptignore excludes.`,
    true,
  );
};

/** A line that the user has saved as always allowed. */
export const savedLine: Consideration = ({ prepared }, { savedLine }) => {
  if (prepared.shell === undefined || savedLine === undefined) return undefined;
  return allows(
    "rule",
    "taught",
    `You saved ${JSON.stringify(savedLine)} as always allowed here, and the files that it runs are unchanged.`,
  );
};

/** A line that only reads, where the user lets those run. */
export const readOnlyLine: Consideration = ({ prepared }, { readOnlyShell, shell }) => {
  const isRead = prepared.shell !== undefined && shell?.line === prepared.shell;
  if (!readOnlyShell || !isRead || shell.notReadOnly !== undefined) return undefined;
  return allows("rule", "read-only-shell", "It only reads (autogpt.approval.readOnlyShell).");
};

/** A line that the sandbox confines. */
export const sandboxedLine: Consideration = ({ prepared }, context) => {
  const script = scriptOf(context);
  if (prepared.shell === undefined || context.sandbox !== "trusted" || !script || rewrites(script))
    return undefined;
  return allows(
    "rule",
    "sandbox",
    "It runs in the sandbox, without network access, and deletes nothing (autogpt.shell.sandbox).",
  );
};

/** A line that gives secrets away or reaches beyond the workspace asks, unless a rule or a saved line allows it. */
export const reachesFar: Consideration = ({ prepared }, context) => {
  const script = scriptOf(context);
  const isHarmless = context.savedLine !== undefined || context.shell?.notReadOnly === undefined;
  if (prepared.shell === undefined || !script || isHarmless) return undefined;
  const why = farReaching(script);
  return why === undefined ? undefined : asks("far-reaching", why, true);
};

/** A line that openly writes outside the workspace asks, unless a rule allows it or a sandbox prevents it. */
export const writesOutside: Consideration = ({ prepared }, context) => {
  const script = scriptOf(context);
  if (prepared.shell === undefined || !script || context.sandbox !== undefined) return undefined;
  const file = writtenOutside(script, context.folders, context.platform, prepared.cwd);
  if (file === undefined) return undefined;
  return asks("outside-workspace", `It would write to ${file}, which is outside the workspace.`, true);
};

/** True when a line may send data out: it does more than read, and no sandbox confines it. */
export function lineLeaves(context: PolicyContext): boolean {
  const readsOnly = context.shell !== undefined && context.shell.notReadOnly === undefined;
  return !readsOnly && context.sandbox === undefined;
}

/** The hosts that a line names and the user has not allowed, and whether it contacts a host that it doesn't name. */
export function newHosts(context: PolicyContext): {
  readonly hosts: readonly string[];
  readonly isHidden: boolean;
} {
  const script = scriptOf(context);
  if (!script) return { hosts: [], isHidden: false };
  const { hosts, isHidden, sends } = outgoingHosts(script);
  return { hosts: hosts.filter((host) => !context.hosts.includes(host)), isHidden: isHidden || sends };
}

export function scriptOf({ shell }: PolicyContext): ShellScript | undefined {
  return shell?.reading.kind === "script" ? shell.reading : undefined;
}
