import { escapeInvisible, quotePowerShellText } from "../core/base/text.ts";
import type { Run } from "../core/events/run.ts";
import {
  createOwnStart,
  describeMissingAgent,
  findCommandAgent,
  findNextAgents,
  findOwnAgent,
  type OwnStart,
  readOwnAgents,
} from "../runtime/instructions/own-agents.ts";
import {
  describeUnrunLines,
  expandCommand,
  findSentCommand,
  findSentName,
  listCommandInputs,
  readInputValues,
  readOwnCommands,
  renderCommandBlock,
  type SentCommand,
} from "../runtime/instructions/own-commands.ts";
import { findOwnFilePlaces } from "../runtime/instructions/run-instructions.ts";
import type { Session } from "./session.ts";
import { UsageError } from "./usage-error.ts";

/** Adds the text of the command that the task begins with. Throws a sentence if the command is misspelled or lacks an input. */
export async function addSentCommand(session: Session): Promise<Session> {
  const { options, host, workspace, warn } = session;
  const { task } = options;
  if (task === undefined || findSentName(task) === undefined) return session;
  const { commands, unread } = await readOwnCommands(await findOwnFilePlaces(host, workspace));
  const sent = findSentCommand(task, commands);
  if (!sent) return session;
  const { command } = sent;
  const whose = command.by === "user" ? "your own words" : "the repository's own words";
  for (const line of [`/${command.name} is ${command.file}, ${whose}.`, ...unread, ...describeUnrunLines(command)])
    warn(escapeInvisible(line));
  const values = readValues(sent, options.inputs);
  const block = renderCommandBlock(command, expandCommand(sent, { workspaceFolder: workspace, values }));
  return { ...session, command, options: { ...options, task: `${task}\n\n${block}` } };
}

/** The values of a command's inputs. Throws `UsageError` for a missing one. */
function readValues(sent: SentCommand, given: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const values = new Map([...readInputValues(sent), ...given]);
  for (const { name, placeholder } of listCommandInputs(sent.command.body))
    if (!values.has(name))
      throw new UsageError(
        `/${sent.command.name} asks for ${name}${placeholder === "" ? "" : ` (${placeholder})`}. Add --input ${name}=VALUE.`,
      );
  return values;
}

/** Finds the parts of the run that come from the agent in the options, or from the task's command. Throws a sentence for an unknown agent. */
export async function chooseOwnStart({
  options,
  host,
  workspace,
  loaded,
  command,
  warn,
}: Session): Promise<OwnStart | undefined> {
  const { agent: name } = options.profile;
  if (name === undefined && command === undefined) return undefined;
  const { agents } = await readOwnAgents(await findOwnFilePlaces(host, workspace));
  const agent = name === undefined ? command && findCommandAgent(command, agents) : findOwnAgent(name, agents);
  if (name !== undefined && !agent) throw new UsageError(describeMissingAgent(name, agents));
  const start = createOwnStart(agent, command, loaded.settings.model);
  for (const remark of start.remarks) warn(escapeInvisible(remark));
  return start;
}

/** Says how to hand a finished run over, where its agent's file suggests that. Nothing starts by itself. */
export async function suggestHandOver({ host, workspace, warn, options }: Session, run: Run): Promise<void> {
  if (options.json) return;
  const load = async () => (await readOwnAgents(await findOwnFilePlaces(host, workspace))).agents;
  for (const { agent, prompt } of await findNextAgents(run, load)) warn(describeHandOver(agent, prompt || "Continue."));
}

/** The options of the next run, as a line that people paste into a shell: the file's words can only be words there. */
export function describeHandOver(agent: string, prompt: string, platform = process.platform): string {
  const quote = platform === "win32" ? quoteForWindows : quoteForPosix;
  const [name = "", task = ""] = [agent, prompt].map((text) =>
    quote(escapeInvisible(text.replace(/\s+/g, " ").trim())),
  );
  return `To hand over to ${escapeInvisible(agent)}: --agent ${name} --task ${task}`;
}

/** Backslashes are outside the quotes, because fish reads them inside. */
function quoteForPosix(text: string): string {
  return `'${text.replace(/['\\]/g, "'\\$&'")}'`;
}

/** Without the signs that cmd.exe would read, for which single quotes are no quotes. */
function quoteForWindows(text: string): string {
  return quotePowerShellText(text.replace(/[&|<>^%"]/g, " "));
}
