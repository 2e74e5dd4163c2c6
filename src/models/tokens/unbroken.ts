/** The encoder's time grows with the square of an unbroken run, so longer runs are cut. */
const LONGEST_RUN = /\S{256}|\s{256}/g;

/** Cuts a text so that no piece has an unbroken run that is slow to encode; ordinary text is one piece. */
export function splitUnbrokenRuns(text: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { index, 0: run } of text.matchAll(LONGEST_RUN)) {
    pieces.push(text.slice(from, index + run.length));
    from = index + run.length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}
