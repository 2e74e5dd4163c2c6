import assert from "node:assert/strict";
import fc from "fast-check";
import { createTerminalFilter } from "../../../../src/editor/panel/terminal-text.ts";

const ESC = "\u001b";
const shown = (...chunks: readonly string[]): string => {
  const filter = createTerminalFilter();
  return chunks.map(filter).join("");
};

const passes: Record<string, string> = {
  text: "hällo 👋 \u202e text",
  colours: `${ESC}[1;38;5;196mred${ESC}[0m`,
  "true colours": `${ESC}[38:2::10:20:30mx${ESC}[m`,
  "tabs, backspaces and carriage returns": "a\tb\b\rc",
  "moves of the cursor in its line": `${ESC}[2D${ESC}[10C${ESC}[G`,
  "clearing the line": `50%\r${ESC}[K100%${ESC}[2K`,
};

const left: Record<string, string> = {
  "a clipboard write": `${ESC}]52;c;cm0gLXJmIH4=\u0007`,
  "a clipboard write ended by a string terminator": `${ESC}]52;c;cm0gLXJmIH4=${ESC}\\`,
  "a clipboard write in control characters of the upper half": "\u009d52;c;cm0gLXJmIH4=\u009c",
  "a title": `${ESC}]0;sudo password:\u0007`,
  "a query of the device": `${ESC}[c${ESC}[6n${ESC}[>c${ESC}[?6n`,
  "a query string": `${ESC}P$qm${ESC}\\${ESC}P+q544e${ESC}\\`,
  "a mode": `${ESC}[?1049h${ESC}[?2004h${ESC}[?1000h${ESC}=`,
  "a reset": `${ESC}c${ESC}[!p`,
  "a window operation": `${ESC}[8;1;1t${ESC}[21t`,
  "a clearing of the scrollback": `${ESC}[2J${ESC}[3J`,
  "moves of the cursor to other lines": `${ESC}[2A${ESC}[B${ESC}[3E${ESC}[1F${ESC}[3;4H${ESC}[2;2f${ESC}[5d${ESC}M`,
  "a clearing of other lines": `${ESC}[J${ESC}[0J${ESC}[1J${ESC}[2L${ESC}[2M${ESC}[S${ESC}[T${ESC}[2;5r`,
  "a cursor that is saved and restored": `${ESC}7${ESC}8${ESC}[s${ESC}[u`,
  "hidden letters": `${ESC}[8m${ESC}[0;1;8m`,
  "a shell integration mark": `${ESC}]633;E;rm -rf;nonce\u0007${ESC}]133;A\u0007`,
  "a bell, a form feed and a NUL": "\u0007\f\u0000\u000e\u000f",
  "a character set": `${ESC}(0${ESC})B`,
  "a private message": `${ESC}^secret${ESC}\\${ESC}_secret${ESC}\\${ESC}Xsecret${ESC}\\`,
  "a sequence without end": `${ESC}[${"1;".repeat(32)}`,
};

describe("output made harmless for a terminal", () => {
  for (const [what, text] of Object.entries(passes)) it(`lets ${what} through`, () => assert.equal(shown(text), text));

  it("begins a new line at its start", () => assert.equal(shown("a\nb\r\nc"), "a\r\nb\r\r\nc"));

  for (const [what, text] of Object.entries(left))
    it(`leaves out ${what}`, () => assert.equal(shown(`a${text}b`), "ab"));

  it("shows a link's text without the link", () => {
    assert.equal(shown(`${ESC}]8;;https://example.org${ESC}\\click${ESC}]8;;${ESC}\\ here`), "click here");
  });

  it("does not let a string that never ends hide more than its line", () => {
    assert.equal(shown(`a${ESC}]0;title\nb`), "a\r\nb");
  });

  it("gives a sequence up that another one interrupts", () => {
    assert.equal(shown(`${ESC}]0;x${ESC}[31mred${ESC}[3${ESC}[0m`), `${ESC}[31mred${ESC}[0m`);
  });

  it("says the same however the output is cut into chunks", () => {
    const pieces = fc.constantFrom(...Object.values(passes), ...Object.values(left), "plain\n");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const output = parts.join("");
        assert.equal(shown(...output), shown(output));
      }),
    );
  });

  it("lets nothing else out than text and the sequences it knows", () => {
    const noise = fc.array(fc.constantFrom(..."\u001b\u009b\u009d[]?;0152cJKHm\u0007\\P\n\t "), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(noise, (characters) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
        const known = /\x1b\[(?:[\d;:]*m|\d*[CDG]|[0-2]?K)|[\r\n\t\b]/g;
        assert.doesNotMatch(shown(characters.join("")).replace(known, ""), /\p{Cc}/u);
      }),
    );
  });
});
