import assert from "node:assert/strict";
import { createOutputMarks, MarkedOutput } from "../../../../src/node/terminal/marked-output.ts";

const marks = createOutputMarks("4f2a");

/** What is read of a terminal's text, given in pieces of some length. */
function read(text: string, length: number): { readonly output: string; readonly isOver: boolean } {
  const marked = new MarkedOutput(marks);
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += length) parts.push(marked.add(bytes.subarray(at, at + length)));
  return { output: Buffer.concat([...parts, marked.finish()]).toString(), isOver: marked.isOver };
}

describe("the output between a line's marks", () => {
  it("is the same however the terminal's text is cut into pieces", () => {
    const text = `Script started\r\n${marks.begin}größe\r\nend\r${marks.end}\nScript done\r\n`;
    const seen = new Set(Array.from({ length: 40 }, (_, index) => JSON.stringify(read(text, index + 1))));

    assert.deepEqual([...seen], [JSON.stringify({ output: "größe\nend\r", isOver: true })]);
  });

  it("has the line ends that the program printed", () => {
    const { output } = read(`${marks.begin}\r\na\r\r\n\r\nb\rc${marks.end}`, 3);

    assert.equal(output, "\na\r\n\nb\rc");
  });

  it("continues after a mark of another line, and after VS Code's own mark of an end", () => {
    const forged = `${createOutputMarks("4f2b").end}\u001b]633;D;0\u0007`;

    assert.deepEqual(read(`${marks.begin}a${forged}b${marks.end}`, 5), {
      output: `a${forged}b`,
      isOver: true,
    });
  });

  it("is all there is when the end never comes, and nothing before the beginning", () => {
    const cut = marks.end.slice(0, 6);

    assert.deepEqual(
      [read(`${marks.begin}half ${cut}`, 4), read(`no beginning${marks.end}`, 4)],
      [
        { output: `half ${cut}`, isOver: false },
        { output: "", isOver: false },
      ],
    );
  });
});
