import { tryJson } from "../../../../src/headless/library.ts";
import { createFailedGrade, createFilesGrader, readFolderText } from "../graders.ts";
import { type EvalTask, type Suite, solution } from "../suite.ts";

type Files = EvalTask["files"];

/** A task that is solved when some files have a certain state. */
function createTask(
  name: string,
  text: string,
  files: Files,
  oracle: EvalTask["oracle"],
  wanted: Readonly<Record<string, string | null>>,
): EvalTask {
  return { name, task: text, files, oracle, maxSteps: 12, grade: createFilesGrader(wanted) };
}

const { read, write, append, edit, move, remove, list, search } = solution;

const FRUITS = "apple\nbanana\ncherry\n";

const TASKS: readonly EvalTask[] = [
  createTask(
    "create",
    "Create the file hello.txt with the text: Hello, world!",
    {},
    [write("hello.txt", "Hello, world!\n")],
    {
      "hello.txt": "Hello, world!",
    },
  ),
  createTask("create-number", "Write the number 42 to the file answer.txt.", {}, [write("answer.txt", "42\n")], {
    "answer.txt": "42",
  }),
  createTask(
    "create-two",
    "Create two files: a.txt with the text A and b.txt with the text B.",
    {},
    [write("a.txt", "A\n"), write("b.txt", "B\n")],
    {
      "a.txt": "A",
      "b.txt": "B",
    },
  ),
  createTask(
    "create-in-folder",
    "Create the file docs/readme.txt with the text: Read me first.",
    {},
    [write("docs/readme.txt", "Read me first.\n")],
    {
      "docs/readme.txt": "Read me first.",
    },
  ),
  createTask(
    "three-lines",
    "Create the file list.txt with three lines: one, two, three.",
    {},
    [write("list.txt", "one\ntwo\nthree\n")],
    {
      "list.txt": "one\ntwo\nthree",
    },
  ),
  createTask(
    "overwrite",
    "Replace the whole text of note.txt with: New text.",
    { "note.txt": "Old text.\n" },
    [write("note.txt", "New text.\n")],
    {
      "note.txt": "New text.",
    },
  ),
  createTask(
    "append-line",
    "Append the line cherry to the end of fruits.txt.",
    { "fruits.txt": "apple\nbanana\n" },
    [append("fruits.txt", "cherry\n")],
    {
      "fruits.txt": FRUITS,
    },
  ),
  createTask(
    "append-date",
    "Add the line 2026-01-01 at the end of log.txt.",
    { "log.txt": "2025-12-31\n" },
    [append("log.txt", "2026-01-01\n")],
    {
      "log.txt": "2025-12-31\n2026-01-01",
    },
  ),
  createTask(
    "first-line",
    "Read fruits.txt and write its first line to first.txt.",
    { "fruits.txt": FRUITS },
    [read("fruits.txt"), write("first.txt", "apple\n")],
    {
      "first.txt": "apple",
    },
  ),
  createTask(
    "last-line",
    "Read fruits.txt and write its last line to last.txt.",
    { "fruits.txt": FRUITS },
    [read("fruits.txt"), write("last.txt", "cherry\n")],
    {
      "last.txt": "cherry",
    },
  ),
  createTask(
    "copy",
    "Copy the text of source.txt to target.txt.",
    { "source.txt": "The same text.\n" },
    [read("source.txt"), write("target.txt", "The same text.\n")],
    {
      "source.txt": "The same text.",
      "target.txt": "The same text.",
    },
  ),
  createTask(
    "count-lines",
    "Count the lines of fruits.txt and write the number to count.txt.",
    { "fruits.txt": FRUITS },
    [read("fruits.txt"), write("count.txt", "3\n")],
    {
      "count.txt": "3",
    },
  ),
  createTask("rename", "Rename the file old.txt to new.txt.", { "old.txt": "Kept.\n" }, [move("old.txt", "new.txt")], {
    "old.txt": null,
    "new.txt": "Kept.",
  }),
  createTask(
    "move",
    "Move the file photo.txt to the folder pictures.",
    { "photo.txt": "A cat.\n", "pictures/dog.txt": "A dog.\n" },
    [move("photo.txt", "pictures/photo.txt")],
    {
      "photo.txt": null,
      "pictures/photo.txt": "A cat.",
    },
  ),
  createTask(
    "delete",
    "Delete the file trash.txt.",
    { "trash.txt": "Waste.\n", "keep.txt": "Kept.\n" },
    [remove("trash.txt")],
    {
      "trash.txt": null,
      "keep.txt": "Kept.",
    },
  ),
  createTask(
    "list",
    "List the files of the workspace and write the name of the only Python file to python.txt.",
    { "main.py": "print(1)\n", "notes.md": "# Notes\n" },
    [list(), write("python.txt", "main.py\n")],
    {
      "python.txt": "main.py",
    },
  ),
  createTask(
    "replace-word",
    "In greeting.txt, replace the word Hello with Goodbye.",
    { "greeting.txt": "Hello, Ann.\n" },
    [edit("greeting.txt", "Hello", "Goodbye")],
    {
      "greeting.txt": "Goodbye, Ann.",
    },
  ),
  createTask(
    "fix-typo",
    "Fix the spelling mistake in letter.txt: recieve should be receive.",
    { "letter.txt": "Did you recieve it?\n" },
    [edit("letter.txt", "recieve", "receive")],
    {
      "letter.txt": "Did you receive it?",
    },
  ),
  createTask(
    "change-setting",
    "In settings.ini, set the port to 9000.",
    { "settings.ini": "host=localhost\nport=8080\n" },
    [read("settings.ini"), edit("settings.ini", "port=8080", "port=9000")],
    {
      "settings.ini": "host=localhost\nport=9000",
    },
  ),
  createTask(
    "find-name",
    "The file people.txt has the age of Bob. Write only that number to age.txt.",
    { "people.txt": "Ann is 31.\nBob is 27.\n" },
    [read("people.txt"), write("age.txt", "27\n")],
    {
      "age.txt": "27",
    },
  ),
  createTask(
    "find-file",
    "One file has the word treasure. Write that file's name to found.txt.",
    { "a.txt": "sand\n", "b.txt": "treasure\n", "c.txt": "water\n" },
    [search("treasure"), write("found.txt", "b.txt\n")],
    {
      "found.txt": "b.txt",
    },
  ),
  createTask(
    "sum",
    "Add the two numbers in numbers.txt and write the sum to sum.txt.",
    { "numbers.txt": "12\n30\n" },
    [read("numbers.txt"), write("sum.txt", "42\n")],
    {
      "sum.txt": "42",
    },
  ),
  createTask(
    "upper-case",
    "Write the text of word.txt in capital letters to upper.txt.",
    { "word.txt": "robot\n" },
    [read("word.txt"), write("upper.txt", "ROBOT\n")],
    {
      "upper.txt": "ROBOT",
    },
  ),
  {
    name: "json",
    task: 'Create config.json with one key, "debug", whose value is true.',
    files: {},
    oracle: [write("config.json", '{ "debug": true }\n')],
    maxSteps: 12,
    grade: async ({ folder }) => {
      const found = tryJson((await readFolderText(folder, "config.json")) ?? "");
      return JSON.stringify(found) === '{"debug":true}'
        ? { passed: true }
        : createFailedGrade(`config.json has ${JSON.stringify(found)}.`);
    },
  },
  createTask(
    "python",
    'Create hello.py, a Python program with the one line print("hello").',
    {},
    [write("hello.py", 'print("hello")\n')],
    {
      "hello.py": 'print("hello")',
    },
  ),
];

/** Tiny tasks of one to three steps, which a very small model could do. */
export const SMALL: Suite = {
  name: "small",
  description: "25 tiny tasks of one to three steps, which a very small model could do",
  loadTasks: async () => TASKS,
};
