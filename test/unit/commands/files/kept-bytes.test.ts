import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import iconv from "iconv-lite";
import type { TextFile } from "../../../../src/core/ports/workspace.ts";
import { decodeText } from "../../../../src/node/files/text-encoding.ts";
import { ReviewBench } from "../../../support/review-bench.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";
import { UndoBench } from "../../../support/undo-bench.ts";

/** More examples: PROPERTY_RUNS=5000, elsewhere with PROPERTY_SEED. A failure prints its seed. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 25);

/** A file as lines, each with a word of its own, in one kind of bytes. */
interface Example {
  readonly bytes: Buffer;
  /** Bytes of its byte order mark. */
  readonly mark: number;
  readonly lines: number;
  /** The bytes of an ASCII text in it. */
  readonly ascii: (text: string) => Buffer;
}

const stray = [[0xe9], [0x80], [0xc3], [0xed, 0xa0, 0xbd], [0xc0, 0xaf], [0xf0, 0x9f], [0xff]].map((bytes) =>
  Buffer.from(bytes),
);
const space = fc.constantFrom(" ", "  ", "\t", "\u00a0", "\u202f", " \t");
const letters = fc.constantFrom("a", "é", "e\u0301", "漢字", "ü", "\uefe9", "“x”", "\u200b", "😀", "𝒳");

/** The pieces that lines are made of, and how an ASCII text is written, for each kind of file. */
const KINDS: readonly {
  readonly mark: Buffer;
  readonly pieces: fc.Arbitrary<Buffer>;
  ascii(text: string): Buffer;
}[] = [
  ...["", "\ufeff"].map((mark) => ({
    mark: Buffer.from(mark),
    pieces: fc.oneof(
      letters.map((text) => Buffer.from(text)),
      space.map((text) => Buffer.from(text)),
      fc.constantFrom(...stray),
    ),
    ascii: (text: string) => Buffer.from(text),
  })),
  {
    mark: Buffer.from(""),
    pieces: fc.oneof(letters, space).map((text) => Buffer.from(text)),
    ascii: (text) => Buffer.from(text),
  },
  ...(["utf16le", "utf16-be"] as const).map((encoding) => ({
    mark: iconv.encode("\ufeff", encoding, { addBOM: false }),
    pieces: fc.oneof(letters, space).map((text) => iconv.encode(text, encoding, { addBOM: false })),
    ascii: (text: string) => iconv.encode(text, encoding, { addBOM: false }),
  })),
  ...[
    ["shift_jis", "設定", "日本語", "ｶﾅ", "a"],
    ["gb18030", "配置", "测试", "\u00e9"],
    ["euc-kr", "한글", "테스트"],
    ["koi8-r", "Привет", "мир", "ё"],
    ["windows-1252", "é", "Größe", "“x”", "…"],
  ].map(([encoding = "", ...words]) => ({
    mark: Buffer.from(""),
    pieces: fc.oneof(
      fc.constantFrom(...words.map((word) => iconv.encode(word, encoding))),
      fc.constantFrom(" ", "\t", "  ").map((text) => Buffer.from(text)),
    ),
    ascii: (text: string) => Buffer.from(text),
  })),
];

const example: fc.Arbitrary<Example> = fc.constantFrom(...KINDS).chain(({ mark, pieces, ascii }) =>
  fc
    .tuple(
      fc.array(
        fc.tuple(
          fc.array(pieces, { maxLength: 4 }),
          fc.array(pieces, { maxLength: 4 }),
          fc.constantFrom("\n", "\r\n", "\r"),
        ),
        {
          minLength: 3,
          maxLength: 7,
        },
      ),
      fc.constantFrom("any", "\n", "\r\n", "\r"),
      fc.boolean(),
    )
    .map(([lines, only, endsLine]) => {
      const parts = lines.flatMap(([before, after, end], at) => [
        ...before,
        ascii(`<k${at}>`),
        ...after,
        at === lines.length - 1 && !endsLine ? Buffer.from("") : ascii(only === "any" ? end : only),
      ]);
      return { bytes: Buffer.concat([mark, ...parts]), mark: mark.length, lines: lines.length, ascii };
    }),
);

/** A text's lines as a model may write them: no tabs, no odd spaces, no blanks around. */
function loosened(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replace(/\s+/g, " ").trim());
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** A change of one line: another word in it, a line before it, or its removal. */
type Deed = "word" | "new line" | "removal";

/** The lines in place of a line. */
function linesFor(line: string, at: number, deed: Deed): readonly string[] {
  if (deed === "word") return [line.replace(`<k${at}>`, `<new${at}>`)];
  return deed === "removal" ? [] : ["<line>", line];
}

/** The calls that make a change, each in its own form. */
function changes(
  text: string,
  at: number,
  deed: Deed,
): Readonly<Record<string, { name: string; args: object; isSure: boolean }>> {
  const own = text.split(/(?<=\r\n|\n|\r(?!\n))/)[at] ?? "";
  const lines = loosened(text);
  const [from, to] = [Math.max(0, at - 1), Math.min(lines.length, at + 2)];
  const around = lines.slice(from, to);
  const isOwn = (line: string): boolean => line.includes(`<k${at}>`);
  const search = around.join("\n");
  const replace = around.flatMap((line) => (isOwn(line) ? linesFor(line, at, deed) : line)).join("\n");
  const diff = around.flatMap((line) =>
    isOwn(line) ? [`-${line}`, ...linesFor(line, at, deed).map((one) => `+${one}`)] : ` ${line}`,
  );
  const whole = text.split(/\r\n|\r|\n/).flatMap((line) => (isOwn(line) ? linesFor(line, at, deed) : line));
  const edit = (edits: object): object => ({ filename: "a.txt", edits: [edits] });
  const exact = { word: `<new${at}>`, "new line": `<line>\n${own}`, removal: "" }[deed];
  return {
    exact: {
      name: "edit_file",
      args: edit({ search: deed === "word" ? `<k${at}>` : own, replace: exact }),
      isSure: true,
    },
    loose: { name: "edit_file", args: edit({ search, replace }), isSure: false },
    diff: {
      name: "edit_file",
      args: { filename: "a.txt", diff: `@@\n${diff.join("\n")}` },
      isSure: false,
    },
    whole: { name: "write_to_file", args: { filename: "a.txt", contents: whole.join("\n") }, isSure: true },
  };
}

function replaced({ bytes, ascii }: Example, at: number): Buffer {
  const [old, fresh] = [ascii(`<k${at}>`), ascii(`<new${at}>`)];
  const start = bytes.indexOf(old);
  return Buffer.concat([bytes.subarray(0, start), fresh, bytes.subarray(start + old.length)]);
}

/** The bytes that a change leaves; of a new line, each of its possible ends. */
function wantedFor(given: Example, file: TextFile | undefined, at: number, deed: Deed): readonly string[] {
  if (deed === "word") return [replaced(given, at).toString("latin1")];
  const { bytes, ascii } = given;
  const ends = ["\r\n", "\n", "\r"].map((end) => ascii(end).toString("latin1"));
  const text = bytes.toString("latin1");
  const parts = text
    .slice(file?.bom ? given.mark : 0)
    .split(new RegExp(`(?<=${ends[0]}|${ends[1]}|${ends[2]}(?!${ends[1]}))`));
  const mark = file?.bom ? text.slice(0, given.mark) : "";
  if (deed === "removal") return [mark + parts.toSpliced(at, 1).join("")];
  return ends.map((end) => mark + parts.toSpliced(at, 0, `${ascii("<line>").toString("latin1")}${end}`).join(""));
}

/** True for the wanted bytes, where a new line may be indented like those around it. */
function isAsWanted(now: string, wanted: string, mark: string): boolean {
  const at = wanted.indexOf(mark);
  if (at === -1 || !now.startsWith(wanted.slice(0, at)) || !now.endsWith(wanted.slice(at))) return now === wanted;
  return /^[\0\t \xa0\xc2\xe2\x80\xaf/]*$/.test(now.slice(at, now.length - wanted.length + at));
}

describe("the bytes of a file that a change doesn't name", () => {
  const tempFolder = tempFolders();
  const counts = { done: 0, refused: 0, merged: 0 };

  async function changed(given: Example, form: string, nth: number, deed: Deed): Promise<void> {
    const folder = await tempFolder();
    const file = await decodeText(given.bytes);
    // The first line's indent isn't part of a loose search.
    const at = deed === "word" ? nth % given.lines : 1 + (nth % (given.lines - 2));
    const [work, path] = [join(folder, "work"), join(folder, "work", "a.txt")];
    await plant(work, { "a.txt": given.bytes });
    const bench = new UndoBench(work, join(folder, "run"));
    const change = changes(file?.text ?? "", at, deed)[form];
    assert.ok(change);
    const outcome = await bench.act(change.name, { ...change.args });
    const after = await readFile(path);
    if (outcome.status !== "done") {
      assert.ok(!file || !change.isSure, JSON.stringify(outcome));
      assert.deepEqual(after, given.bytes);
      counts.refused += 1;
      return;
    }
    const isRewritten = form === "whole" && (!file || file.isGuessed);
    const wanted = wantedFor(given, file, at, deed);
    const now = after.toString("latin1");
    const mark = given.ascii("<line>").toString("latin1");
    if (!isRewritten && !wanted.some((one) => isAsWanted(now, one, mark))) assert.deepEqual(now, wanted[0]);
    await bench.undo.undo({});
    assert.deepEqual(await readFile(path), given.bytes);
    counts.done += 1;
  }

  for (const form of ["exact", "loose", "diff", "whole"])
    it(`stay in an edit of this form, and all come back with its undo: ${form}`, async () => {
      await fc.assert(
        fc.asyncProperty(example, fc.nat(6), fc.constantFrom<Deed>("word", "new line", "removal"), (given, nth, deed) =>
          changed(given, form, nth, deed),
        ),
        { numRuns: RUNS },
      );
      assert.ok(counts.done > RUNS / 3, JSON.stringify(counts));
      counts.done = 0;
    });

  it("stay when text is added at its end, on a line of its own", async () => {
    await fc.assert(
      fc.asyncProperty(example, async (given) => {
        const folder = await tempFolder();
        await plant(folder, { "work/a.txt": given.bytes });
        const bench = new UndoBench(join(folder, "work"), join(folder, "run"));
        const outcome = await bench.act("append_to_file", { filename: "a.txt", contents: "added" });
        const after = await readFile(join(folder, "work", "a.txt"));
        const added = outcome.status === "done" ? after.subarray(given.bytes.length) : after.subarray(0, 0);
        const ends = ["", "\n", "\r\n", "\r"].map((end) => given.ascii(`${end}added`).toString("latin1"));
        assert.deepEqual(after.subarray(0, given.bytes.length), given.bytes);
        if (outcome.status === "done") assert.ok(ends.includes(added.toString("latin1")), JSON.stringify(added));
        const lines = (await decodeText(after))?.text.split(/\r\n|\r|\n/);
        if (outcome.status === "done") assert.equal(lines?.at(-1), "added");
      }),
      { numRuns: RUNS },
    );
  });

  it("stay when changes of an isolated run are accepted, as they are or with a change of one's own", async () => {
    await fc.assert(
      fc.asyncProperty(example, fc.nat(6), fc.constantFrom("result", "text"), async (given, nth, choice) => {
        const at = nth % given.lines;
        const other = (at + 2) % given.lines;
        const one = await ReviewBench.make(await tempFolder(), {});
        await plant(one.work, { "a.txt": given.bytes });
        await plant(one.copied, { "a.txt": given.bytes });
        await one.keepBase();
        const run = { ...given, bytes: replaced(given, at) };
        await plant(one.copied, { "a.txt": run.bytes });
        if (choice === "result") await plant(one.work, { "a.txt": replaced(given, other) });
        const text = (await decodeText(run.bytes))?.text.replace(`<k${other}>`, `<new${other}>`);
        if (choice === "text" && text === undefined) return;
        const before = await readFile(join(one.work, "a.txt"));
        const accepted = await one.accept(await one.review(), {
          "a.txt": choice === "result" ? "result" : { text: text ?? "" },
        });
        const after = await readFile(join(one.work, "a.txt"));
        const wanted = accepted.files.length > 0 ? replaced(run, other) : before;
        assert.deepEqual(after.toString("latin1"), wanted.toString("latin1"));
        counts.merged += accepted.files.length;
        if (accepted.files.length > 0) await one.withdraw();
        assert.deepEqual(await readFile(join(one.work, "a.txt")), before);
      }),
      { numRuns: RUNS },
    );
    assert.ok(counts.merged > RUNS / 3, JSON.stringify(counts));
  });
});
