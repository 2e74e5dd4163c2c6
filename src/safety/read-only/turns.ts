import { type SimpleCommand, UNKNOWN, type Word } from "../shell/reading.ts";

/** The values of the variables of the loops around a command, in one turn of these. */
type Turn = ReadonlyMap<string, Word>;

const MOST_TURNS = 50;

/** A command as it runs in each turn of the loops around it; undefined when these are too many, or a value would fall into pieces. */
export function turnsOf(command: SimpleCommand): readonly SimpleCommand[] | undefined {
  let turns: readonly Turn[] = [new Map()];
  for (const { name, items } of command.within ?? []) {
    const next = turns.flatMap((turn) =>
      items.map((item) => {
        const value = withValues(item, turn);
        return value && new Map([...turn, [name, value]]);
      }),
    );
    if (next.length > MOST_TURNS || next.includes(undefined)) return undefined;
    turns = next.filter((turn) => turn !== undefined);
  }
  const found = turns.map((turn) => {
    const words = command.words.map((word) => withValues(word, turn));
    return words.includes(undefined)
      ? undefined
      : { ...command, words: words.filter((word) => word !== undefined) };
  });
  return found.includes(undefined) ? undefined : found.filter((one) => one !== undefined);
}

/** A word with values in the place of variables; undefined when the shell would make several words of one. */
function withValues(word: Word, turn: Turn): Word | undefined {
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
