import { createFailedGrade, createFilesGrader, readFolderText } from "../graders.ts";
import { type EvalTask, type Grade, type GradedRun, type Suite, solution } from "../suite.ts";

const { read, write, append, edit, move, remove, folder, list, search, shell } = solution;

/** Passes if all of the graders pass. */
function combineGraders(...grades: readonly ((run: GradedRun) => Promise<Grade>)[]): EvalTask["grade"] {
  return async (run) => {
    for (const grade of grades) {
      const one = await grade(run);
      if (!one.passed) return one;
    }
    return { passed: true };
  };
}

/** Passes if a file has all of these texts. */
function createTextGrader(path: string, ...texts: readonly string[]): EvalTask["grade"] {
  return async (run) => {
    const found = (await readFolderText(run.folder, path)) ?? "";
    const missing = texts.find((text) => !found.includes(text));
    return missing === undefined ? { passed: true } : createFailedGrade(`${path} lacks ${JSON.stringify(missing)}.`);
  };
}

const SUM = `export function sum(numbers) {
  let total = 1;
  for (const number of numbers) total += number;
  return total;
}
`;

const SUM_TEST = `import assert from "node:assert/strict";
import { sum } from "./sum.mjs";

assert.equal(sum([]), 0);
assert.equal(sum([1, 2, 3]), 6);
console.log("All tests pass.");
`;

const CONTACTS = `name,city
"O'Brien, Pat",Cork
"Müller, Jörg",Köln
"Smith ""Ace"", Ann",Leeds
`;

const SLUG = `/** Lower-case words joined by hyphens. */
export function slug(title) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
`;

const REPORT_PROGRAM = `import { readFileSync, writeFileSync } from "node:fs";

const [head, ...rows] = readFileSync("sales.csv", "utf8").trim().split("\\n");
const column = head.split(",").indexOf("amount");
const total = rows.reduce((sum, row) => sum + Number(row.split(",")[column]), 0);
writeFileSync("total.txt", \`Total: \${total}\\n\`);
console.log('He said "done" and it\\'s done.');
`;

const README = `# Widget

A small widget. It's "ready" to use.

## Install

    npm install widget

## Use

\`\`\`js
import { widget } from "widget";
widget({ "size": 3 });
\`\`\`
`;

const SETTINGS = `{
  "editor.tabSize": 2,
  "files.exclude": { "**/.git": true, "C:\\\\temp\\\\*": false },
  "greeting": "Grüß Gott, \\"world\\" – don't panic"
}
`;

const REGEX_BEFORE = "export const DATE = /\\d{4}\\/\\d{2}\\/\\d{2}/;\n";
const REGEX_AFTER = "export const DATE = /\\d{4}-\\d{2}-\\d{2}/;\n";

const COUNTER = `class Counter:
    def __init__(self):
        self.value = None

    def next(self):
        self.value = 1 if self.value is None else self.value + 1
        return self.value


if __name__ == "__main__":
    counter = Counter()
    print(counter.next() == 1 and True)
`;

const PAGE = `<!doctype html>
<html lang="en">
<head><title>Tom & Ann's page</title></head>
<body>
<p class="intro">Hello.</p>
<script>if (1 < 2 && "a" !== 'b') { console.log(\`<ok>\`); }</script>
</body>
</html>
`;

const AREA = "export function area(width, height) {\n  return width * height;\n}\n";
const AREA_USE = `console.log(\`Area: \${area(2, 3)}\`);\n`;

const LONG_TEXT = `${Array.from({ length: 60 }, (_, line) => `Line ${line + 1}: "quoted", it's {braced}, [1, 2,] and \\backslashed\\.`).join("\n")}\n`;

const TASKS: readonly EvalTask[] = [
  {
    name: "fix-sum",
    task: "sum.mjs has a bug. Find it with the tests in sum.test.mjs, fix it, and run the tests again.",
    files: { "sum.mjs": SUM, "sum.test.mjs": SUM_TEST },
    oracle: [
      read("sum.test.mjs"),
      read("sum.mjs"),
      edit("sum.mjs", "let total = 1;", "let total = 0;"),
      shell("node sum.test.mjs"),
    ],
    grade: createFilesGrader({ "sum.mjs": SUM.replace("= 1", "= 0"), "sum.test.mjs": SUM_TEST }),
  },
  {
    name: "contacts-to-json",
    task: "Turn contacts.csv into contacts.json: an array of objects with name and city. Keep every character.",
    files: { "contacts.csv": CONTACTS },
    oracle: [
      read("contacts.csv"),
      write(
        "contacts.json",
        `${JSON.stringify(
          [
            { name: "O'Brien, Pat", city: "Cork" },
            { name: "Müller, Jörg", city: "Köln" },
            { name: 'Smith "Ace", Ann', city: "Leeds" },
          ],
          undefined,
          2,
        )}\n`,
      ),
      read("contacts.json"),
    ],
    grade: createTextGrader("contacts.json", '"O\'Brien, Pat"', '"Köln"', 'Smith \\"Ace\\", Ann'),
  },
  {
    name: "slug-module",
    task: "Write slug.mjs with a function slug(title): lower-case words joined by hyphens. Try it with node.",
    files: {},
    oracle: [
      list(),
      write("slug.mjs", SLUG),
      write("try.mjs", 'import { slug } from "./slug.mjs";\nconsole.log(slug("It\'s a \\"Test\\"!"));\n'),
      shell("node try.mjs"),
      remove("try.mjs"),
    ],
    grade: createFilesGrader({ "slug.mjs": SLUG, "try.mjs": null }),
  },
  {
    name: "rename-function",
    task: "Rename the function getUser to fetchUser in all files of src.",
    files: {
      "src/api.js": "export function getUser(id) {\n  return { id };\n}\n",
      "src/app.js": 'import { getUser } from "./api.js";\n\nconsole.log(getUser(1));\n',
      "README.md": "Nothing about it.\n",
    },
    oracle: [
      search("getUser"),
      edit("src/api.js", "getUser", "fetchUser"),
      edit("src/app.js", "import { getUser }", "import { fetchUser }"),
      edit("src/app.js", "console.log(getUser(1))", "console.log(fetchUser(1))"),
      search("getUser"),
    ],
    grade: createFilesGrader({
      "src/api.js": "export function fetchUser(id) {\n  return { id };\n}\n",
      "src/app.js": 'import { fetchUser } from "./api.js";\n\nconsole.log(fetchUser(1));\n',
    }),
  },
  {
    name: "sales-report",
    task: "Write report.mjs, which adds up the column amount of sales.csv and writes the total to total.txt, and run it.",
    files: { "sales.csv": "day,amount\nMonday,12\nTuesday,30\n" },
    oracle: [read("sales.csv"), write("report.mjs", REPORT_PROGRAM), shell("node report.mjs"), read("total.txt")],
    grade: createFilesGrader({ "total.txt": "Total: 42" }),
  },
  {
    name: "write-readme",
    task: "Write a README.md for the package in package.json: what it is, how to install it, an example.",
    files: { "package.json": '{ "name": "widget", "description": "A small widget" }\n' },
    oracle: [read("package.json"), write("README.md", README), read("README.md")],
    grade: createTextGrader("README.md", "# Widget", "npm install widget"),
  },
  {
    name: "merge-settings",
    task: 'Create settings.json with the settings of base.json and, as "greeting", the text of greeting.txt.',
    files: {
      "base.json": '{ "editor.tabSize": 2, "files.exclude": { "**/.git": true, "C:\\\\temp\\\\*": false } }\n',
      "greeting.txt": 'Grüß Gott, "world" – don\'t panic\n',
    },
    oracle: [read("base.json"), read("greeting.txt"), write("settings.json", SETTINGS)],
    grade: createFilesGrader({ "settings.json": SETTINGS }),
  },
  {
    name: "fix-regex",
    task: "Dates are written with hyphens now, like 2026-01-31. Change the pattern in date.mjs.",
    files: { "date.mjs": REGEX_BEFORE },
    oracle: [read("date.mjs"), write("date.mjs", REGEX_AFTER), shell("node --check date.mjs")],
    grade: createFilesGrader({ "date.mjs": REGEX_AFTER }),
  },
  {
    name: "counter-class",
    task: "Write counter.py with a class Counter whose method next() counts from 1.",
    files: {},
    oracle: [write("counter.py", COUNTER), read("counter.py")],
    grade: createFilesGrader({ "counter.py": COUNTER }),
  },
  {
    name: "sort-notes",
    task: "Put the notes in the folder inbox where they belong: shopping lists to shopping, letters to letters.",
    files: {
      "inbox/a.txt": "Shopping: milk, eggs\n",
      "inbox/b.txt": "Dear Ann, how are you?\n",
      "inbox/c.txt": "Shopping: soap\n",
    },
    oracle: [
      list("inbox"),
      read("inbox/a.txt"),
      read("inbox/b.txt"),
      read("inbox/c.txt"),
      folder("shopping"),
      folder("letters"),
      move("inbox/a.txt", "shopping/a.txt"),
      move("inbox/b.txt", "letters/b.txt"),
      move("inbox/c.txt", "shopping/c.txt"),
    ],
    grade: createFilesGrader({
      "inbox/a.txt": null,
      "inbox/b.txt": null,
      "inbox/c.txt": null,
      "shopping/a.txt": "Shopping: milk, eggs",
      "letters/b.txt": "Dear Ann, how are you?",
      "shopping/c.txt": "Shopping: soap",
    }),
  },
  {
    name: "escape-page",
    task: "In page.html, the title's ampersand must be written as an entity, and the paragraph should say Hello, world.",
    files: { "page.html": PAGE },
    oracle: [
      read("page.html"),
      edit("page.html", "Tom & Ann's page", "Tom &amp; Ann's page"),
      edit("page.html", '<p class="intro">Hello.</p>', '<p class="intro">Hello, world.</p>'),
    ],
    grade: createFilesGrader({
      "page.html": PAGE.replace("Tom & Ann", "Tom &amp; Ann").replace("Hello.", "Hello, world."),
    }),
  },
  {
    name: "changelog",
    task: "Add the entry of next.md at the end of CHANGELOG.md, and delete next.md.",
    files: {
      "CHANGELOG.md": "# Changes\n\n## 1.0\n- First\n",
      "next.md": '\n## 1.1\n- "Second", it\'s better\n',
    },
    oracle: [read("next.md"), append("CHANGELOG.md", '\n## 1.1\n- "Second", it\'s better\n'), remove("next.md")],
    grade: createFilesGrader({
      "CHANGELOG.md": '# Changes\n\n## 1.0\n- First\n\n## 1.1\n- "Second", it\'s better\n',
      "next.md": null,
    }),
  },
  {
    name: "long-file",
    task: "Write lines.txt with 60 numbered lines that have quotes, braces and backslashes, as in sample.txt.",
    files: { "sample.txt": LONG_TEXT.split("\n").slice(0, 3).join("\n") },
    oracle: [read("sample.txt"), write("lines.txt", LONG_TEXT)],
    grade: createFilesGrader({ "lines.txt": LONG_TEXT }),
  },
  {
    name: "two-edits",
    task: "In server.conf, use port 8443 and turn on TLS.",
    files: { "server.conf": "[server]\nport = 8080\ntls = off\nname = 'main'\n" },
    oracle: [
      read("server.conf"),
      edit("server.conf", "port = 8080", "port = 8443"),
      edit("server.conf", "tls = off", "tls = on"),
      read("server.conf"),
    ],
    grade: createFilesGrader({ "server.conf": "[server]\nport = 8443\ntls = on\nname = 'main'\n" }),
  },
  {
    name: "translate",
    task: "Write de.json with the German words for those in en.json: yes, no, thanks.",
    files: { "en.json": '{ "yes": "yes", "no": "no", "thanks": "thank you" }\n' },
    oracle: [read("en.json"), write("de.json", '{ "yes": "ja", "no": "nein", "thanks": "danke schön" }\n')],
    grade: createTextGrader("de.json", '"ja"', '"nein"', "danke"),
  },
  {
    name: "find-secret-word",
    task: "One of the files in docs has the word xyzzy. Write its path and the number of the line to answer.txt, as path:line.",
    files: { "docs/a.md": "plugh\n", "docs/b.md": "first\nsecond xyzzy\n", "docs/deep/c.md": "third\n" },
    oracle: [search("xyzzy"), write("answer.txt", "docs/b.md:2\n")],
    grade: createFilesGrader({ "answer.txt": "docs/b.md:2" }),
  },
  {
    name: "split-module",
    task: "Move the function area from shapes.mjs to a module area.mjs of its own, and import it where it is used.",
    files: {
      "shapes.mjs": `${AREA}\n${AREA_USE}`,
    },
    oracle: [
      read("shapes.mjs"),
      write("area.mjs", AREA),
      write("shapes.mjs", `import { area } from "./area.mjs";\n\n${AREA_USE}`),
      shell("node shapes.mjs"),
    ],
    grade: combineGraders(
      createTextGrader("area.mjs", "export function area"),
      createTextGrader("shapes.mjs", "./area.mjs", AREA_USE.trim()),
    ),
  },
  {
    name: "ignore-file",
    task: "Create a .gitignore that leaves out node_modules, *.log and the folder dist.",
    files: { "package.json": "{}\n", "debug.log": "x\n" },
    oracle: [list(), write(".gitignore", "node_modules/\n*.log\ndist/\n")],
    grade: createTextGrader(".gitignore", "node_modules", "*.log", "dist"),
  },
  {
    name: "poem",
    task: "Write poem.txt: four short lines about rain, with a title in quotation marks.",
    files: {},
    oracle: [
      write("poem.txt", "\"It's raining\"\n\nDrops fall,\nleaves call;\nthe night's tune\nends too soon.\n"),
      read("poem.txt"),
    ],
    grade: createTextGrader("poem.txt", '"'),
  },
  {
    name: "backups",
    task: "Make a copy of each .txt file of the folder data with the ending .bak beside it.",
    files: { "data/one.txt": "1\n", "data/two.txt": "it's 2\n" },
    oracle: [
      list("data"),
      read("data/one.txt"),
      write("data/one.bak", "1\n"),
      read("data/two.txt"),
      write("data/two.bak", "it's 2\n"),
    ],
    grade: createFilesGrader({ "data/one.bak": "1", "data/two.bak": "it's 2", "data/one.txt": "1" }),
  },
];

/** Small real tasks, with replies that are occasionally spoiled. */
export const ROBUST: Suite = {
  name: "robust",
  description: "20 pieces of real small work, for --player oracle --spoil SHARE",
  loadTasks: async () => TASKS,
};

const LONG_STEPS = 99;

/** 100 steps including task_complete: a diary to which each step adds a line. */
const DIARY: EvalTask = {
  name: "hundred-steps",
  task: `Write diary.txt line by line, each with a step of its own: "day 1" to "day ${LONG_STEPS}".`,
  files: {},
  oracle: Array.from({ length: LONG_STEPS }, (_, day) => append("diary.txt", `day ${day + 1}\n`)),
  settings: { "run.maxSteps": 400 },
  grade: createFilesGrader({
    "diary.txt": Array.from({ length: LONG_STEPS }, (_, day) => `day ${day + 1}`).join("\n"),
  }),
};

/** A task that is long enough for rare things to happen. */
export const LONG: Suite = {
  name: "long",
  description: "one task of 100 steps",
  loadTasks: async () => [DIARY],
};
