import assert from "node:assert/strict";
import { createPatch } from "diff";
import fc from "fast-check";
import { applyDiff } from "../../../../src/commands/files/apply-diff.ts";
import { listNamedFiles } from "../../../../src/commands/files/read-diff.ts";

const CODE = [
  "class Dog {",
  "  speak() {",
  '    return "woof";',
  "  }",
  "}",
  "",
  "class Cat {",
  "  speak() {",
  '    return "meow";',
  "  }",
  "}",
  "",
].join("\n");

const file = (text: string, eol: "\n" | "\r\n" = "\n") => ({ text, eol });
const applied = (text: string, diff: string, eol?: "\r\n"): string => {
  const result = applyDiff(file(text, eol), diff);
  return "text" in result ? result.text : `! ${result.problems.join("\n! ")}`;
};

describe("a diff", () => {
  it("is applied with file names, line numbers and several hunks", () => {
    const diff = createPatch("dog.ts", CODE, CODE.replace("woof", "wuff").replace("meow", "miau"), "", "", {
      context: 1,
    });
    assert.equal(applied(CODE, diff), CODE.replace("woof", "wuff").replace("meow", "miau"));
  });

  it("is applied in every form in which models write it", () => {
    const hunk = '   speak() {\n-    return "meow";\n+    return "purr";\n   }';
    const wanted = CODE.replace("meow", "purr");
    const forms = [
      `@@ -8,3 +8,3 @@\n${hunk}\n`,
      `@@ -7,99 +7,1 @@ class Cat {\n${hunk}`,
      `@@ ... @@\n${hunk}\n\n`,
      hunk,
      `\`\`\`diff\n--- a/cat.ts\n+++ b/cat.ts\n@@\n${hunk}\n\`\`\``,
      `diff --git a/cat.ts b/cat.ts\nindex 0123..4567 100644\n--- a/cat.ts\n+++ b/cat.ts\n@@ -1 +1 @@\n${hunk}`,
      `*** Begin Patch\n*** Update File: cat.ts\n@@ class Cat {\n@@ speak() {\n${hunk}\n*** End of File\n*** End Patch`,
      hunk.replace("   speak", "speak").replaceAll("    return", "  return").replace("   }", "}"),
    ];
    assert.deepEqual(
      forms.map((diff) => applied(CODE, diff)),
      forms.map(() => wanted),
    );
  });

  it("decides between equal places by line number, by the text after @@ or by order, and never guesses", () => {
    const hunk = "   speak() {\n+    this.breathe();";
    const dog = CODE.replace("  speak() {\n", "  speak() {\n    this.breathe();\n");
    const cat = CODE.replace("Cat {\n  speak() {\n", "Cat {\n  speak() {\n    this.breathe();\n");
    assert.deepEqual(
      [
        applied(CODE, `@@ -2 +2 @@\n${hunk}`),
        applied(CODE, `@@ class Cat {\n${hunk}`),
        applied(CODE, `@@\n class Dog {\n+  // A dog.\n@@\n-    return "woof";\n+    return "wuff";\n@@\n${hunk}`),
        applied(CODE, `@@ -5 +5 @@\n${hunk}`),
      ],
      [
        dog,
        cat,
        cat.replace("class Dog {\n", "class Dog {\n  // A dog.\n").replace("woof", "wuff"),
        "! its lines are in the file 2 times, at lines 2, 8. Add unchanged lines around it until it is unique.",
      ],
    );
  });

  it("counts the lines that earlier hunks have added", () => {
    const diff = "@@ -1 +1,3 @@\n class Dog {\n+  // A\n+  // B\n@@ -8 +10 @@\n   speak() {\n+    // C";
    assert.equal(
      applied(CODE, diff),
      CODE.replace("Dog {\n", "Dog {\n  // A\n  // B\n").replace(
        "Cat {\n  speak() {\n",
        "Cat {\n  speak() {\n    // C\n",
      ),
    );
  });

  it("is applied as a whole or not at all, with the lines that are nearest to each wrong hunk", () => {
    const diff = '@@\n-class Dog {\n+class Hound {\n@@\n-    return "moew";\n+    return "purr";\n@@\n+// end';
    assert.equal(
      applied(CODE, diff),
      [
        '! Hunk 2 of 3: its unchanged and removed lines are not in the file. The nearest text is line 9:\n9:     return "meow";',
        "! Hunk 3 of 3: it has no unchanged or removed line that says where it belongs. Add the lines around it.",
      ].join("\n"),
    );
  });

  it("never takes lines of the next block for those of the one that a header names", () => {
    const text = "def a():\n    y = 1\n\ndef b():\n    return x\n\ndef c():\n    return x\n";
    assert.deepEqual(
      ["a", "b"].map((name) => applied(text, `@@ def ${name}():\n-    return x\n+    return 2`)),
      [
        "! its lines are in the file 2 times, at lines 5, 8. Add unchanged lines around it until it is unique.",
        text.replace("return x", "return 2"),
      ],
    );
  });

  it("matches whole lines only", () => {
    assert.equal(applied("prefix = one\none\n", "@@\n-one\n+two"), "prefix = one\ntwo\n");
  });

  it("keeps unchanged lines, line ends and a missing final line end as the file has them", () => {
    assert.deepEqual(
      [
        applied("a \r\nb\r\nc", "@@\n a\n-b\n+B\n+b2\n c\n+d", "\r\n"),
        applied("a\nb", "@@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file"),
        applied("", "--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,2 @@\n+one\n+two\n"),
        applied("\tif (x) {\n\t\ty();\n\t}\n", "@@\n if (x) {\n-    y();\n+    y();\n+    z();\n }"),
      ],
      ["a \r\nB\r\nb2\r\nc\r\nd", "a\nc", "one\ntwo\n", "\tif (x) {\n\t\ty();\n\t\tz();\n\t}\n"],
    );
  });

  it("keeps the white space and the line ends that it doesn't change, line by line", () => {
    const mixed = "a\nkey\tvalue c\r\nd  \ne\r\n";
    const cases: readonly (readonly [diff: string, after: string])[] = [
      ["-key value c\n+key value C", mixed.replace("c", "C")],
      [" a\n-key value c\n+new\n+key value c\n d", mixed.replace("key", "new\nkey")],
      ["-a\n-key value c\n-d\n+x\n+a\n+key value C\n+d", `x\n${mixed.replace("c", "C")}`],
      ["-d\n+D\n e", mixed.replace("d", "D")],
      ["-e\n+e\n+f", `${mixed}f\r\n`],
    ];
    assert.deepEqual(
      cases.map(([diff]) => applied(mixed, `@@\n${diff}`)),
      cases.map(([, after]) => after),
    );
  });

  it("says so when it changes nothing", () => {
    assert.equal(
      applied(CODE, "@@ -1 +1 @@\n class Dog {"),
      "! the diff has no hunk that changes a line. Start changed lines with + or -.",
    );
  });

  it("keeps lines that look like file names within a hunk", () => {
    const text = "select 1;\n-- old\nselect 2;\n";
    assert.deepEqual(
      [applied(text, "@@\n select 1;\n--- old\n+++ new\n select 2;"), listNamedFiles("@@\n--- old\n+++ new\n x")],
      ["select 1;\n++ new\nselect 2;\n", []],
    );
  });

  it("names its files", () => {
    assert.deepEqual(
      [
        listNamedFiles("--- a/src/x.ts\t2026\n+++ b/src/x.ts\n@@ -1 +1 @@\n-a\n+b"),
        listNamedFiles("--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+b"),
        listNamedFiles("*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** Add File: b.ts\n+c\n*** End Patch"),
      ],
      [["src/x.ts"], ["new.ts"], ["a.ts", "b.ts"]],
    );
  });

  it("gives the text that it was made for, whatever the texts", () => {
    const line = fc.constantFrom("a", "b", "  a", "", "}", "-- x", "+", "@@ x", "long line of text");
    const text = fc.array(line, { maxLength: 14 }).map((lines) => lines.map((one) => `${one}\n`).join(""));
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 4 }), (before, after, context) => {
        const patch = createPatch("x", before, after, "", "", { context });
        const result = applyDiff(file(before), patch);
        if ("text" in result && before !== after) assert.equal(result.text, after);
      }),
      { numRuns: 500 },
    );
  });
});
