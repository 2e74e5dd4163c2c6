import { type SimpleCommand, UNKNOWN, type Word } from "../shell/reading.ts";

const MOST_FOLDERS = 16;

/**
 * The folders in which each command of a line may run, relative to the line's start folder. It's unknown whether a `cd` succeeds, but a
 * command after `&&` runs only if it did, unless the `cd` itself may be skipped. Undefined if there are too many.
 */
export function listStartFolders(flow: readonly SimpleCommand[]): readonly (readonly string[])[] | undefined {
  let all: readonly string[] = [""];
  let sure = all;
  let before: SimpleCommand | undefined;
  const found: (readonly string[])[] = [];
  for (const command of flow) {
    if (!before || before.isNegated || !isOnlyAfterSuccess(command, before)) sure = all;
    before = command;
    found.push(sure);
    const folder = findFolderChange(command);
    if (!folder) continue;
    const enter = (base: string): string => (base === "" ? folder.text : `${base}/${folder.text}`);
    all = [...all, ...all.map(enter)];
    sure = command.joint === "||" || command.joint === "|" ? all : sure.map(enter);
    if (all.length > MOST_FOLDERS) return undefined;
  }
  return found;
}

/** The target of a `cd`. A `cd` in a loop would change the folder repeatedly, so it isn't followed. */
export function findFolderChange({ words, redirects, within }: SimpleCommand): Word | undefined {
  const [name, folder, more] = words;
  return name?.text === "cd" && folder && !more && redirects.length === 0 && !within ? folder : undefined;
}

/**
 * True if a command runs only after the previous one succeeded, and in its folder. A `cd` in a pipe doesn't change the folder of others.
 */
function isOnlyAfterSuccess({ joint }: SimpleCommand, before: SimpleCommand): boolean {
  return joint === "&&" || (joint === "|" && findFolderChange(before) === undefined);
}

/** Values of the loop variables around a command in one iteration. */
type LoopValues = ReadonlyMap<string, Word>;

const MOST_TURNS = 50;

/** A command as it runs in each iteration of its loops; undefined when there are too many, or a value would be split. */
export function expandIterations(command: SimpleCommand): readonly SimpleCommand[] | undefined {
  let turns: readonly LoopValues[] = [new Map()];
  for (const { name, items } of command.within ?? []) {
    const next = turns.flatMap((turn) =>
      items.map((item) => {
        const value = replaceLoopVariables(item, turn);
        return value && new Map([...turn, [name, value]]);
      }),
    );
    if (next.length > MOST_TURNS || next.includes(undefined)) return undefined;
    turns = next.filter((turn) => turn !== undefined);
  }
  const found = turns.map((turn) => {
    const words = command.words.map((word) => replaceLoopVariables(word, turn));
    return words.includes(undefined) ? undefined : { ...command, words: words.filter((word) => word !== undefined) };
  });
  return found.includes(undefined) ? undefined : found.filter((one) => one !== undefined);
}

/** A word with its variables replaced by values; undefined when the shell would split it. */
function replaceLoopVariables(word: Word, turn: LoopValues): Word | undefined {
  if (!word.variables.some((name) => turn.has(name))) return word;
  const texts = word.text.split(UNKNOWN);
  let text = texts[0] ?? "";
  let { isPattern, isHome } = word;
  const variables: string[] = [];
  for (const [at, name] of word.variables.entries()) {
    const value = turn.get(name);
    if (value && word.isSplit && (value.isPattern || /[\s*?[]/.test(value.text))) return undefined;
    text += (value?.text ?? UNKNOWN) + (texts[at + 1] ?? "");
    variables.push(...(value ? value.variables : [name]));
    isPattern ||= value?.isPattern ?? false;
    isHome ||= value?.isHome ?? false;
  }
  return { ...word, text, variables, isPattern, isHome };
}
