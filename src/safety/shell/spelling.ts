import { createVariableExpander } from "./mentions.ts";
import { expandBraces } from "./reach.ts";
import { createLiteralWord, listEveryCommand, type ShellScript, type SimpleCommand, type Word } from "./reading.ts";

const LONGEST = 2000;
const MOST_SPELLINGS = 8;

/** Every command, also with its variables replaced by the line's own values, and with its braces expanded. */
export function expandSpellings(script: ShellScript): readonly SimpleCommand[] {
  const spell = createVariableExpander(script);
  return listEveryCommand(script).flatMap((command) => {
    const targets = command.redirects.map(({ target }) => target);
    const isPlain = [...command.words, ...targets].every(
      ({ variables, isBraced }) => variables.length === 0 && !isBraced,
    );
    if (isPlain) return [command];
    const spellings = command.words.map((word) => listWordSpellings(word, spell));
    const redirected = targets.map((target) => listWordSpellings(target, spell));
    const lengths = [...spellings, ...redirected].map((all) => all.length);
    const most = Math.min(MOST_SPELLINGS, Math.max(...lengths));
    const spelled = Array.from({ length: most }, (_, at) => ({
      ...command,
      words: spellings.flatMap((all) => all[at % all.length] ?? []),
      redirects: command.redirects.flatMap((redirect, index) =>
        (redirected[index]?.[at % (redirected[index]?.length ?? 1)] ?? []).map((target) => ({
          ...redirect,
          target,
        })),
      ),
    }));
    return [command, ...spelled];
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
