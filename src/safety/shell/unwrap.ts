import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { inlineCode, linesStartedBy } from "./inline-code.ts";
import {
  everyCommand,
  isLiteral,
  isReason,
  nameOf,
  type Reading,
  type ShellScript,
  type SimpleCommand,
  UNKNOWN,
  type Word,
} from "./reading.ts";

/** Programs that run the command after their own arguments. */
const WRAPPERS = new Set(
  "sudo doas env taskset chrt nice ionice nohup time timeout stdbuf setsid command builtin exec chronic caffeinate xargs watch strace ltrace flock chroot unshare nsenter runuser parallel entr unbuffer proxychains torsocks busybox toybox coproc noglob then else do start rlwrap systemd-run firejail bwrap sandbox-exec".split(
    " ",
  ),
);

/** Programs that take a script in the shell's own language. */
export const SHELLS: ReadonlySet<string> = new Set("sh bash dash zsh ksh ash mksh rbash".split(" "));

/** Programs that run any text that they receive. */
const INTERPRETERS = new Set(
  "python python2 python3 node deno bun perl ruby php lua luajit osascript pwsh powershell fish csh tcsh tclsh expect irb ghci r rscript sqlite3 psql mysql ed ex vim vi at batch crontab bc gdb".split(
    " ",
  ),
);

const DEEPEST = 4;
const MOST_RESTS = 12;
const MOST_WRAPPED = 100;

/** Commands of a line with those that they run in turn. */
export type UnwrappedCommands = Pick<ShellScript, "commands" | "wrapped">;

/**
 * Adds the commands after wrappers, `-c`, `eval` and `-exec`. Every tail of a wrapper's arguments may be the command, because
 * only the wrapper knows which arguments are its own; for finding dangers, too many are as good as the right one. Returns a
 * sentence when something would run that can't be analyzed.
 */
export function unwrapped(
  commands: readonly SimpleCommand[],
  read: (line: string) => Reading,
  depth: number,
): UnwrappedCommands | DisplayText {
  if (depth > DEEPEST) return displayText("safety.line.shellsNestedTooDeeply");
  const written = [...commands];
  const wrapped = commands.flatMap(wrappedIn);
  if (wrapped.length > MOST_WRAPPED) return displayText("safety.line.commandsNestedTooDeeply");
  for (const command of [...commands, ...wrapped]) {
    const inner = scriptsIn(command);
    if (isReason(inner)) return inner;
    wrapped.push(...inlineCode(command).flatMap((code) => startedBy(code, read)));
    for (const script of inner) {
      const reading = read(script.text);
      if (reading.kind === "unreadable")
        return displayText("safety.line.runsUnanalyzedText", { why: reading.why });
      written.push(...reading.commands);
      wrapped.push(...reading.wrapped);
    }
  }
  return { commands: written, wrapped };
}

/** Commands that code starts, where its text shows them. Text that only looks like a command is as good as one for finding dangers. */
export function startedBy(code: string, read: (line: string) => Reading): readonly SimpleCommand[] {
  return linesStartedBy(code).flatMap((line) => {
    const reading = /\w/.test(line) ? read(line) : undefined;
    return reading?.kind === "script" ? everyCommand(reading) : [];
  });
}

function wrappedIn(command: SimpleCommand): readonly SimpleCommand[] {
  const name = nameOf(command);
  const rests: Word[][] = [];
  if (name !== undefined && WRAPPERS.has(name)) {
    for (let at = 1; at < Math.min(command.words.length, MOST_RESTS); at++)
      rests.push(command.words.slice(at));
  }
  for (const [at, word] of command.words.entries()) {
    if (/^(-exec(dir)?|-ok(dir)?|-x|-X|--exec(-batch)?)$/.test(word.text))
      rests.push(upToSemicolon(command.words.slice(at + 1)));
  }
  return rests
    .filter(
      ([first], index) =>
        first !== undefined && !first.text.startsWith("-") && (index === 0 || isLiteral(first)),
    )
    .map((words) => ({ ...command, words, assignments: [] }));
}

function upToSemicolon(words: readonly Word[]): Word[] {
  const end = words.findIndex(({ text }) => text === ";" || text === "+");
  return words.slice(0, end === -1 ? undefined : end);
}

/** The texts that a command would run as commands; a sentence when one of them isn't known. */
function scriptsIn(command: SimpleCommand): readonly { readonly text: string }[] | DisplayText {
  const name = nameOf(command);
  if (name === undefined) return displayText("safety.line.runtimeCommandName");
  const args = command.words.slice(1);
  if (name === "alias") return displayText("safety.line.definesAlias");
  if (name === "eval") return known([joined(args)]);
  if (name === "trap" || name === "fc") return known(args.slice(0, 1));
  if (name === "source" || name === ".") return known(args.slice(0, 1), false);
  if (name === "su" || name === "script" || name === "runuser")
    return known(afterFlag(args, /^-\w*c$|^--command$/));
  if (SHELLS.has(name)) return shellScripts(command, args);
  const runsInput =
    INTERPRETERS.has(name) &&
    command.input !== undefined &&
    args.every(({ text }) => /^-[a-z]?$|^--$/.test(text));
  return runsInput ? displayText("safety.line.runsStandardInput") : [];
}

function shellScripts(
  command: SimpleCommand,
  args: readonly Word[],
): readonly { readonly text: string }[] | DisplayText {
  const script = afterFlag(args, /^-\w*c\w*$/);
  if (script.length > 0) return known(script);
  const operand = args.find(({ text }) => !/^[-+]/.test(text));
  const isScriptFile =
    operand !== undefined &&
    isLiteral(operand) &&
    !operand.text.startsWith("/dev/") &&
    !operand.text.startsWith("/proc/");
  if (isScriptFile && !args.some(({ text }) => /^-\w*s/.test(text))) return [];
  const bodies = command.redirects
    .filter(({ operator }) => operator.includes("<<"))
    .map(({ target }) => target);
  if (bodies.length > 0) return known(bodies);
  if (operand === undefined && command.input === undefined) return [];
  return displayText("safety.line.runsStandardInput");
}

/** The first word after a flag that isn't a flag itself. */
function afterFlag(args: readonly Word[], flag: RegExp): readonly Word[] {
  const at = args.findIndex(({ text }) => flag.test(text));
  if (at === -1) return [];
  const script = args.slice(at + 1).find(({ text }) => !/^[-+]\w*$/.test(text));
  return script ? [script] : [];
}

function joined(words: readonly Word[]): Word {
  const [first] = words;
  const text = words.map((word) => word.text).join(" ");
  return { isPattern: false, isBraced: false, isHome: false, variables: [], isQuoted: true, ...first, text };
}

/** Words as scripts, or a sentence when a part of one is unknown. `isScript` is true when the text itself runs, not a file of that name. */
function known(words: readonly Word[], isScript = true): readonly { readonly text: string }[] | DisplayText {
  if (words.some((word) => word.text.includes(UNKNOWN))) return displayText("safety.line.runsRuntimeText");
  return isScript ? words.filter(({ text }) => text.trim() !== "") : [];
}
