import { expandBraces } from "./reach.ts";
import { createLiteralWord, UNKNOWN, type Word } from "./reading.ts";
import { describeCall, listCalls, type ProgramCall, type ShellScript } from "./script.ts";

const LONGEST = 2000;
const MOST_SPELLINGS = 8;

/** Every command, also with its variables replaced by the line's own values, and with its braces expanded. */
export function expandSpellings(script: Pick<ShellScript, "commands" | "wrapped">): readonly ProgramCall[] {
  const spell = createVariableExpander(script);
  return listCalls(script).flatMap((call) => {
    const targets = call.redirects.map(({ target }) => target);
    if ([...call.words, ...targets].every(({ variables, isBraced }) => variables.length === 0 && !isBraced))
      return [call];
    const spellings = call.words.map((word) => listWordSpellings(word, spell));
    const redirected = targets.map((target) => listWordSpellings(target, spell));
    const most = Math.min(MOST_SPELLINGS, Math.max(...[...spellings, ...redirected].map((all) => all.length)));
    const spelled = Array.from({ length: most }, (_, at) =>
      describeCall({
        ...call,
        words: spellings.flatMap((all) => all[at % all.length] ?? []),
        redirects: call.redirects.flatMap((redirect, index) =>
          (redirected[index]?.[at % (redirected[index]?.length ?? 1)] ?? []).map((target) => ({ ...redirect, target })),
        ),
      }),
    );
    return [call, ...spelled];
  });
}

/** The words that a word may become, with one value for each of its variables. */
function listWordSpellings(
  word: Word,
  spell: (word: Word) => readonly string[] | undefined,
): readonly (readonly Word[])[] {
  const texts = word.variables.length > 0 ? (spell(word) ?? []) : [];
  const plain = texts.length > 0 ? texts : [word.text];
  return plain.map((text) => {
    const pieces = word.isSplit ? text.split(/[ \t\n]+/).filter((piece) => piece !== "") : [text];
    const braced = word.isBraced ? pieces.flatMap((piece) => expandBraces(piece.slice(0, LONGEST))) : pieces;
    if (texts.length === 0 && braced.length === 0) return [word];
    return braced.map((piece) => ({
      ...createLiteralWord(piece),
      isPattern: word.isPattern,
      isHome: word.isHome || piece.startsWith("~"),
    }));
  });
}

/**
 * Creates a function that lists a word's possible texts according to the line's own assignments, so that names assembled from pieces are
 * found. It returns undefined once there are too many to check.
 */
export function createVariableExpander({
  commands,
}: Pick<ShellScript, "commands">): (word: Word) => readonly string[] | undefined {
  let known: Assignments | undefined;
  let left = MOST_CHARACTERS;
  return (word) => {
    if (word.variables.length === 0) return [];
    known ??= collectAssignments(commands);
    const texts = expandVariables(word, known);
    left -= texts?.reduce((sum, text) => sum + text.length, 0) ?? left;
    return left > 0 ? texts : undefined;
  };
}

interface Assignments {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Items of loops and positional parameters, which any variable without an assignment may hold. */
  readonly items: readonly string[];
}

const MOST_VALUES = 64;
const MOST_TEXTS = 512;
const MOST_CHARACTERS = 32 * 1024;
const DECLARES = /^(?:export|declare|typeset|readonly|local)$/;

function collectAssignments(commands: readonly ProgramCall[]): Assignments {
  const values = new Map<string, readonly string[]>();
  const items = new Set<string>();
  for (const { name, args, assignments } of commands) {
    if (name === "set") for (const { text } of args) items.add(text);
    for (const { text } of [...assignments, ...(DECLARES.test(name) ? args : [])]) {
      const [whole, variable = "", plus, value = ""] = /^([A-Za-z_]\w*)(\+?)=(.*)$/s.exec(text) ?? [];
      if (whole === undefined) items.add(text);
      else values.set(variable, addAssignedValue(values.get(variable) ?? [], value, plus === "+"));
    }
  }
  return { values, items: [...items] };
}

function addAssignedValue(before: readonly string[], value: string, isAppended: boolean): readonly string[] {
  const made = isAppended ? before.map((one) => one + value) : [];
  return [...new Set([...before, ...made, value])].slice(0, MOST_VALUES + 1);
}

function expandVariables({ text, variables }: Word, { values, items }: Assignments): readonly string[] | undefined {
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
