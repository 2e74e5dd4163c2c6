import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { listInlineCode, listStartedLines } from "./inline-code.ts";
import { isLiteral, isReason, listFedWords, type SimpleCommand, UNKNOWN, type Word } from "./reading.ts";
import { describeCall, listCalls, type ProgramCall, type Reading, type ShellScript } from "./script.ts";

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
  const written = commands.map(describeCall);
  const wrapped = written.flatMap(listCommandsInside);
  if (wrapped.length > MOST_WRAPPED) return displayText("safety.line.commandsNestedTooDeeply");
  for (const call of [...written, ...wrapped]) {
    const inner = listScriptTexts(call);
    if (isReason(inner)) return inner;
    wrapped.push(...listInlineCode(call).flatMap((code) => listCommandsStartedByCode(code, read)));
    for (const { text } of inner) {
      const reading = read(text);
      if (reading.kind === "unreadable") return displayText("safety.line.runsUnanalyzedText", { why: reading.why });
      written.push(...reading.commands);
      wrapped.push(...reading.wrapped);
    }
  }
  return { commands: written, wrapped };
}

/** Commands that code starts, if its text shows them. For finding dangers, text that only looks like a command is as good as a command. */
export function listCommandsStartedByCode(code: string, read: (line: string) => Reading): readonly ProgramCall[] {
  return listStartedLines(code).flatMap((line) => {
    const reading = /\w/.test(line) ? read(line) : undefined;
    return reading?.kind === "script" ? listCalls(reading) : [];
  });
}

function listCommandsInside(call: ProgramCall): readonly ProgramCall[] {
  const rests: Word[][] = [];
  if (call.program.runs === "command")
    for (let at = 1; at < Math.min(call.words.length, MOST_RESTS); at++) rests.push(call.words.slice(at));
  for (const [at, word] of call.words.entries()) {
    if (/^(-exec(dir)?|-ok(dir)?|-x|-X|--exec(-batch)?)$/.test(word.text))
      rests.push(takeUntilSemicolon(call.words.slice(at + 1)));
  }
  return rests
    .filter(([first], index) => first !== undefined && !first.text.startsWith("-") && (index === 0 || isLiteral(first)))
    .map((words) => describeCall({ ...call, words, assignments: [] }));
}

function takeUntilSemicolon(words: readonly Word[]): Word[] {
  const end = words.findIndex(({ text }) => text === ";" || text === "+");
  return words.slice(0, end === -1 ? undefined : end);
}

type ScriptTexts = readonly Pick<Word, "text">[];

/** The texts that a command would run as commands; a sentence when one of them isn't known. */
function listScriptTexts(call: ProgramCall): ScriptTexts | DisplayText {
  const { name, args, texts, input } = call;
  if (name === UNKNOWN) return displayText("safety.line.runtimeCommandName");
  if (name === "alias") return displayText("safety.line.definesAlias");
  if (name === "eval") return checkKnownScripts([{ text: texts.join(" ") }]);
  if (name === "trap" || name === "fc") return checkKnownScripts(args.slice(0, 1));
  if (name === "source" || name === ".") return checkKnownScripts(args.slice(0, 1), false);
  if (name === "su" || name === "script" || name === "runuser")
    return checkKnownScripts(findWordAfterFlag(args, /^-\w*c$|^--command$/));
  const { runs } = call.program;
  if (runs === "script") return listShellScripts(call);
  const runsInput = runs === "input" && input !== undefined && texts.every((text) => /^-[a-z]?$|^--$/.test(text));
  return runsInput ? displayText("safety.line.runsStandardInput") : [];
}

function listShellScripts(call: ProgramCall): ScriptTexts | DisplayText {
  const { args, texts, input, fedBy = [] } = call;
  const script = findWordAfterFlag(args, /^-\w*c\w*$/);
  if (script.length > 0) return checkKnownScripts(script);
  const operand = args.find(({ text }) => !/^[-+]/.test(text));
  const isScriptFile = operand !== undefined && isLiteral(operand) && !/^\/(?:dev|proc)\//.test(operand.text);
  if (isScriptFile && !texts.some((text) => /^-\w*s/.test(text))) return [];
  const bodies = listFedWords(call);
  if (bodies.length > 0) return checkKnownScripts(bodies);
  if (operand === undefined && input === undefined) return [];
  const source = fedBy.map(describeCall).find(({ program }) => program.contacts);
  if (!source) return { code: "safety.line.runsStandardInput", parameters: { program: call.name } };
  // The words aren't in the sentence, but a card marks them.
  return { code: "safety.line.runsDownload", parameters: { source: source.name, program: call.name } };
}

/** The first word after a flag that isn't a flag itself. */
function findWordAfterFlag(args: readonly Word[], flag: RegExp): readonly Word[] {
  const at = args.findIndex(({ text }) => flag.test(text));
  if (at === -1) return [];
  const script = args.slice(at + 1).find(({ text }) => !/^[-+]\w*$/.test(text));
  return script ? [script] : [];
}

/** Words as scripts, or a sentence if a part of one is unknown. `isScript` is true if the text itself runs, not a file of that name. */
function checkKnownScripts(words: ScriptTexts, isScript = true): ScriptTexts | DisplayText {
  if (words.some(({ text }) => text.includes(UNKNOWN))) return displayText("safety.line.runsRuntimeText");
  return isScript ? words.filter(({ text }) => text.trim() !== "") : [];
}
