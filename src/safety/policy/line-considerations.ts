import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { displayText } from "../../texts/display-text.ts";
import { outgoingHosts } from "../provenance/hosts.ts";
import { rewrites } from "../shell/deletion.ts";
import { destructive, destructiveCode, doubtful } from "../shell/destructive.ts";
import { farReaching } from "../shell/far-reaching.ts";
import { codeProblem } from "../shell/inline-code.ts";
import { mentionInCode, protectedMention } from "../shell/mentions.ts";
import type { ShellScript } from "../shell/reading.ts";
import { placeInCode, placeOutside } from "../shell/writes-outside.ts";
import { allows, asks, type Consideration, type PolicyContext, refuses } from "./verdict.ts";

/** Lines and code that are refused in every mode. */
export const destructiveLine: Consideration = ({ prepared, proposal }, context) => {
  if (prepared.effect !== "run" && prepared.shell === undefined) return undefined;
  const { shell = "", cwd } = prepared;
  const { code } = proposal.call.args;
  const why =
    destructive(shell, scriptOf(context), context.folders, cwd) ??
    (typeof code === "string" ? destructiveCode(code) : undefined);
  return why === undefined ? undefined : refuses("destructive", displayText("safety.destructive", { why }));
};

/** A line that can't be parsed asks in every mode. */
export const unreadableLine: Consideration = ({ prepared }, { shell }) => {
  if (prepared.shell === undefined) return undefined;
  if (shell?.line !== prepared.shell) return asks("unreadable-line", displayText("safety.unanalyzed"));
  if (shell.reading.kind === "script") return undefined;
  return asks("unreadable-line", displayText("safety.unreadable", { why: shell.reading.why }));
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
  const mention = protectedMention(script, context.platform) ?? context.shell.linked;
  if (!mention) {
    const { reaches } = context.shell;
    return reaches === undefined || context.sandbox !== undefined
      ? undefined
      : asks("sensitive-file", reaches, true);
  }
  return asks(
    "sensitive-file",
    displayText("safety.namesProtected", { file: mention.text, why: mention.why }),
    true,
  );
};

/** Code that names a protected file asks in every mode, as a line does. */
export const protectedInCode: Consideration = ({ prepared, proposal }) => {
  const { code } = proposal.call.args;
  const mention = prepared.effect === "run" && typeof code === "string" ? mentionInCode(code) : undefined;
  return (
    mention &&
    asks(
      "sensitive-file",
      displayText("safety.codeNamesProtected", { file: mention.text, why: mention.why }),
      true,
    )
  );
};

/** A line that names a file which the user's ignore file excludes asks in every mode. */
export const outOfBounds: Consideration = ({ prepared }, { shell }) => {
  if (shell?.line !== prepared.shell || shell?.ignored?.by !== "agent") return undefined;
  return asks("out-of-bounds", displayText("safety.outOfBounds", { file: shell.ignored.name }), true);
};

/** A line that the user has saved as always allowed. */
export const savedLine: Consideration = ({ prepared }, { savedLine }) => {
  if (prepared.shell === undefined || savedLine === undefined) return undefined;
  return allows("rule", "taught", displayText("safety.savedLine", { line: JSON.stringify(savedLine) }));
};

/** A line that only reads, where the user lets those run. */
export const readOnlyLine: Consideration = ({ prepared }, { readOnlyShell, shell }) => {
  const isRead = prepared.shell !== undefined && shell?.line === prepared.shell;
  if (!readOnlyShell || !isRead || shell.notReadOnly !== undefined) return undefined;
  return allows("rule", "read-only-shell", displayText("safety.readOnly"));
};

/** A line that the sandbox confines. */
export const sandboxedLine: Consideration = ({ prepared }, context) => {
  const script = scriptOf(context);
  if (prepared.shell === undefined || context.sandbox !== "trusted" || !script || rewrites(script))
    return undefined;
  return allows("rule", "sandbox", displayText("safety.sandboxed"));
};

/** Calls that the table of what asks in every mode names ask, unless a rule or a saved line allows them. */
export const reachesFar: Consideration = ({ prepared, proposal }, context) => {
  const code = givenCode(prepared, proposal.call.args);
  const inCode = code === undefined ? undefined : codeProblem(code);
  if (inCode !== undefined)
    return asks("far-reaching", displayText("safety.line.codeReaches", { effect: inCode }), true);
  const started = context.codeLines && farReaching(context.codeLines);
  if (started !== undefined) return asks("far-reaching", started, true);
  const script = scriptOf(context);
  const isHarmless = context.savedLine !== undefined || context.shell?.notReadOnly === undefined;
  if (prepared.shell === undefined || !script || isHarmless) return undefined;
  const why = farReaching(script);
  return why === undefined ? undefined : asks("far-reaching", why, true);
};

/** A line or code that openly uses a place outside the workspace asks, unless a rule allows it or a sandbox prevents it. */
export const writesOutside: Consideration = ({ prepared, proposal }, context) => {
  if (context.sandbox !== undefined) return undefined;
  const ground = { folders: context.folders, platform: context.platform, cwd: prepared.cwd };
  const code = givenCode(prepared, proposal.call.args);
  const named = code === undefined ? undefined : placeInCode(code, ground);
  if (named !== undefined)
    return asks("outside-workspace", displayText("safety.codeNamesOutside", { file: named }), true);
  const script = scriptOf(context);
  if (prepared.shell === undefined || !script) return undefined;
  const linked = context.shell?.linkedOutside;
  const place =
    placeOutside(script, ground) ?? (linked === undefined ? undefined : { file: linked, how: "writes" });
  if (!place) return undefined;
  const { file, how } = place;
  return asks(
    "outside-workspace",
    how === "writes"
      ? displayText("safety.writesOutside", { file })
      : displayText("safety.codeNamesOutside", { file }),
    true,
  );
};

/** The code that a call passes as text. */
export function givenCode(
  { effect }: ApprovalRequest["prepared"],
  { code }: Readonly<Record<string, unknown>>,
): string | undefined {
  return effect === "run" && typeof code === "string" ? code : undefined;
}

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
