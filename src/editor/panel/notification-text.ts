import { escapeInvisible, isPlain } from "../../core/base/text.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { t } from "../../texts/language.ts";

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
  readonly run: {
    readonly state: { readonly worksFor?: unknown; readonly profile: { readonly name: string } };
  };
}

/** The name of the agent that asks. A sub-agent's own name is used, so that it isn't mistaken for its parent. */
export function getAskerName({ run: { state } }: NotifyingRun): string {
  return state.worksFor === undefined
    ? "AutoGPT"
    : t("review.agentName", { name: formatDisplayLine(state.profile.name) });
}

/**
 * A notification about a proposal that needs approval. `approvable`: it shows everything that would run, so it may offer to approve it.
 * Otherwise the text is always the same, so that the editor replaces an outdated notification.
 */
export function createApprovalNotice(
  hosted: NotifyingRun,
  { prepared, why }: Pick<ApprovalRequest, "prepared" | "why">,
): { readonly text: string; readonly approvable: boolean } {
  const { shell, cwd = hosted.folder } = prepared;
  const warns = why !== undefined && (why.sensitive || why.sources.length > 0);
  if (shell === undefined || warns || !isPlain(shell) || !isPlain(`in ${cwd}`))
    return { text: t("review.approvalNeeded", { agent: getAskerName(hosted) }), approvable: false };
  const agent = getAskerName(hosted);
  const text =
    cwd === hosted.folder
      ? t("review.runCommand", { agent, command: shell })
      : t("review.runCommandIn", { agent, folder: cwd, command: shell });
  return { text, approvable: true };
}
