import { outgoingHosts } from "../provenance/hosts.ts";
import { rewrites } from "../shell/deletion.ts";
import { destructive, destructiveCode, doubtful } from "../shell/destructive.ts";
import { farReaching } from "../shell/far-reaching.ts";
import { mentionInCode, protectedMention } from "../shell/mentions.ts";
import { writtenOutside } from "../shell/reach.ts";
import type { ShellScript } from "../shell/reading.ts";
import { allows, asks, type Consideration, type PolicyContext, refuses } from "./verdict.ts";

/** What is refused whoever wants it. */
export const destructiveLine: Consideration = ({ prepared, proposal }, context) => {
  if (prepared.effect !== "run" && prepared.shell === undefined) return undefined;
  const { shell = "", cwd } = prepared;
  const { code } = proposal.call.args;
  const why =
    destructive(shell, scriptOf(context), context.folders, cwd) ??
    (typeof code === "string" ? destructiveCode(code) : undefined);
  return why === undefined ? undefined : refuses("destructive", `${why} That is refused in every mode.`);
};

/** A line that nobody can read asks in every mode. */
export const unreadableLine: Consideration = ({ prepared }, { shell }) => {
  if (prepared.shell === undefined) return undefined;
  if (shell?.line !== prepared.shell)
    return asks("unreadable-line", "Command lines cannot be read here, so each one asks.");
  if (shell.reading.kind === "script") return undefined;
  return asks(
    "unreadable-line",
    `The effect of this command line can't be determined in advance. ${shell.reading.why}`,
  );
};

/** A line that names a protected file asks in every mode, unless all it does is read what is no secret. */
export const protectedInLine: Consideration = ({ prepared }, context) => {
  const script = scriptOf(context);
  if (prepared.shell === undefined || !script) return undefined;
  const doubt = doubtful(script, context.folders, prepared.cwd);
  if (doubt !== undefined) return asks("doubtful-line", doubt, true);
  if (context.shell?.notReadOnly === undefined) return undefined;
  const mention = protectedMention(script) ?? context.shell?.linked;
  if (!mention) return undefined;
  return asks("sensitive-file", `It names ${mention.text}, which ${mention.why}.`, true);
};

/** Code that names a protected file asks in every mode, as a line does. */
export const protectedInCode: Consideration = ({ prepared, proposal }) => {
  const { code } = proposal.call.args;
  const mention = prepared.effect === "run" && typeof code === "string" ? mentionInCode(code) : undefined;
  return mention && asks("sensitive-file", `Its code names ${mention.text}, which ${mention.why}.`, true);
};

/** A line that names what the user keeps the agent out of asks in every mode. */
export const outOfBounds: Consideration = ({ prepared }, { shell }) => {
  if (shell?.line !== prepared.shell || shell?.ignored?.by !== "agent") return undefined;
  const reason = `It names ${shell.ignored.name}, which the user's .autogptignore keeps the agent out of.`;
  return asks("out-of-bounds", reason, true);
};

/** Lines that run because they were taught, because they only read, or because the sandbox holds them. */
export const harmlessLine: Consideration = ({ prepared }, context) => {
  if (prepared.shell === undefined) return undefined;
  if (context.taught !== undefined)
    return allows(
      "rule",
      "taught",
      `You taught that ${JSON.stringify(context.taught)} may always run here, and nothing that it runs has changed since.`,
    );
  const readsOnly = context.shell?.line === prepared.shell && context.shell.notReadOnly === undefined;
  if (context.readOnlyShell && readsOnly)
    return allows("rule", "read-only-shell", "It is known to read only (autogpt.approval.readOnlyShell).");
  const script = scriptOf(context);
  if (context.sandbox !== "trusted" || !script || rewrites(script)) return undefined;
  return allows(
    "rule",
    "sandbox",
    "It runs in the sandbox, without the network, and deletes nothing (autogpt.shell.sandbox).",
  );
};

/** A line that gives secrets away or reaches beyond the workspace asks, unless a rule or a lesson allows it. */
export const reachesFar: Consideration = ({ prepared }, context) => {
  const script = scriptOf(context);
  const isHarmless = context.taught !== undefined || context.shell?.notReadOnly === undefined;
  if (prepared.shell === undefined || !script || isHarmless) return undefined;
  const why = farReaching(script);
  return why === undefined ? undefined : asks("far-reaching", why, true);
};

/** A line that openly writes outside the workspace asks, unless a rule allows it or a sandbox keeps it from that. */
export const writesOutside: Consideration = ({ prepared }, context) => {
  const script = scriptOf(context);
  if (prepared.shell === undefined || !script || context.sandbox !== undefined) return undefined;
  const file = writtenOutside(script, context.folders, context.platform, prepared.cwd);
  if (file === undefined) return undefined;
  return asks("outside-workspace", `It would write to ${file}, which is outside the workspace.`, true);
};

/** Where a line may send something: nowhere when it only reads or is confined. */
export function lineLeaves(context: PolicyContext): boolean {
  const readsOnly = context.shell !== undefined && context.shell.notReadOnly === undefined;
  return !readsOnly && context.sandbox === undefined;
}

/** The hosts that a line names and the user has not allowed, and whether it hides one or sends to one that is not named. */
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
