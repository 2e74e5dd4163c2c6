/** A stretch of a line: plain, or between backticks. */
export interface Span {
  readonly text: string;
  readonly code: boolean;
}

/** A part of a text, as far as it is told apart: no links, no images, no HTML. */
export type Block =
  | { readonly kind: "paragraph"; readonly spans: readonly Span[] }
  | {
      readonly kind: "list";
      readonly items: readonly (readonly Span[])[];
      /** The number of the first item, where they are numbered: an answer may refer to them. */
      readonly from?: number;
    }
  | { readonly kind: "code"; readonly text: string };

const FENCE = /^\s*(```+|~~~+)/;
const BULLET = /^\s*(?:[-*•]|(\d{1,3})[.)])\s+(.*)$/;

/** Reads code fences, bullets, blank lines and backticks out of a model's text. A fence left open runs to the end. */
export function textBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let items: string[] = [];
  let from: number | undefined;
  const close = (): void => {
    if (paragraph.length > 0) blocks.push({ kind: "paragraph", spans: spansOf(paragraph.join("\n")) });
    if (items.length > 0)
      blocks.push({ kind: "list", items: items.map(spansOf), ...(from === undefined ? {} : { from }) });
    paragraph = [];
    items = [];
  };
  const lines = text.split(/\r\n|\r|\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const fence = FENCE.exec(line)?.[1];
    const [, number, bullet] = BULLET.exec(line) ?? [];
    if (fence !== undefined) {
      close();
      const end = closingFence(lines, index + 1, fence);
      blocks.push({ kind: "code", text: lines.slice(index + 1, end).join("\n") });
      index = end;
    } else if (bullet !== undefined) {
      if (paragraph.length > 0 || (number === undefined) !== (from === undefined)) close();
      if (items.length === 0) from = number === undefined ? undefined : Number(number);
      items.push(bullet);
    } else if (line.trim() === "") close();
    else if (items.length > 0 && /^\s/.test(line)) items.push(`${items.pop()}\n${line.trim()}`);
    else {
      if (items.length > 0) close();
      paragraph.push(line);
    }
  }
  close();
  return blocks;
}

function closingFence(lines: readonly string[], from: number, fence: string): number {
  const closing = lines.findIndex((line, index) => index >= from && line.trim().startsWith(fence));
  return closing < 0 ? lines.length : closing;
}

function spansOf(text: string): readonly Span[] {
  return text
    .split(/(`[^`\n]+`)/)
    .filter((piece) => piece !== "")
    .map((piece) =>
      /^`[^`\n]+`$/.test(piece) ? { text: piece.slice(1, -1), code: true } : { text: piece, code: false },
    );
}
