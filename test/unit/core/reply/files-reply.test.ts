import assert from "node:assert/strict";
import { ENDLESS } from "../../../../src/core/ports/model.ts";
import {
  CUT,
  omitCommandSentences,
  renderFencedFiles,
  renderFilesReply,
} from "../../../../src/core/reply/files-text.ts";
import { readReply } from "../../../../src/core/reply/read-reply.ts";
import type { Reply } from "../../../../src/core/reply/reply.ts";

const TICKS = "```";

/** The calls of a reply, each in one line. */
function callsIn(text: string, finish = "stop"): readonly string[] {
  return said(readReply({ text, calls: [], finish, model: "small" }, { format: "files" }));
}

function said(reply: Reply): readonly string[] {
  if (reply.kind === "unreadable") return [`unreadable: ${reply.problem}`];
  return [reply.call, ...(reply.also ?? [])].map(
    ({ name, args }) =>
      `${name} ${Object.values(args)
        .filter((value) => value !== true)
        .map((value) => JSON.stringify(value))
        .join(" ")}`,
  );
}

const file = (path: string, text: string, language = ""): string =>
  `File: ${path}\n${TICKS}${language}\n${text}${TICKS}`;

describe("a reply in whole files", () => {
  const cases: Readonly<Record<string, readonly [text: string, ...calls: string[]]>> = {
    "is a file and the end": [file("a.txt", "one\n"), 'write_to_file "a.txt" "one\\n"', 'task_complete "Wrote a.txt"'],
    "has its words as the end": [
      `I put the line in.\n\n${file("a.txt", "one\n")}\n\nAll is done.`,
      'write_to_file "a.txt" "one\\n"',
      'task_complete "I put the line in.\\n\\nAll is done."',
    ],
    "has several files, deletions and new names in their order": [
      `${file("a.py", "x = 1\n", "python")}\n\nDelete: old/b.py\nRename: c.txt -> d/c.txt`,
      'write_to_file "a.py" "x = 1\\n"',
      'delete_file "old/b.py"',
      'move_file "c.txt" "d/c.txt"',
      'task_complete "Wrote a.py; Deleted old/b.py; Moved c.txt"',
    ],
    "may have headings, marks and remarks around a path": [
      `### **File:** \`a.txt\` (new)\n\n${TICKS}text\none\n${TICKS}\n- Delete: \`b.txt\`\n1. **Rename:** "x.md" → "y.md"`,
      'write_to_file "a.txt" "one\\n"',
      'delete_file "b.txt"',
      'move_file "x.md" "y.md"',
      'task_complete "Wrote a.txt; Deleted b.txt; Moved x.md"',
    ],
    "may have the path alone above the fence, or in it": [
      `**src/a.ts**\n${TICKS}ts\n1;\n${TICKS}\n${TICKS}python src/b.py\n2\n${TICKS}`,
      'write_to_file "src/a.ts" "1;\\n"',
      'write_to_file "src/b.py" "2\\n"',
      'task_complete "Wrote src/a.ts; Wrote src/b.py"',
    ],
    "only runs a command": ["Run: ls -la", 'execute_shell "ls -la"'],
    "runs what is in a fence": [`Run:\n${TICKS}sh\nnpm test\n${TICKS}`, 'execute_shell "npm test"'],
    "may have a frame around its lines": [
      `${TICKS}\nRun: ls\n${TICKS}\n${TICKS}\nDelete: a.txt\n${TICKS}`,
      'delete_file "a.txt"',
      'execute_shell "ls"',
      'task_complete "Deleted a.txt; Ran ls"',
    ],
    "runs a command after its files, and ends": [
      `${file("a.py", "print(1)\n")}\nRun: \`python3 a.py\``,
      'write_to_file "a.py" "print(1)\\n"',
      'execute_shell "python3 a.py"',
      'task_complete "Wrote a.py; Ran python3 a.py"',
    ],
    "only reads": ["Read: a.txt\nRead: `b.txt`, c.txt", 'read_file "a.txt"', 'read_file "b.txt"', 'read_file "c.txt"'],
    "keeps blocks within a file": [
      `File: README.md\n${TICKS}md\n# A\n\n${TICKS}sh\nls\n${TICKS}\n\nEnd\n${TICKS}`,
      `write_to_file "README.md" ${JSON.stringify(`# A\n\n${TICKS}sh\nls\n${TICKS}\n\nEnd\n`)}`,
      'task_complete "Wrote README.md"',
    ],
    "keeps blocks within longer fences": [
      `File: README.md\n${TICKS}\`\n${TICKS}\nls\n${TICKS}\n${TICKS}\``,
      `write_to_file "README.md" ${JSON.stringify(`${TICKS}\nls\n${TICKS}\n`)}`,
      'task_complete "Wrote README.md"',
    ],
    "has the last text of a file that comes twice": [
      `${file("a.txt", "old\n")}\n${file("a.txt", "new\n")}`,
      'write_to_file "a.txt" "new\\n"',
      'task_complete "Wrote a.txt"',
    ],
    "leaves out files whose text is only lines of this form, or says that nothing changes": [
      `${file("a.txt", "// No changes needed\n")}\n${file("b.txt", "new\n")}\n${file("b.txt", "Delete: b.txt\n")}`,
      'write_to_file "b.txt" "new\\n"',
      'task_complete "Wrote b.txt"',
    ],
    "runs its commands last, and leaves out new names of functions": [
      `Rename: getUser -> fetchUser\nRun: ls\n${file("a.txt", "one\n")}`,
      'write_to_file "a.txt" "one\\n"',
      'execute_shell "ls"',
      'task_complete "Wrote a.txt; Ran ls"',
    ],
    "leaves out a command that would write over one of its files": [
      `${file("sum.txt", "42\n")}\nRun: \`echo $((12 + 30)) > sum.txt\`\nRun: sort sum.txt > other.txt`,
      'write_to_file "sum.txt" "42\\n"',
      'execute_shell "sort sum.txt > other.txt"',
      'task_complete "Wrote sum.txt; Ran sort sum.txt > other.txt"',
    ],
    "may be an empty file": [file("a.txt", ""), 'write_to_file "a.txt" ""', 'task_complete "Wrote a.txt"'],
    "may lack the end of its last fence": [
      `File: a.txt\n${TICKS}\none`,
      'write_to_file "a.txt" "one\\n"',
      'task_complete "Wrote a.txt"',
    ],
    "keeps blocks without a language within Markdown": [
      `File: README.md\n${TICKS}\n# A\n${TICKS}\nls\n${TICKS}\nEnd\n${TICKS}\n\nDone.`,
      `write_to_file "README.md" ${JSON.stringify(`# A\n${TICKS}\nls\n${TICKS}\nEnd\n`)}`,
      'task_complete "Done."',
    ],
    "keeps fences within a text that are indented further": [
      file("a.py", `def f():\n    """\n    ${TICKS}\n    f()\n    ${TICKS}\n    """\n`, "python"),
      `write_to_file "a.py" ${JSON.stringify(`def f():\n    """\n    ${TICKS}\n    f()\n    ${TICKS}\n    """\n`)}`,
      'task_complete "Wrote a.py"',
    ],
    "may be in a list, with its blocks indented": [
      `1. File: a.py\n   ${TICKS}python\n   if x:\n     y()\n   ${TICKS}\n2. Delete: b.py`,
      'write_to_file "a.py" "if x:\\n  y()\\n"',
      'delete_file "b.py"',
      'task_complete "Wrote a.py; Deleted b.py"',
    ],
    "ends a text at the next file where its fence is missing": [
      `File: a.txt\n${TICKS}\none\n\n${file("b.txt", "two\n")}`,
      'write_to_file "a.txt" "one\\n\\n"',
      'write_to_file "b.txt" "two\\n"',
      'task_complete "Wrote a.txt; Wrote b.txt"',
    ],
    "ends a text before other blocks": [
      `${file("a.py", "x = 1\n", "python")}\nThen:\n${TICKS}sh\npython3 a.py\n${TICKS}`,
      'write_to_file "a.py" "x = 1\\n"',
      'task_complete "Then:"',
    ],
    "doesn't take a language or a key of a settings file for its own words": [
      `${file("job.yml", "run: npm test\n", "yaml")}\n\n${TICKS}yaml\nRun: npm publish\n${TICKS}\nrun: npm test`,
      'write_to_file "job.yml" "run: npm test\\n"',
      'task_complete "run: npm test"',
    ],
    "runs what is between backticks, and not the words after them": [
      "Run: `npm test` to check everything.",
      'execute_shell "npm test"',
    ],
    "has no text where a difference is given": [
      `${file("a.txt", "-one\n+two\n", "diff")}\n${file("b.diff", "-one\n+two\n", "diff")}`,
      'write_to_file "b.diff" "-one\\n+two\\n"',
      'task_complete "Wrote b.diff"',
    ],
    "may have remarks after paths, and words in them": [
      `File: a.py:\n${TICKS}\n1\n${TICKS}\nFile: b.py - the tests\n${TICKS}\n2\n${TICKS}\nRename: how to.md -> what to do.md\nRename: c.txt to d.txt`,
      'write_to_file "a.py" "1\\n"',
      'write_to_file "b.py" "2\\n"',
      'move_file "how to.md" "what to do.md"',
      'move_file "c.txt" "d.txt"',
      'task_complete "Wrote a.py; Wrote b.py; Moved how to.md; Moved c.txt"',
    ],
    "takes a fence with a path for a fence": [
      `${TICKS}app.py\nx = 1\n${TICKS}`,
      'write_to_file "app.py" "x = 1\\n"',
      'task_complete "Wrote app.py"',
    ],
    "keeps files that it names within a longer fence": [
      `File: form.md\n${TICKS}\`\n# Form\n\nFile: a.py\n${TICKS}\n1\n${TICKS}\nRun: rm -rf build\n${TICKS}\``,
      `write_to_file "form.md" ${JSON.stringify(`# Form\n\nFile: a.py\n${TICKS}\n1\n${TICKS}\nRun: rm -rf build\n`)}`,
      'task_complete "Wrote form.md"',
    ],
    "ends Markdown above a line of this form": [
      `File: README.md\n${TICKS}\n# T\n${TICKS}\nDelete: old.py\nRun:\n${TICKS}\nnpm test\n${TICKS}`,
      'write_to_file "README.md" "# T\\n"',
      'delete_file "old.py"',
      'execute_shell "npm test"',
      'task_complete "Wrote README.md; Deleted old.py; Ran npm test"',
    ],
    "ends a text without its last fence above lines of this form": [
      `File: a.py\n${TICKS}\nx = 1\n\nRun: python3 a.py\n`,
      'write_to_file "a.py" "x = 1\\n"',
      'execute_shell "python3 a.py"',
      'task_complete "Wrote a.py; Ran python3 a.py"',
    ],
    "leaves instructions to the user and examples of what not to do to the words": [
      `${file("a.py", "x = 1\n")}\nHow to use it:\n1. Run: npm start\n2. Run: git push --force\nDo NOT do this:\n- Delete: src/a.py`,
      'write_to_file "a.py" "x = 1\\n"',
      'task_complete "How to use it:\\n1. Run: npm start\\n2. Run: git push --force\\nDo NOT do this:\\n- Delete: src/a.py"',
    ],
    "takes a list of deletions": [
      "Here are the changes:\n- Delete: a.txt\n- Delete: `b.txt`",
      'delete_file "a.txt"',
      'delete_file "b.txt"',
      'task_complete "Here are the changes:"',
    ],
    "deletes nothing where words follow a path, and runs no line with backticks": [
      "Delete: `utils.py` import from app.py\nRun: the app with `python a.py`",
      'delete_file "`utils.py` import from app.py"',
      'task_complete "Deleted `utils.py` import from app.py"',
    ],
    "is the end without files": ["Nothing is to be done.", 'task_complete "Nothing is to be done."'],
    "is a question if it ends like one": [
      "Which of the files do you mean?",
      'ask_user "Which of the files do you mean?"',
    ],
    "may begin with reasoning": [
      `<think>File: x</think>\n${file("a.txt", "one\n")}`,
      'write_to_file "a.txt" "one\\n"',
      'task_complete "Wrote a.txt"',
    ],
    "may be a call of the ordinary form": [
      '{"command": {"name": "read_file", "args": {"filename": "a.txt"}}}',
      'read_file "a.txt"',
    ],
    "has JSON files that aren't calls": [
      file("a.json", '{"command": {"name": "x", "args": {}}}\n'),
      'write_to_file "a.json" "{\\"command\\": {\\"name\\": \\"x\\", \\"args\\": {}}}\\n"',
      'task_complete "Wrote a.json"',
    ],
  };
  for (const [title, [text, ...calls]] of Object.entries(cases))
    it(title, () => assert.deepEqual(callsIn(text), calls));

  it("is unreadable with a block whose file isn't named, when empty, and when cut off", () => {
    assert.match(callsIn(`Here it is:\n${TICKS}\none\n${TICKS}`)[0] ?? "", /names no file/);
    assert.match(callsIn("  ")[0] ?? "", /was empty/);
    assert.match(callsIn(file("a.txt", "one\n"), "length")[0] ?? "", /too long/);
  });

  it("sets the end of a file for tasks that may be about it", () => {
    for (const [task, keepsEnd] of [
      ["Add the missing newline at the end of a.txt.", undefined],
      ["Add a line.", true],
    ] as const) {
      const completion = { text: file("a.txt", "one\n"), calls: [], finish: "stop", model: "small" };
      const reply = readReply(completion, { format: "files", task });
      assert.equal(reply.kind === "proposal" && reply.call.args.keep_end, keepsEnd);
    }
  });

  for (const [task, mayBePart] of [
    ["Fix the second query.", true],
    ["Remove the header and fix the query.", false],
    ["Entferne den Kopf.", false],
    [undefined, false],
  ] as const)
    it(`may be a part of a file for the task ${JSON.stringify(task)}: ${mayBePart}`, () => {
      const completion = { text: file("a.sql", "one\n"), calls: [], finish: "stop", model: "small" };
      const reply = readReply(completion, { format: "files", task });
      assert.equal(reply.kind === "proposal" && reply.call.args.may_be_part === true, mayBePart);
    });

  it("is unreadable where it repeats itself without end, unless its files have ended", () => {
    assert.match(callsIn(`File: a.txt\n${TICKS}\none\none\n`, ENDLESS)[0] ?? "", /^unreadable/);
    assert.match(callsIn("one one one one", ENDLESS)[0] ?? "", /^unreadable/);
    const more = `\nFile: a.txt\n${TICKS}\n`;
    const whole = [file("a.txt", "one\n"), 'write_to_file "a.txt" "one\\n"'] as const;
    for (const after of ["", `${more}one`, `\nFile: b.txt\n${TICKS}\nDelete: b.txt`])
      assert.equal(callsIn(`${whole[0]}${after}`, ENDLESS)[0], whole[1]);
    assert.match(callsIn(`${whole[0]}\nFile: b.txt\n${TICKS}\ntwo`, ENDLESS)[0] ?? "", /^unreadable/);
  });

  it("is read soon, whatever is in it", () => {
    const odd = [
      ...[" ", "`", "~", "~ `", "*", "a.", "a/", "Rename: ", "to ", "(new ", "'", "- "].map((part) =>
        part.repeat(60_000),
      ),
      ...[`${TICKS}\n`, `${TICKS}x\n`, "File: a\n", "\n", "Run: `\n"].map((part) => part.repeat(20_000)),
      `File: ${"a ".repeat(50_000)}\n${TICKS}\none\n${TICKS}`,
    ];
    for (const text of odd) for (const around of [text, `Rename: ${text}`, `Run: ${text}`]) callsIn(around);
  });

  it("has line ends of Windows like any other", () =>
    assert.deepEqual(callsIn(file("a.txt", "one\n").replaceAll("\n", "\r\n"))[0], 'write_to_file "a.txt" "one\\n"'));
});

describe("calls as whole files", () => {
  it("read like the calls", () => {
    const calls = [
      { name: "write_to_file", args: { filename: "a.md", contents: `${TICKS}\nls\n${TICKS}\n` } },
      { name: "delete_file", args: { filename: "b" } },
      { name: "move_file", args: { source: "c.txt", destination: "d" } },
      { name: "execute_shell", args: { command_line: "ls" } },
    ] as const;
    const [call, ...also] = calls;
    assert.deepEqual(callsIn(renderFilesReply({ call, also })).slice(0, -1), [
      `write_to_file "a.md" ${JSON.stringify(`${TICKS}\nls\n${TICKS}\n`)}`,
      'delete_file "b"',
      'move_file "c.txt" "d"',
      'execute_shell "ls"',
    ]);
  });

  it("name what the form doesn't have", () =>
    assert.equal(
      renderFilesReply({ call: { name: "web_search", args: { query: "x" } } }),
      '(web_search: {"query":"x"})',
    ));
});

describe("files that were read, in fences", () => {
  const shown = (...lines: string[]): string => renderFencedFiles(lines.join("\n"));

  it("have their paths above them", () =>
    assert.equal(
      shown("a.txt, 2 lines", "one", "two", "", "b.txt, 1 line", "b.txt, 1 line"),
      `File: a.txt\n${TICKS}\none\ntwo\n${TICKS}\n\nFile: b.txt\n${TICKS}\nb.txt, 1 line\n${TICKS}`,
    ));

  it("may hold fences", () =>
    assert.equal(shown("a.md, 1 line", TICKS), `File: a.md\n${TICKS}\`\n${TICKS}\n${TICKS}\``));

  it("stay as they are where only a part is shown, or nothing", () => {
    const cut = ["a.txt, 2 lines", "one", `[… 20 ${CUT}. …]`];
    assert.equal(shown(...cut), cut.join("\n"));
    assert.equal(shown("a.txt, lines 1 to 2 of 9", "one", "two"), "a.txt, lines 1 to 2 of 9\none\ntwo");
    assert.equal(shown('The file "a.txt" is empty.'), 'The file "a.txt" is empty.');
    assert.equal(shown("a.txt, 3 lines", "one"), "a.txt, 3 lines\none");
  });
});

describe("a text without commands", () => {
  it("lacks the sentences that name them, and keeps paths like them", () =>
    assert.equal(
      omitCommandSentences(
        'There is no file "src/read_file.py". Look around with list_files.\nUse read_file, then edit_file! It has 1.5 kB.',
      ),
      'There is no file "src/read_file.py".\n It has 1.5 kB.',
    ));
});
