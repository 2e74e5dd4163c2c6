import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { listInlineCode, listStartedLines } from "./inline-code.ts";
import {
  getCalledFacts,
  getCommandName,
  isLiteral,
  isReason,
  listEveryCommand,
  type Reading,
  type ShellScript,
  type SimpleCommand,
  UNKNOWN,
  type Word,
} from "./reading.ts";

const DEEPEST = 4;
const MOST_RESTS = 12;
const MOST_WRAPPED = 100;

/** Commands of a line with those that they run in turn. */
export type UnwrappedCommands = Pick<ShellScript, "commands" | "wrapped">;

/**
 * Adds the commands after wrappers, `-c`, `eval` and `-exec`. Every tail of a wrapper's arguments may be the command, because only the
 * wrapper knows which arguments are its own. For finding dangers, too many commands are as good as the right one. Returns a sentence if
 * something would run that can't be analyzed.
 */
export function unwrapCommands(
  commands: readonly SimpleCommand[],
  read: (line: string) => Reading,
  depth: number,
): UnwrappedCommands | DisplayText {
  if (depth > DEEPEST) return displayText("safety.line.shellsNestedTooDeeply");
  const written = [...commands];
  const wrapped = commands.flatMap(listCommandsInside);
  if (wrapped.length > MOST_WRAPPED) return displayText("safety.line.commandsNestedTooDeeply");
  for (const command of [...commands, ...wrapped]) {
    const inner = listScriptTexts(command);
    if (isReason(inner)) return inner;
    wrapped.push(...listInlineCode(command).flatMap((code) => listCommandsStartedByCode(code, read)));
    for (const script of inner) {
      const reading = read(script.text);
      if (reading.kind === "unreadable") return displayText("safety.line.runsUnanalyzedText", { why: reading.why });
      written.push(...reading.commands);
      wrapped.push(...reading.wrapped);
    }
  }
  return { commands: written, wrapped };
}

/** Commands that code starts, if its text shows them. For finding dangers, text that only looks like a command is as good as a command. */
export function listCommandsStartedByCode(code: string, read: (line: string) => Reading): readonly SimpleCommand[] {
  return listStartedLines(code).flatMap((line) => {
    const reading = /\w/.test(line) ? read(line) : undefined;
    return reading?.kind === "script" ? listEveryCommand(reading) : [];
  });
}

function listCommandsInside(command: SimpleCommand): readonly SimpleCommand[] {
  const rests: Word[][] = [];
  if (getCalledFacts(command).runs === "command") {
    for (let at = 1; at < Math.min(command.words.length, MOST_RESTS); at++) rests.push(command.words.slice(at));
  }
  for (const [at, word] of command.words.entries()) {
    if (/^(-exec(dir)?|-ok(dir)?|-x|-X|--exec(-batch)?)$/.test(word.text))
      rests.push(takeUntilSemicolon(command.words.slice(at + 1)));
  }
  return rests
    .filter(([first], index) => first !== undefined && !first.text.startsWith("-") && (index === 0 || isLiteral(first)))
    .map((words) => ({ ...command, words, assignments: [] }));
}

function takeUntilSemicolon(words: readonly Word[]): Word[] {
  const end = words.findIndex(({ text }) => text === ";" || text === "+");
  return words.slice(0, end === -1 ? undefined : end);
}

/** The texts that a command would run as commands; a sentence when one of them isn't known. */
function listScriptTexts(command: SimpleCommand): readonly { readonly text: string }[] | DisplayText {
  const name = getCommandName(command);
  if (name === undefined) return displayText("safety.line.runtimeCommandName");
  const args = command.words.slice(1);
  if (name === "alias") return displayText("safety.line.definesAlias");
  if (name === "eval") return checkKnownScripts([joinWords(args)]);
  if (name === "trap" || name === "fc") return checkKnownScripts(args.slice(0, 1));
  if (name === "source" || name === ".") return checkKnownScripts(args.slice(0, 1), false);
  if (name === "su" || name === "script" || name === "runuser")
    return checkKnownScripts(findWordAfterFlag(args, /^-\w*c$|^--command$/));
  const { runs } = getCalledFacts(command);
  if (runs === "script") return listShellScripts(command, args);
  const runsInput =
    runs === "input" && command.input !== undefined && args.every(({ text }) => /^-[a-z]?$|^--$/.test(text));
  return runsInput ? displayText("safety.line.runsStandardInput") : [];
}

function listShellScripts(
  command: SimpleCommand,
  args: readonly Word[],
): readonly { readonly text: string }[] | DisplayText {
  const script = findWordAfterFlag(args, /^-\w*c\w*$/);
  if (script.length > 0) return checkKnownScripts(script);
  const operand = args.find(({ text }) => !/^[-+]/.test(text));
  const isScriptFile =
    operand !== undefined &&
    isLiteral(operand) &&
    !operand.text.startsWith("/dev/") &&
    !operand.text.startsWith("/proc/");
  if (isScriptFile && !args.some(({ text }) => /^-\w*s/.test(text))) return [];
  const bodies = command.redirects.filter(({ operator }) => operator.includes("<<")).map(({ target }) => target);
  if (bodies.length > 0) return checkKnownScripts(bodies);
  if (operand === undefined && command.input === undefined) return [];
  return displayText("safety.line.runsStandardInput");
}

/** The first word after a flag that isn't a flag itself. */
function findWordAfterFlag(args: readonly Word[], flag: RegExp): readonly Word[] {
  const at = args.findIndex(({ text }) => flag.test(text));
  if (at === -1) return [];
  const script = args.slice(at + 1).find(({ text }) => !/^[-+]\w*$/.test(text));
  return script ? [script] : [];
}

function joinWords(words: readonly Word[]): Word {
  const [first] = words;
  const text = words.map((word) => word.text).join(" ");
  return { isPattern: false, isBraced: false, isHome: false, variables: [], isQuoted: true, ...first, text };
}

/** Words as scripts, or a sentence if a part of one is unknown. `isScript` is true if the text itself runs, not a file of that name. */
function checkKnownScripts(
  words: readonly Word[],
  isScript = true,
): readonly { readonly text: string }[] | DisplayText {
  if (words.some((word) => word.text.includes(UNKNOWN))) return displayText("safety.line.runsRuntimeText");
  return isScript ? words.filter(({ text }) => text.trim() !== "") : [];
}
