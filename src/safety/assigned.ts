import { nameOf, type Script, type SimpleCommand, UNKNOWN, type Word } from "./shell/reading.ts";

/** What a line itself gives its variables, as texts that its words stand for: names put together from pieces can then be read. */
export function spelledOut(script: Script): (word: Word) => readonly string[] {
  let known: Assigned | undefined;
  return (word) => {
    if (word.variables.length === 0) return [];
    known ??= assignedIn(script.commands);
    return textsOf(word, known);
  };
}

interface Assigned {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Items of loops and positional parameters, which any other variable may hold. */
  readonly items: readonly string[];
}

const MOST_VALUES = 8;
const MOST_TEXTS = 64;
const LONGEST = 4096;
const DECLARES = /^(?:export|declare|typeset|readonly|local)$/;

function assignedIn(commands: readonly SimpleCommand[]): Assigned {
  const values = new Map<string, readonly string[]>();
  const items: string[] = [];
  for (const command of commands) {
    const name = nameOf(command) ?? "";
    if (name === "set") items.push(...command.words.slice(1).map(({ text }) => text));
    const declared = DECLARES.test(name) ? command.words.slice(1) : [];
    for (const { text } of [...command.assignments, ...declared]) {
      const [whole, variable = "", plus, value = ""] = /^([A-Za-z_]\w*)(\+?)=(.*)$/s.exec(text) ?? [];
      if (whole === undefined) items.push(text);
      else values.set(variable, added(values.get(variable) ?? [], value, plus === "+"));
    }
  }
  return { values, items: items.slice(0, MOST_VALUES) };
}

function added(before: readonly string[], value: string, isAppended: boolean): readonly string[] {
  const made = isAppended ? before.map((one) => one + value) : [value];
  return [...before, ...made].slice(-MOST_VALUES);
}

function textsOf({ text, variables }: Word, { values, items }: Assigned): readonly string[] {
  const pieces = text.split(UNKNOWN);
  let texts: readonly string[] = [pieces[0] ?? ""];
  for (const [at, piece] of pieces.slice(1).entries()) {
    const name = variables.length === pieces.length - 1 ? (variables[at] ?? "") : "";
    const found = values.get(name) ?? (items.length > 0 ? items : [UNKNOWN]);
    texts = texts.flatMap((one) => found.map((value) => one + value + piece));
    if (texts.length > MOST_TEXTS || text.length > LONGEST) return [];
  }
  return texts;
}
