import * as vscode from "vscode";
import { waitUntilAborted } from "../../core/base/async.ts";
import { AGENT_TOOL, ToolCalls } from "../../editor/chat/agent-tool.ts";

/** Tools of the editor and of other extensions, for runs. Excludes our own tool, which refuses to work inside a run's call. */
export class EditorTools {
  /** Calls that runs have made. */
  readonly calls = new ToolCalls();

  list(): readonly vscode.LanguageModelToolInformation[] {
    return vscode.lm.tools.filter(({ name }) => name !== AGENT_TOOL);
  }

  /** Calls a tool without a dialog, because the call is already approved. Throws the signal's reason if it aborts. */
  async invoke(name: string, input: object, signal: AbortSignal): Promise<vscode.LanguageModelToolResult> {
    if (name === AGENT_TOOL) throw new Error("A run can't start another run through its own tool.");
    signal.throwIfAborted();
    const cancellation = new vscode.CancellationTokenSource();
    const cancel = (): void => cancellation.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const options = { input, toolInvocationToken: undefined };
    const call = Promise.resolve(vscode.lm.invokeTool(name, options, cancellation.token));
    this.calls.add(call, signal);
    try {
      return await waitUntilAborted(call, signal);
    } finally {
      signal.removeEventListener("abort", cancel);
      cancellation.dispose();
    }
  }

  /** The text of a tool's result. */
  async readToolText(name: string, signal: AbortSignal): Promise<string> {
    const { content } = await this.invoke(name, {}, signal);
    return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
  }
}
