import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { type AskingCall, findAskingCalls } from "../programs/asking.ts";
import { explainCodeProblem, listInlineCode } from "./inline-code.ts";
import { listCommandWords } from "./mentions.ts";
import { getCommandName, type ShellScript, type SimpleCommand, type Word } from "./reading.ts";
import { expandSpellings } from "./spelling.ts";

/** A command in the form that the table of asking calls reads. */
interface CalledProgram {
  readonly name: string;
  readonly args: string;
  /** Assignments before the command or among its arguments. */
  readonly settings: readonly string[];
  readonly variables: readonly string[];
  /** Files that the command reads as its input. */
  readonly inputs: readonly string[];
  /** The arguments of git from its subcommand on. */
  readonly fromSubcommand: string;
}

/** The words of a line, and the names of its commands. */
interface LineWords {
  readonly words: readonly string[];
  readonly names: readonly string[];
}

/** Explains why a line asks in every mode without naming a protected file; undefined if it doesn't seem to. */
export function explainFarReach(script: ShellScript): DisplayText | undefined {
  const commands = expandSpellings(script);
  const line = {
    words: commands.flatMap((command) => listCommandWords(command).map(({ text }) => text.slice(0, LONGEST))),
    names: commands.map((command) => getCommandName(command) ?? ""),
  };
  for (const command of commands) {
    const called = describeCalledProgram(command);
    if (called === undefined) continue;
    if (called.settings.some((setting) => STEERS.test(setting) && !HARMLESS_SETTING.test(setting)))
      return displayText("safety.line.reaches", {
        effect: displayText("safety.line.changesProgramSettings"),
        program: command.words[0]?.text ?? "",
      });
    if (called.name === "kill" && called.variables.includes("PPID"))
      return displayText("safety.line.reaches", {
        effect: displayText("safety.line.endsByName"),
        program: "kill",
      });
    const found = findAskingCalls(called.name).find(({ call }) => isAskingCallMatch(call, called, line));
    const inCode = listInlineCode(command)
      .map(explainCodeProblem)
      .find((problem) => problem !== undefined);
    if (inCode !== undefined) return displayText("safety.line.codeReaches", { effect: inCode });
    if (found)
      return displayText("safety.line.reaches", {
        effect: found.family.says,
        program: command.words[0]?.text ?? "",
      });
  }
  return undefined;
}

/** Variables that make programs load or start others. */
const STEERS =
  /^(?:LD_(?:PRELOAD|AUDIT|LIBRARY_PATH)|DYLD_\w+|BASH_ENV|ENV|PERL5(?:OPT|DB|LIB)|RUBYOPT|PYTHON(?:STARTUP|INSPECT|HOME)|PS4|PROMPT_COMMAND|LESS(?:OPEN|CLOSE)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_(?:EXTERNAL_DIFF|SSH|SSH_COMMAND|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|PROXY_COMMAND|EXEC_PATH|TEMPLATE_DIR|CONFIG\w*)|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|RUSTC_(?:WORKSPACE_)?WRAPPER|npm_config_(?:script_shell|node_options)|PATH(?==(?:\.\.?)?:))=|^NODE_OPTIONS=.*(?:--require|--import|--loader|--experimental-loader|-r )/;
const HARMLESS_SETTING = /=(?:true|:|cat|false|less|more|\/bin\/true|)$/;

const LONGEST = 2000;
function describeCalledProgram(command: SimpleCommand): CalledProgram | undefined {
  const name = getCommandName(command) ?? "";
  if (name === "") return undefined;
  const [, ...words] = command.words;
  const inputs = command.redirects.filter(({ operator }) => operator.endsWith("<") && !operator.includes("<<"));
  const text = joinWordTexts(words);
  const settings = command.assignments.map(({ text: setting }) => setting);
  return {
    settings:
      name === "export" || name === "declare" || name === "env"
        ? [...settings, ...words.map((word) => word.text)]
        : settings,
    variables: words.flatMap(({ variables }) => variables),
    name,
    args: text,
    inputs: inputs.map(({ target }) => target.text),
    fromSubcommand: name === "git" ? joinWordTexts(words.slice(findSubcommandIndex(words))) : text,
  };
}

function joinWordTexts(words: readonly Word[]): string {
  return words
    .map(({ text }) => text.replace(/\s+/g, "_"))
    .join(" ")
    .slice(0, LONGEST);
}

/** Position of git's subcommand, after options that apply to all subcommands. */
function findSubcommandIndex(words: readonly Word[]): number {
  let at = 0;
  while (words[at]?.text.startsWith("-"))
    at += /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source|list-cmds))$/.test(
      words[at]?.text ?? "",
    )
      ? 2
      : 1;
  return at;
}

function isAskingCallMatch(
  call: AskingCall,
  { name, args, inputs, fromSubcommand }: CalledProgram,
  line: LineWords,
): boolean {
  const { args: pattern, text, except, beside } = call;
  if (pattern && ![args, fromSubcommand, ...inputs].some((one) => pattern.test(one))) return false;
  if (text && !line.words.some((word) => text.test(word))) return false;
  if (beside && !line.names.some((other) => other !== name && beside.test(other))) return false;
  return except === undefined || !except.test(fromSubcommand);
}
