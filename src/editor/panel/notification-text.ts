import { cutText, escapeInvisible, isPlain } from "../../core/base/text.ts";
import { createCallTitle } from "../../core/commands/call-title.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { ChangeFigures } from "../../schema/panel-values.ts";
import { t, write } from "../../texts/language.ts";

/** Maximum length of a text in a VS Code notification. */
const MAX_LINE = 600;

/** Text for notifications, tooltips and quick picks: one line without links, at most as long as VS Code shows. */
export function formatDisplayLine(text: string): string {
  const line = escapeInvisible(text.replace(/[\s\p{Cc}]+/gu, " ").trim()).replace(/\]\(/g, "] (");
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1)}…`;
}

/** The same for quick picks, which draw `$(name)` as an icon: others' text mustn't look like an icon of the editor. */
export function pickLine(text: string): string {
  return formatDisplayLine(text).replace(/\$\([\w-]+(?:~\w+)?\)/g, "\\$&");
}

/** The run that a notification is about. */
interface NotifyingRun {
  readonly folder: string;
  /** The user's own name for it. */
  readonly title?: string;
  readonly run: {
    readonly state: { readonly worksFor?: unknown; readonly task: string; readonly profile: { readonly name: string } };
  };
}

/** Maximum length of a run's title in a notification. */
const MAX_TITLE = 60;

/** Who asks: the run by its title, or the sub-agent by its name. */
function getRequesterName(hosted: NotifyingRun): string {
  const { state } = hosted.run;
  return state.worksFor === undefined ? cutText(hosted.title ?? state.task, MAX_TITLE) : getAskerName(hosted);
}

/** The name of the agent that asks. A sub-agent's own name is used, so that it isn't mistaken for its parent. */
export function getAskerName({ run: { state } }: NotifyingRun): string {
  return state.worksFor === undefined
    ? "AutoGPT"
    : t("review.agentName", { name: formatDisplayLine(state.profile.name) });
}

/**
 * A notification about a proposal that needs approval: what it would do, and which run asks. `approvable`: it shows everything that would
 * run, so it may offer to approve it.
 */
export function createApprovalNotice(
  hosted: NotifyingRun,
  { proposal, prepared, why }: Pick<ApprovalRequest, "proposal" | "prepared" | "why">,
  figures?: ChangeFigures,
): { readonly text: string; readonly approvable: boolean } {
  const { shell, cwd = hosted.folder } = prepared;
  const warns = why !== undefined && (why.sensitive || why.sources.length > 0);
  const run = getRequesterName(hosted);
  if (shell === undefined || warns || !isPlain(shell) || !isPlain(`in ${cwd}`)) {
    const action = formatAction(proposal.call, prepared.preview, figures);
    return { text: formatDisplayLine(t("review.approvalNeeded", { action, run })), approvable: false };
  }
  const agent = isPlain(run) ? run : getAskerName(hosted);
  const text =
    cwd === hosted.folder
      ? t("review.runCommand", { agent, command: shell })
      : t("review.runCommandIn", { agent, folder: cwd, command: shell });
  return { text, approvable: true };
}

/** The proposal as a question: "Edit src/cart.js? +1 −1". */
function formatAction(
  call: ApprovalRequest["proposal"]["call"],
  preview: ApprovalRequest["prepared"]["preview"],
  figures: ChangeFigures | undefined,
): string {
  if (preview.kind !== "change")
    return cutText(t("approval.otherAction", { action: write(createCallTitle(call).before) }), MAX_ACTION);
  const { file, before } = preview;
  const size = figures ? ` +${figures.added} −${figures.removed}` : "";
  return `${t(before === undefined ? "approval.createFile" : "approval.editFile", { file })}${size}`;
}

/** Maximum length of what a proposal does in a notification. */
const MAX_ACTION = 200;
