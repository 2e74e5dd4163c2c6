/** Paragraphs of plain prose in HTML, so many bytes. */
export function prose(bytes: number): string {
  const paragraph = "<p>The harbour was quiet, and the boats lay still, as they had for <b>many</b> days.</p>\n";
  return paragraph.repeat(Math.ceil(bytes / paragraph.length)).slice(0, bytes);
}
