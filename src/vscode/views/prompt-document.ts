import * as vscode from "vscode";
import { compareStepPrompt, type ShownPrompt } from "../../core/prompt/shown-prompt.ts";
import type { HostedRun } from "../../panel/hosted-runs.ts";
import { readLog } from "../../runs/log/read-log.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { TextDocuments } from "./text-documents.ts";

/** Opens what was sent for a step, rebuilt from the run's events. */
export async function showPrompt(documents: TextDocuments, hosted: HostedRun, step: number): Promise<void> {
  const { events } = await readLog(hosted.home);
  const shown = compareStepPrompt(events, step);
  if (!shown) fail("review.noPrompt", { step });
  await documents.show(t("review.promptOfStep", { step }), formatPrompt(shown), { languageId: "markdown" });
}

/** Formats the prompt, with a mark after the part that can be cached, below facts about the cache. */
function formatPrompt({ same, rest, before = 0, differsAt, usage }: ShownPrompt): string {
  const facts = [
    ...(usage ? [t("review.promptCached", { cached: usage.cached ?? 0, input: usage.input })] : []),
    ...(differsAt === undefined ? [] : [t("review.promptDiffers", { step: before, byte: differsAt })]),
  ];
  if (same === "") return [...facts, rest].join("\n\n");
  const begin = same.endsWith("\n\n") ? same : `${same}\n\n`;
  const line = 2 * (facts.length + 1) + begin.split("\n").length;
  const head = [...facts, t("review.promptSameTo", { step: before, line })];
  return [...head, `${begin}═══ ${t("review.promptSame", { step: before })} ═══`, rest].join("\n\n");
}

/** Lets the user pick a step whose prompt can be shown. */
export async function pickStep(hosted: HostedRun): Promise<number | undefined> {
  const { events } = await readLog(hosted.home);
  const commands = new Map<number, string>();
  for (const event of events) {
    if (event.type === "asked") commands.set(event.step, "");
    if (event.type === "replied") commands.set(event.step, getCommandName(event));
  }
  const items = [...commands]
    .toReversed()
    .map(([step, description]) => ({ label: t("approval.stepWord", { step }), description, step }));
  return (
    await vscode.window.showQuickPick(items, {
      title: t("review.showPrompt"),
      placeHolder: t("review.whichStep"),
    })
  )?.step;
}

function getCommandName({ reply }: Extract<AgentEvent, { type: "replied" }>): string {
  return reply.kind === "proposal" ? reply.call.name : "";
}
