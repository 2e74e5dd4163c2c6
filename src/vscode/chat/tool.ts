import { relative } from "node:path";
import * as vscode from "vscode";
import {
  demandNotNested,
  FROM_AGENT,
  formatTaskToConfirm,
  formatToolResult,
  readTaskArgument,
} from "../../editor/chat/agent-tool.ts";
import { waitWithCancellation } from "../../editor/chat/chat-turn.ts";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { getErrorText, writeInEnglish } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { EditorTools } from "../host/editor-tools.ts";
import type { Starter } from "../host/starter.ts";

/** Dependencies of our tool. */
export interface ToolDependencies {
  readonly runs: HostedRuns;
  readonly tools: EditorTools;
  readonly starter: Starter;
}

/** The tool with which other agents start a run. VS Code asks the user first, and the run's steps ask as usual. */
export function createAgentTool({ runs, tools, starter }: ToolDependencies): vscode.LanguageModelTool<unknown> {
  return {
    prepareInvocation: ({ input }) => {
      demandNotNested(runs.all, tools.calls);
      return {
        invocationMessage: t("chat.toolWorks"),
        confirmationMessages: {
          title: t("chat.confirmTitle"),
          message: new vscode.MarkdownString(`${t("chat.confirmText")}${formatTaskToConfirm(input)}`),
        },
      };
    },
    invoke: async ({ input }, token) => {
      try {
        demandNotNested(runs.all, tools.calls);
        const task = readTaskArgument(input);
        await starter.demandStart();
        const hosted = await starter.startTask({ task, mode: "ask", sources: [FROM_AGENT] });
        const end = await waitWithCancellation(hosted, token, async () => hosted.live?.end);
        if (!end || token.isCancellationRequested) throw new vscode.CancellationError();
        const text = formatToolResult(hosted.run.state, end, await listChangedFiles(hosted));
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      } catch (error) {
        if (error instanceof vscode.CancellationError) throw error;
        throw new Error(writeInEnglish(getErrorText(error)));
      }
    },
  };
}

async function listChangedFiles({ undo, folder }: HostedRun): Promise<readonly string[]> {
  const before = (await undo?.listEarlierContents()) ?? [];
  return before.map(({ path }) => relative(folder, path));
}
