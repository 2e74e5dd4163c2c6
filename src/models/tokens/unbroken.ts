/** The encoder's work grows with the square of a run without a break, so that longer runs are cut. */
const LONGEST_RUN = /\S{256}|\s{256}/g;

/** A text in pieces none of which has a run that is long enough to be slow; ordinary text is one piece. */
export function unbroken(text: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { index, 0: run } of text.matchAll(LONGEST_RUN)) {
    pieces.push(text.slice(from, index + run.length));
    from = index + run.length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}
