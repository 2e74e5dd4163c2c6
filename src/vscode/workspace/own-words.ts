import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Run } from "../../core/events/run.ts";
import {
  createOwnStart,
  describeMissingAgent,
  findCommandAgent,
  findNextAgents,
  findOwnAgent,
  type NextAgent,
  type OwnAgent,
  type OwnStart,
  readOwnAgents,
} from "../../runtime/instructions/own-agents.ts";
import {
  describeUnrunLines,
  expandCommand,
  findSentCommand,
  findSentName,
  listCommandInputs,
  type OwnCommand,
  readInputValues,
  readOwnCommands,
  renderCommandBlock,
  type SentCommand,
} from "../../runtime/instructions/own-commands.ts";
import { findOwnFilePlaces } from "../../runtime/instructions/run-instructions.ts";
import type { Sentence } from "../../texts/display-text.ts";
import { readSettings } from "../host/settings.ts";
import { findLikelyFolder } from "./folders.ts";
import { demandInBounds } from "./mentions.ts";
import { editorFiles } from "./virtual-files.ts";

/** The start of a run by an agent or a command. */
export interface ChosenStart {
  readonly start: OwnStart;
  /** The name of the agent that the user chose. */
  readonly agent?: string;
}

/** The commands and agents of the user and of the next run's folder. They are read again whenever they are used. */
export class OwnWords {
  private readonly prompts: string;

  /** `prompts` is VS Code's folder for the user's prompts. */
  constructor(prompts: string) {
    this.prompts = prompts;
  }

  async listCommands(): Promise<readonly OwnCommand[]> {
    return (await readOwnCommands(await this.findPlaces())).commands;
  }

  async listAgents(): Promise<readonly OwnAgent[]> {
    return (await readOwnAgents(await this.findPlaces())).agents;
  }

  /** The quoted text of the command that a message begins with, if it begins with one. Asks for its inputs. */
  async quoteCommand(typed: string, tell: (text: Sentence) => void): Promise<readonly string[]> {
    const sent = await this.findSent(typed);
    if (!sent) return [];
    for (const line of describeUnrunLines(sent.command)) tell(line);
    return [renderCommandBlock(sent.command, await this.expand(sent))];
  }

  /** The text of a prompt file that is mentioned, with its inputs. */
  async findPrompt(name: string): Promise<{ readonly source: string; readonly text: string } | undefined> {
    const command = (await this.listCommands()).find((one) => one.name === name);
    return command && { source: command.file, text: await this.expand({ command, rest: "" }) };
  }

  /** Finds the parts of a new run that come from an agent, or from the task's command. Throws a sentence for an unknown agent. */
  async chooseStart(typed: string, name: string | undefined): Promise<ChosenStart | undefined> {
    const sent = await this.findSent(typed);
    if (name === undefined && !sent) return undefined;
    const agents = await this.listAgents();
    const agent = name === undefined ? sent && findCommandAgent(sent.command, agents) : findOwnAgent(name, agents);
    if (name !== undefined && !agent) throw new Error(describeMissingAgent(name, agents));
    const start = createOwnStart(agent, sent?.command, readSettings().model);
    return { start, ...omitUndefined({ agent: name }) };
  }

  /** The agents that a run's own agent suggests for what follows. */
  findNextAgents(run: Run): Promise<readonly NextAgent[]> {
    return findNextAgents(run, () => this.listAgents());
  }

  private async findSent(typed: string): Promise<SentCommand | undefined> {
    return findSentName(typed) === undefined ? undefined : findSentCommand(typed, await this.listCommands());
  }

  private async expand(sent: SentCommand): Promise<string> {
    const editor = vscode.window.activeTextEditor;
    const names = /\$\{(?:file|selection|selectedText)/.test(sent.command.body);
    if (editor && names) await demandInBounds([editor.document.uri]);
    const selection = editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : undefined;
    return expandCommand(sent, {
      workspaceFolder: findLikelyFolder() ?? "",
      file: editor?.document.uri.fsPath,
      selection,
      values: await askForInputs(sent),
    });
  }

  private findPlaces(): ReturnType<typeof findOwnFilePlaces> {
    const folder = vscode.workspace.isTrusted ? findLikelyFolder() : undefined;
    return findOwnFilePlaces({ workspace: { virtualFiles: editorFiles } }, folder, this.prompts);
  }
}

/** Asks for the inputs that a message doesn't give, one after the other. Canceling one cancels all. */
async function askForInputs(sent: SentCommand): Promise<ReadonlyMap<string, string>> {
  const { name, description, body } = sent.command;
  const values = new Map(readInputValues(sent));
  for (const input of listCommandInputs(body)) {
    if (values.has(input.name)) continue;
    const value = await vscode.window.showInputBox({
      title: description || name,
      prompt: input.name,
      placeHolder: input.placeholder,
      ignoreFocusOut: true,
    });
    if (value === undefined) throw new vscode.CancellationError();
    values.set(input.name, value);
  }
  return values;
}
