import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { type AskingCall, findAskingCalls } from "../programs/asking.ts";
import { explainCodeProblem, listInlineCode } from "./inline-code.ts";
import { listCommandWords, UNKNOWN, type Word } from "./reading.ts";
import type { ProgramCall } from "./script.ts";

/** Explains why calls ask in every mode without naming a protected file; undefined if they don't seem to. */
export function explainFarReach(calls: readonly ProgramCall[]): DisplayText | undefined {
  for (const call of calls) {
    if (call.name === "" || call.name === UNKNOWN) continue;
    const inCode = listInlineCode(call)
      .map(explainCodeProblem)
      .find((problem) => problem !== undefined);
    const effect = findSteeringEffect(call) ?? (inCode === undefined ? findAskingEffect(call, calls) : undefined);
    if (effect !== undefined) {
      const words = call.words.map(({ text }) => text).join(" ");
      // A card marks all the words.
      return { code: "safety.line.reaches", parameters: { effect, program: call.words[0]?.text ?? "", words } };
    }
    if (inCode !== undefined) return displayText("safety.line.codeReaches", { effect: inCode });
  }
  return undefined;
}

/** The effect of a command through its variables, whatever its program is. */
function findSteeringEffect({ name, assignments, args, texts }: ProgramCall): DisplayText | undefined {
  const own = /^(?:export|declare|env)$/.test(name) ? texts : [];
  const settings = [...assignments.map(({ text }) => text), ...own];
  if (settings.some((setting) => STEERS.test(setting) && !HARMLESS_SETTING.test(setting)))
    return displayText("safety.line.changesProgramSettings");
  const endsParent = name === "kill" && args.some(({ variables }) => variables.includes("PPID"));
  return endsParent ? displayText("safety.line.endsByName") : undefined;
}

/** Variables that make programs load or start others. */
const STEERS =
  /^(?:LD_(?:PRELOAD|AUDIT|LIBRARY_PATH)|DYLD_\w+|BASH_ENV|ENV|PERL5(?:OPT|DB|LIB)|RUBYOPT|PYTHON(?:STARTUP|INSPECT|HOME)|PS4|PROMPT_COMMAND|LESS(?:OPEN|CLOSE)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_(?:EXTERNAL_DIFF|SSH|SSH_COMMAND|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|PROXY_COMMAND|EXEC_PATH|TEMPLATE_DIR|CONFIG\w*)|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|RUSTC_(?:WORKSPACE_)?WRAPPER|npm_config_(?:script_shell|node_options)|PATH(?==(?:\.\.?)?:))=|^NODE_OPTIONS=.*(?:--require|--import|--loader|--experimental-loader|-r )/;
const HARMLESS_SETTING = /=(?:true|:|cat|false|less|more|\/bin\/true|)$/;

/** The effect of a call that the table of asking calls lists. */
function findAskingEffect(call: ProgramCall, all: readonly ProgramCall[]): DisplayText | undefined {
  const { name, args, redirects } = call;
  const fromSubcommand = joinWordTexts(name === "git" ? args.slice(findSubcommandIndex(args)) : args);
  const inputs = redirects.filter(({ operator }) => operator.endsWith("<") && !operator.includes("<<"));
  const texts = [joinWordTexts(args), fromSubcommand, ...inputs.map(({ target }) => target.text)];
  const isMatch = ({ args: pattern, text, except, beside }: AskingCall): boolean => {
    if (pattern && !texts.some((one) => pattern.test(one))) return false;
    if (text && !all.some((other) => listCommandWords(other).some((word) => text.test(word.text.slice(0, LONGEST)))))
      return false;
    if (beside && !all.some((other) => other.name !== name && beside.test(other.name))) return false;
    return except === undefined || !except.test(fromSubcommand);
  };
  return findAskingCalls(name).find((asking) => isMatch(asking.call))?.family.says;
}

const LONGEST = 2000;

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
