/** Encoding time grows with the square of an unbroken run's length, so longer runs are cut. */
const LONGEST_RUN = /\S{256}|\s{256}/g;

/** Splits a text so that no piece has an unbroken run that is slow to encode. Ordinary text stays in one piece. */
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
