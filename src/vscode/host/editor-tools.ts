import * as vscode from "vscode";
import { AGENT_TOOL, ToolCalls } from "../../chat/agent-tool.ts";
import { waitUntilAborted } from "../../core/base/async.ts";

/** The tools of the editor and of other extensions, for runs. Our own isn't among them, and refuses to work while one of them does. */
export class EditorTools {
  /** Calls that runs have made. */
  readonly calls = new ToolCalls();

  list(): readonly vscode.LanguageModelToolInformation[] {
    return vscode.lm.tools.filter(({ name }) => name !== AGENT_TOOL);
  }

  /** Calls a tool without any dialog: whoever calls it has had the call approved. Throws the signal's reason once that aborts. */
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

  /** The text that a tool answers with. */
  async readToolText(name: string, signal: AbortSignal): Promise<string> {
    const { content } = await this.invoke(name, {}, signal);
    return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
  }
}
