import { mentionBlock } from "../panel/mentions.ts";

/** Something that the user attached to a message in the chat. */
export interface ChatReference {
  /** Where it is in the message, if it's named there. */
  readonly range?: readonly [start: number, end: number] | undefined;
  /** The file's name in the run, and the lines; absent for text only. */
  readonly file?: string;
  readonly lines?: readonly [first: number, last: number];
  /** Text to quote. */
  readonly text?: string;
}

/**
 * Adds references to a message as mentions, as in the panel: a file in the place where the user named it, and texts at the end, quoted as
 * data.
 */
export function addReferences(prompt: string, references: readonly ChatReference[]): string {
  const text = references
    .filter(({ range, file }) => range && file !== undefined)
    .toSorted((one, other) => getReferenceStart(other) - getReferenceStart(one))
    .reduce((before, reference) => {
      const [start, end] = reference.range ?? [0, 0];
      return `${before.slice(0, start)}${renderMention(reference)}${before.slice(end)}`;
    }, prompt);
  const others = references.filter(({ range, file }) => !range && file !== undefined).map(renderMention);
  const files = others.length > 0 ? [`See ${[...new Set(others)].join(", ")}.`] : [];
  const blocks = references.flatMap((reference) =>
    reference.text === undefined ? [] : [renderReferenceBlock(reference)],
  );
  return [text.trim(), ...files, ...blocks].join("\n\n");
}

function getReferenceStart({ range }: ChatReference): number {
  return range?.[0] ?? 0;
}

function renderMention({ file = "", lines }: ChatReference): string {
  return lines ? `@${file} (${describeLines(lines)})` : `@${file}`;
}

function renderReferenceBlock({ file, lines, text = "" }: ChatReference): string {
  const source = [...(file === undefined ? ["the chat"] : [file]), ...(lines ? [describeLines(lines)] : [])].join(", ");
  return mentionBlock("selection", { source, text });
}

function describeLines([first, last]: readonly [number, number]): string {
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}
