import assert from "node:assert/strict";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { grown, plant } from "../../../support/trees.ts";

describe("write_to_file", () => {
  const planted = plantedBenches();

  /** All commands over an empty folder whose files have an encoding. */
  async function plantedIn(encoding: string) {
    const { folder } = await planted({});
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const locate: typeof workspace.locate = async (...path) => ({
      ...(await workspace.locate(...path)),
      encoding: { encoding, bom: false },
    });
    return { folder, bench: new CommandBench(folder, folder, { workspace: { ...workspace, locate } }) };
  }

  it("creates a file, shown as a diff with nothing on the left", async () => {
    const { bench, folder } = await planted({});
    const tried = await bench.try("write_to_file", { filename: "src/a.ts", contents: "one\ntwo\n" });
    assert.deepEqual(
      [tried, await grown(folder)],
      [
        {
          preview: {
            kind: "change",
            file: "src/a.ts",
            target: join(folder, "src/a.ts"),
            after: "one\ntwo\n",
          },
          outcome: { status: "done", output: 'Created "src/a.ts" with 2 lines.' },
        },
        { "src/a.ts": "one\ntwo\n" },
      ],
    );
  });

  it("creates a file in the encoding that the user has set, as other commands do", async () => {
    const { bench, folder } = await plantedIn("windows-1252");
    await bench.call("write_to_file", { filename: "a.txt", contents: "é\n" });
    await bench.call("append_to_file", { filename: "b.txt", contents: "è\n" });
    assert.deepEqual(await grown(folder), { "a.txt": "é\n", "b.txt": "è\n" });
  });

  it("replaces a file in its own line ends and byte order mark", async () => {
    const { bench, folder } = await planted({ "a.txt": "\ufeffone\r\n" });
    const { preview } = await bench.try("write_to_file", { filename: "a.txt", contents: "one\ntwo\n" });
    assert.deepEqual(
      [preview, (await grown(folder))["a.txt"]],
      [
        {
          kind: "change",
          file: "a.txt",
          target: join(folder, "a.txt"),
          before: "one\r\n",
          after: "one\r\ntwo\r\n",
        },
        Buffer.from("\ufeffone\r\ntwo\r\n").toString("latin1"),
      ],
    );
  });

  it("says that nothing changes when nothing does, and asks no one", async () => {
    const { bench } = await planted({ "a.txt": "one\r\n" });
    assert.deepEqual(await bench.try("write_to_file", { filename: "a.txt", contents: "one\n" }), {
      outcome: { status: "done", output: '"a.txt" already has exactly this text; it is unchanged.' },
    });
  });
});

describe("write_to_file, where the contents are no text", () => {
  const planted = plantedBenches();

  /** A file before, the contents of a call, and the file after it. */
  const WRITTEN: readonly (readonly [name: string, before: string | undefined, contents: unknown, after: string])[] = [
    ["package.json", undefined, { name: "x", list: [1] }, '{\n  "name": "x",\n  "list": [\n    1\n  ]\n}\n'],
    ["tabs.json", '{\r\n\t"a": 1\r\n}\r\n', { file: 2 }, '{\r\n\t"file": 2\r\n}\r\n'],
    ["list.json", undefined, [{ name: "a", path: "b" }], '[\n  {\n    "name": "a",\n    "path": "b"\n  }\n]\n'],
    ["log.jsonl", undefined, [{ a: 1 }, [2]], '{"a":1}\n[2]\n'],
    ["a.py", undefined, ["def a():", "    pass"], "def a():\n    pass\n"],
    ["list.json", "[]\n", ["a"], '[\n  "a"\n]\n'],
    ["version", undefined, 5, "5"],
    ["one-line.json", '{"a":1}', { file: 2 }, '{"file":2}\n'],
    ["a.md", undefined, ["a\n", "b\n"], "a\nb\n"],
    ["a.md", undefined, ["a", 1, null, "b", ""], "a\n1\n\nb\n"],
    ["a.md", undefined, [], ""],
    ["a.py", undefined, { type: "text", text: "x" }, "x"],
    ["a.py", undefined, [{ text: "x\n" }, { text: "y\n" }], "x\ny\n"],
    ["a.yml", "# old\n", { on: ["yes", 1], key: { b: null } }, '"on":\n  - "yes"\n  - 1\nkey:\n  b: null\n'],
  ];

  for (const [name, before, contents, after] of WRITTEN)
    it(`writes them in the file's format and says so: ${JSON.stringify(contents)} to ${name}`, async () => {
      const { bench, folder } = await planted(before === undefined ? {} : { [name]: before });
      const { call } = bench.commands.understand({
        name: "write_to_file",
        args: { path: name, content: contents },
      });
      const outcome = await bench.call(call.name, call.args);
      assert.deepEqual(
        [(await grown(folder))[name], JSON.stringify(outcome).includes("The contents weren't text")],
        [after, typeof contents === "object"],
      );
    });

  it("adds them to a file as JSON, too, and puts them in place of a text", async () => {
    const { bench, folder } = await planted({ "a.jsonl": '{"a":1}', "b.json": '{\n  "x": 1\n}\n' });
    await bench.call("append_to_file", { filename: "a.jsonl", contents: { b: 2 } });
    await bench.call("edit_file", { filename: "b.json", edits: [{ search: "1", replace: ["y"] }] });
    assert.deepEqual(await grown(folder), {
      "a.jsonl": '{"a":1}\n{"b":2}\n',
      "b.json": '{\n  "x": [\n  "y"\n]\n}\n',
    });
  });

  it("takes a byte order mark for the one that is there, and keeps a carriage return within a line", async () => {
    const { bench, folder } = await planted({ "a.txt": "\ufeffa\r\n", "b.txt": "b\r\n", "c.txt": "c\n" });
    await bench.call("write_to_file", { filename: "a.txt", contents: "\ufeff1\n" });
    await bench.call("write_to_file", { filename: "b.txt", contents: "1\r2\n3\n" });
    await bench.call("append_to_file", { filename: "c.txt", contents: "\ufeff1\n" });
    assert.deepEqual(await grown(folder), {
      "a.txt": Buffer.from("\ufeff1\r\n").toString("latin1"),
      "b.txt": "1\r2\r\n3\r\n",
      "c.txt": "c\n1\n",
    });
  });

  it("takes lines for each text of an edit, and for a diff", async () => {
    const { bench, folder } = await planted({ "a.txt": "one\ntwo\n", "b.txt": "one\ntwo\n" });
    await bench.call("edit_file", {
      filename: ["a.txt"],
      edits: [{ search: ["one", "two"], replace: ["1", "2"] }],
    });
    await bench.call("edit_file", { filename: "b.txt", diff: ["@@", "-one", "+1", " two"] });
    assert.deepEqual(await grown(folder), { "a.txt": "1\n2\n", "b.txt": "1\ntwo\n" });
  });

  it("takes no object for the name of a file", async () => {
    const { bench } = await planted({});
    const outcome = await bench.call("write_to_file", { filename: { a: 1 }, contents: "x" });
    assert.equal(outcome.status, "failed");
  });
});

describe("write_to_file, over a file in an encoding that nothing says", () => {
  const planted = plantedBenches();
  const mostlyUtf8 = Buffer.concat([Buffer.from("Grüße 漢字\n".repeat(30)), Buffer.from([0xe9]), Buffer.from("\nc\n")]);

  it("writes UTF-8, and says which encoding it was", async () => {
    const { bench, folder } = await planted({
      "a.txt": mostlyUtf8,
      "b.txt": Buffer.from("Größe\n", "latin1"),
      "c.txt": Buffer.from("93fa967b8cea82cc8365834c83588367", "hex"),
    });
    const outcomes = [];
    for (const filename of ["a.txt", "b.txt", "c.txt"])
      outcomes.push(await bench.call("write_to_file", { filename, contents: "Grüße aus Köln\n" }));
    const after = Buffer.from("Grüße aus Köln\n").toString("latin1");
    assert.deepEqual(
      [await grown(folder), outcomes.map((one) => one.status === "done" && one.output)],
      [
        { "a.txt": after, "b.txt": after, "c.txt": after },
        [
          'Replaced "a.txt" with 1 line. It was written as UTF-8. Before: It is UTF-8, except for 1 byte (E9 in line 31). A byte E9 is read as the character U+EFE9 and so on, and stays if that is kept.',
          'Replaced "b.txt" with 1 line. It is UTF-8 now: its encoding before, iso-8859-1, was only a guess.',
          'Replaced "c.txt" with 1 line. It is UTF-8 now: its encoding before, shift_jis, was only a guess.',
        ],
      ],
    );
  });

  it("leaves every odd byte in a line that stays, and the line ends of such lines", async () => {
    const { bench, folder } = await planted({
      "a.txt": Buffer.concat([Buffer.from("ü\n"), mostlyUtf8]),
      "b.txt": "a\nb\r\nc\n",
    });
    const read = await bench.call("read_file", { filename: "a.txt" });
    const text = read.status === "done" ? read.output : "";
    await bench.call("edit_file", { filename: "a.txt", edits: [{ search: "c\n", replace: "ö\n" }] });
    await bench.call("write_to_file", { filename: "b.txt", contents: "a\nb\nC\n" });
    assert.deepEqual(
      [await grown(folder), text.includes("\n\uefe9\nc"), text.includes("except for 1 byte (E9 in line 32)")],
      [
        {
          "a.txt": Buffer.concat([Buffer.from("ü\n"), mostlyUtf8.subarray(0, -2), Buffer.from("ö\n")]).toString(
            "latin1",
          ),
          "b.txt": "a\nb\r\nC\n",
        },
        true,
        true,
      ],
    );
  });
});

describe("write_to_file, when the user changed the diff", () => {
  const planted = plantedBenches();

  it("writes what the user accepted, and shows the model how it differs", async () => {
    const { bench, folder } = await planted({ "a.txt": "one\n" });
    const outcome = await bench.call("write_to_file", { filename: "a.txt", contents: "two\nthree\n" }, "two\nfour\n");
    assert.deepEqual(
      [outcome, (await grown(folder))["a.txt"]],
      [
        {
          status: "done",
          output:
            'Replaced "a.txt" with 2 lines.\nThe user changed your proposal before accepting it (- is what you proposed, + is what was written):\n@@ -1,2 +1,2 @@\n two\n-three\n+four',
        },
        "two\nfour\n",
      ],
    );
  });

  it("writes nothing when the user dropped every change", async () => {
    const { bench } = await planted({ "a.txt": "one\n" });
    assert.deepEqual(await bench.call("write_to_file", { filename: "a.txt", contents: "two\n" }, "one\n"), {
      status: "done",
      output: 'The user accepted none of your changes, so "a.txt" is unchanged. Ask why, or try another way.',
    });
  });
});

describe("write_to_file, when there is something in the way", () => {
  const planted = plantedBenches();

  it("is no longer fresh once the file changed, and then leaves it alone", async () => {
    const { bench, folder } = await planted({ "a.txt": "one\n" });
    const prepared = await bench.prepare("write_to_file", { filename: "a.txt", contents: "two\n" });
    assert.ok(isPrepared(prepared));
    const before = await prepared.fresh();
    await plant(folder, { "a.txt": "theirs\n" });
    const after = await prepared.fresh();
    assert.deepEqual(
      [before, after, await bench.run(prepared), (await grown(folder))["a.txt"]],
      [
        true,
        false,
        {
          status: "failed",
          error: "The file was changed by another program in the meantime, so nothing was written. Look at it again.",
        },
        "theirs\n",
      ],
    );
  });

  it("shows a card in place of a diff when the file is binary, and replaces it", async () => {
    const { bench, folder } = await planted({ "a.bin": Buffer.from([0, 1, 2]) });
    const tried = await bench.try("write_to_file", { filename: "a.bin", contents: "text\n" });
    assert.deepEqual(
      [tried, (await grown(folder))["a.bin"]],
      [
        {
          preview: {
            kind: "details",
            text: 'Replace the binary file "a.bin" (3 bytes) by this text:\n\ntext\n',
          },
          outcome: { status: "done", output: 'Replaced "a.bin" with 1 line. It was a binary file before.' },
        },
        "text\n",
      ],
    );
  });

  it("shows a card in place of a diff when the text has a NUL in it, which no editor shows", async () => {
    const { bench } = await planted({ "a.txt": "old\n" });
    const { preview } = await bench.try("write_to_file", { filename: "a.txt", contents: "a\0b\n" });
    assert.deepEqual(preview, {
      kind: "details",
      text: 'Replace the file "a.txt" (4 bytes) by this text:\n\na\0b\n',
    });
  });

  it("refuses to write where a folder is", async () => {
    const { bench } = await planted({ "src/a.ts": "" });
    assert.deepEqual(await bench.call("write_to_file", { filename: "src", contents: "" }), {
      status: "failed",
      error: '"src" is a folder, so it cannot be written. Name a file.',
    });
  });
});

describe("write_to_file, with a text from between fences", () => {
  const planted = plantedBenches();
  const TWO =
    "-- name: first\nSELECT 1\nFROM a\nWHERE y;\n\n-- name: second\nSELECT 2\nFROM b;\n\n-- name: third\nSELECT 3;\n";

  async function written(before: string, contents: string, mayBePart = true) {
    const { bench, folder } = await planted({ "a.sql": before });
    const args = { filename: "a.sql", contents, keep_end: true, ...(mayBePart ? { may_be_part: true } : {}) };
    const { outcome } = await bench.try("write_to_file", args);
    return { text: (await grown(folder))["a.sql"], output: outcome.status === "done" ? outcome.output : "" };
  }

  it("keeps the end of the file", async () => {
    assert.equal((await written("one", "two\n")).text, "two");
    assert.equal((await written("one\n\n", "two")).text, "two\n\n");
    assert.equal((await written("one\r\n", "two\n")).text, "two\r\n");
    const blank = "\r\n".repeat(200_000);
    assert.equal((await written(`one${blank}x`, `two${"\n".repeat(200_000)}`)).text, "two");
  });

  it("replaces only the part that was given", async () => {
    const part = "-- name: second\nSELECT 22\nWHERE x\nFROM b;\n";
    const whole = TWO.replace("SELECT 2\n", "SELECT 22\nWHERE x\n");
    assert.deepEqual(await written(TWO, part), {
      text: whole,
      output: 'Replaced "a.sql" with 12 lines. Lines that were missing from the new text were kept.',
    });
    assert.equal((await written(TWO.replaceAll("\n", "\r\n"), part)).text, whole.replaceAll("\n", "\r\n"));
    assert.equal((await written(TWO, part, false)).text, part);
  });

  it("keeps comments above lines that stay or begin as before, and no others", async () => {
    const settings = "# Hosts\n[a]\n; seconds\ntime = 3\n; on or off\nhost = b\n# x = 1\n[b]\n# last\n";
    const cases = [
      [
        "[a]\ntime = 4\nhost = b\nx = 1\n[b]\n",
        "# Hosts\n[a]\n; seconds\ntime = 4\n; on or off\nhost = b\nx = 1\n[b]\n# last\n",
      ],
      ["# Names\n[a]\n; minutes\ntime = 4\n", "# Names\n[a]\n; minutes\ntime = 4\n"],
      ["name = 4\n", "name = 4\n"],
    ] as const;
    for (const [given, text] of cases) assert.equal((await written(settings, given)).text, text);
  });

  it("puts back no comment that was carried out, no half of one, and no part of an expression", async () => {
    for (const [before, given] of [
      ["a = 1\n# b = 2\nc = 3\n", "a = 2\nb = 2\nc = 3\n"],
      ["f() {\n  // TODO: return one\n  return 0;\n}\n", "f() {\n  return 1;\n}\n"],
      ["/*\n  Licence\n*/\nint a = 1;\nint b;\n", "int a = 2;\nint b;\n"],
      ["x = (a\n  * b\n  + c)\n", "x = (a\n  + c)\n"],
      [
        "const a = 1;\nconst b = 2;\nconst c = 3;\nconst d = 4;\nf() {\n  one;\n}\ng() {\n  two;\n}\nh() {\n  three;\n}",
        "f() {\n  one;\n}\ng = {\n  four;\n}",
      ],
    ] as const) {
      const { text = "" } = await written(before, given);
      assert.ok(text === given || String(text).split("g").length === 2, String(text));
    }
  });

  it("says that only comments were missing", async () =>
    assert.deepEqual(await written("# one\na = 1\n", "a = 1\n"), {
      text: "# one\na = 1\n",
      output: '"a.sql" is unchanged. Lines that were missing from the new text were kept.',
    }));

  for (const [why, contents] of [
    ["leaves lines out, but changes none", "-- name: second\nSELECT 2\nFROM b;\n"],
    ["begins with a new line", "-- name: other\nSELECT 22\nFROM b;\n"],
    ["ends with a new line", "-- name: second\nSELECT 22;\n"],
    ["has a line from before the part", "-- name: second\nSELECT 1\nSELECT 22\nFROM b;\n"],
    ["begins as the file does", "-- name: first\nSELECT 11\nFROM a;\n"],
    ["is empty", ""],
  ] as const)
    it(`is the whole file where it ${why}`, async () => assert.equal((await written(TWO, contents)).text, contents));
});
