import { omitUndefined } from "../../core/base/objects.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { Disk } from "../../core/ports/disk.ts";
import { displayText } from "../../texts/display-text.ts";
import { getPathKey, isInside, resolvePathFrom } from "../paths/paths.ts";
import { getProgramFacts } from "../programs/table.ts";
import { findNamedHost } from "../provenance/hosts.ts";
import { getToolName, readExecutedFiles } from "../shell/executed-files.ts";
import type { LineFacts } from "../shell/line-facts.ts";
import { UNKNOWN } from "../shell/reading.ts";
import type { ProgramCall } from "../shell/script.ts";
import { listRewrittenWords } from "../shell/writes-outside.ts";
import { findShellFacts } from "./line-considerations.ts";
import { type AfterText, type Consideration, createAskJudgment, type OwnFiles, type PolicyContext } from "./verdict.ts";

/** Dependencies of the facts about a call after untrusted text. */
interface TextFactsInput {
  readonly line: LineFacts | undefined;
  readonly own: OwnFiles;
  /** Hosts that the text named and that the user hasn't allowed. */
  readonly hosts: ReadonlySet<string>;
  readonly folders: readonly string[];
  readonly outdated: AfterText["outdated"];
}

/** Facts about a call that matter once the run has read text that others wrote. */
export async function collectTextFacts(
  request: ApprovalRequest,
  { line, own, hosts, folders, outdated }: TextFactsInput,
  disk: Disk | undefined,
): Promise<AfterText> {
  const cwd = request.prepared.cwd ?? folders[0] ?? "";
  const loses =
    findFileLostByCall(request, own) ??
    (line && disk ? await findFileLostByLine(line, { cwd, folders }, own, disk) : undefined);
  const carries = findNamedHost(extractNewText(request), hosts);
  const runsOwn = line && disk ? await findOwnProgram(line, cwd, own, disk) : undefined;
  return {
    outdated,
    ...omitUndefined({ loses, carries, runsOwn }),
  };
}

/** Finds a file that a call deletes or replaces for the most part, and that the run didn't create. */
function findFileLostByCall({ prepared }: ApprovalRequest, { created }: OwnFiles): string | undefined {
  const { preview, touches, shell } = prepared;
  if (shell !== undefined) return undefined;
  const deleted = touches.find(({ path, how }) => how === "delete" && !created.has(path));
  if (deleted) return deleted.path;
  if (preview.kind !== "change" || !preview.before || created.has(preview.target)) return undefined;
  const kept = new Set(preview.after.split("\n"));
  const before = preview.before.split("\n").filter((line) => line.trim() !== "");
  const left = before.filter((line) => kept.has(line)).length;
  return left * 2 < before.length ? preview.file : undefined;
}

/** Finds an existing file that a line deletes or overwrites, and that the run didn't create. */
async function findFileLostByLine(
  { spelled }: LineFacts,
  { cwd, folders }: { readonly cwd: string; readonly folders: readonly string[] },
  { created }: OwnFiles,
  disk: Disk,
): Promise<string | undefined> {
  for (const { text, isPattern } of spelled.flatMap(listRewrittenWords).slice(0, MOST_NAMES)) {
    if (text.includes(UNKNOWN)) return text.replaceAll(UNKNOWN, "…");
    if (DEVICE.test(text)) continue;
    const path = resolvePathFrom(cwd, text);
    const found = await disk.resolveRealPaths(path, isPattern);
    if (!found || found.some((one) => !created.has(one) && !isTemporary(one, folders))) return text;
  }
  return undefined;
}

const MOST_NAMES = 50;
const DEVICE = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$|^\$null$/;

function isTemporary(path: string, folders: readonly string[]): boolean {
  return /^\/(?:tmp|var\/tmp|private\/tmp)\/./.test(path) && !isInside(path, folders, "linux");
}

/** The texts of a call that weren't in the file before. */
function extractNewText({ prepared, proposal }: ApprovalRequest): string {
  const { preview, shell, effect } = prepared;
  if (effect === "none" || effect === "read" || effect === "finish") return shell ?? "";
  const before = new Set(preview.kind === "change" ? (preview.before ?? "").split("\n") : []);
  const changed = preview.kind === "change" ? preview.after.split("\n").filter((line) => !before.has(line)) : [];
  const args = preview.kind === "change" ? "" : JSON.stringify(proposal.call.args);
  return [shell ?? "", args, ...changed].join("\n");
}

/** Finds a program or script that a line would run and that the run has changed. */
async function findOwnProgram(
  { calls }: LineFacts,
  cwd: string,
  { changed }: OwnFiles,
  disk: Disk,
): Promise<string | undefined> {
  if (changed.size === 0 || isUriPath(cwd)) return undefined;
  const own = new Set([...changed].map(getPathKey));
  for (const { path } of await readExecutedFiles(calls, cwd, disk)) {
    const names = [path, ...((await disk.resolveRealPaths(path, false)) ?? [])];
    if (names.some((name) => own.has(getPathKey(name)))) return path;
  }
  return undefined;
}

/** The first program in a line whose effect the line doesn't show; undefined if there is none. */
function findUnjudgedProgram(calls: readonly ProgramCall[]): string | undefined {
  for (const { name: spelled, words, texts, redirects } of calls) {
    const name = getToolName(spelled);
    const { unclear, runs } = getProgramFacts(name);
    const isInline = runs === "script" && texts.some((text) => /^-\w*c/.test(text));
    const isSocket = [...words, ...redirects.map(({ target }) => target)].some(({ text }) =>
      /\/dev\/(?:tcp|udp)\//.test(text),
    );
    const isOpenssl = name === "openssl" && !words.some(({ text }) => /^s_(?:client|server|time)$/.test(text));
    if (isSocket || (unclear === "socket" && !isOpenssl) || (unclear === "code" && !isInline))
      return words[0]?.text || "/dev/tcp";
  }
  return undefined;
}

/** After untrusted text, asks about programs whose command line doesn't show their effect, and about scripts that the run has changed. */
export const judgeUnclearProgram: Consideration = (request, context) => {
  if (context.untrusted.length === 0 || context.sandbox !== undefined || !isCovered(context)) return undefined;
  const facts = findShellFacts(request, context);
  if (facts && facts.notReadOnly === undefined) return undefined;
  const { prepared, proposal } = request;
  if (prepared.effect === "run" && prepared.shell === undefined && prepared.printedBy === undefined)
    return createAskJudgment("untrusted-text", displayText("safety.runsAfterText", { program: proposal.call.name }));
  if (!facts?.inLine) return undefined;
  const program = findUnjudgedProgram(facts.inLine.spelled) ?? context.afterText?.runsOwn;
  return program === undefined
    ? undefined
    : createAskJudgment("untrusted-text", displayText("safety.runsAfterText", { program }));
};

/** An approval from before untrusted text was read doesn't cover the loss of files, or a call with an address from that text. */
export const judgeOutdatedApproval: Consideration = (_request, context) => {
  const { afterText, untrusted } = context;
  if (!afterText || untrusted.length === 0 || !isCovered(context) || isCoveredSince(context)) return undefined;
  const { loses, carries } = afterText;
  if (loses !== undefined)
    return createAskJudgment("outdated-approval", displayText("safety.losesAfterText", { file: loses }), true);
  if (carries === undefined) return undefined;
  return createAskJudgment("outdated-approval", displayText("safety.carriesAddress", { address: carries }), true);
};

/** Whether an approval in advance may cover the call. If not, the call asks anyway. */
function isCovered({ mode, continuousLeft, grantLeft, savedLine, rules }: PolicyContext): boolean {
  const isContinuous = mode === "continuous" && continuousLeft > 0;
  return isContinuous || grantLeft > 0 || savedLine !== undefined || rules.some(({ action }) => action === "allow");
}

/** Whether the user has given an approval in advance since the untrusted text was read. */
function isCoveredSince({ mode, continuousLeft, grantLeft, afterText }: PolicyContext): boolean {
  if (mode === "continuous" && continuousLeft > 0) return afterText?.outdated.continuous === false;
  return grantLeft > 0 && afterText?.outdated.grant === false;
}
