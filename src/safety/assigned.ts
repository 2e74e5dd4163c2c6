import { nameOf, type Script, type SimpleCommand, UNKNOWN, type Word } from "./shell/reading.ts";

/**
 * The texts that a word may stand for by what the line itself gives its variables, so that names put together from pieces can be read;
 * undefined once they are more than can be looked through.
 */
export function spelledOut(script: Script): (word: Word) => readonly string[] | undefined {
  let known: Assigned | undefined;
  let left = MOST_CHARACTERS;
  return (word) => {
    if (word.variables.length === 0) return [];
    known ??= assignedIn(script.commands);
    const texts = textsOf(word, known);
    left -= texts?.reduce((sum, text) => sum + text.length, 0) ?? left;
    return left > 0 ? texts : undefined;
  };
}

interface Assigned {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Items of loops and positional parameters, which any other variable may hold. */
  readonly items: readonly string[];
}

const MOST_VALUES = 64;
const MOST_TEXTS = 512;
const MOST_CHARACTERS = 32 * 1024;
const DECLARES = /^(?:export|declare|typeset|readonly|local)$/;

function assignedIn(commands: readonly SimpleCommand[]): Assigned {
  const values = new Map<string, readonly string[]>();
  const items = new Set<string>();
  for (const command of commands) {
    const name = nameOf(command) ?? "";
    if (name === "set") for (const { text } of command.words.slice(1)) items.add(text);
    const declared = DECLARES.test(name) ? command.words.slice(1) : [];
    for (const { text } of [...command.assignments, ...declared]) {
      const [whole, variable = "", plus, value = ""] = /^([A-Za-z_]\w*)(\+?)=(.*)$/s.exec(text) ?? [];
      if (whole === undefined) items.add(text);
      else values.set(variable, added(values.get(variable) ?? [], value, plus === "+"));
    }
  }
  return { values, items: [...items] };
}

function added(before: readonly string[], value: string, isAppended: boolean): readonly string[] {
  const made = isAppended ? before.map((one) => one + value) : [];
  return [...new Set([...before, ...made, value])].slice(0, MOST_VALUES + 1);
}

function textsOf({ text, variables }: Word, { values, items }: Assigned): readonly string[] | undefined {
  const pieces = text.split(UNKNOWN);
  let texts: readonly string[] = [pieces[0] ?? ""];
  for (const [at, piece] of pieces.slice(1).entries()) {
    const name = variables.length === pieces.length - 1 ? (variables[at] ?? "") : "";
    const found = values.get(name) ?? (items.length > 0 ? items : [UNKNOWN]);
    if (found.length > MOST_VALUES || found.length * texts.length > MOST_TEXTS) return undefined;
    texts = texts.flatMap((one) => found.map((value) => one + value + piece));
    if ((texts[0]?.length ?? 0) > MOST_CHARACTERS) return undefined;
  }
  return texts;
}
