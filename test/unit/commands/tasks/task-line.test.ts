// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are VS Code's variables
import assert from "node:assert/strict";
import { findTaskLine, type TaskDefinition } from "../../../../src/commands/tasks/task-line.ts";

const FOLDERS = [
  { name: "app", path: "/w/app" },
  { name: "lib", path: "/w/lib" },
];

function lineOf(task: Partial<TaskDefinition>, shell = "bash"): object {
  const plain = { hasVariables: false, hasShell: false, hasOthers: false };
  return findTaskLine({ ...plain, ...task }, { folder: "/w/app", folders: FOLDERS, shell });
}

describe("the command line of a task", () => {
  for (const [what, task, expected] of [
    ["a line", { command: "make -j2 && ls" }, { text: "make -j2 && ls", cwd: "/w/app" }],
    [
      "words, quoted as VS Code does it",
      {
        command: [
          "printf",
          "a b",
          "*.ts",
          '"as is"',
          { value: "it's $HOME", quoting: "strong" },
          { value: 'say "$HOME"', quoting: "weak" },
          { value: "a b;c", quoting: "escape" },
        ],
      },
      {
        text: `printf 'a b' *.ts "as is" 'it'\\''s $HOME' "say \\"$HOME\\"" a\\ b\\;c`,
        cwd: "/w/app",
      },
    ],
    [
      "the folders that VS Code fills in",
      { command: "${workspaceFolder}/run ${workspaceFolder:lib}", cwd: "${workspaceFolder}/sub" },
      { text: "/w/app/run /w/lib", cwd: "/w/app/sub" },
    ],
    ["a folder below its own", { command: "ls", cwd: "sub" }, { text: "ls", cwd: "/w/app/sub" }],
    ["a folder elsewhere", { command: "ls", cwd: "/tmp" }, { text: "ls", cwd: "/tmp" }],
  ] as const)
    it(`is known for ${what}`, () => {
      assert.deepEqual(lineOf(task), expected);
    });

  it("is quoted for PowerShell where that runs it", () => {
    const command = [{ value: "it's", quoting: "strong" }, { value: "a b", quoting: "escape" }, "x"] as const;
    assert.deepEqual(lineOf({ command }, "PowerShell"), { text: "'it''s' a` b x", cwd: "/w/app" });
  });

  for (const [task, why] of [
    [{ command: "ls", hasOthers: true }, "It runs other tasks first."],
    [{}, "It's a program of an extension."],
    [{ command: "ls", hasShell: true }, "It runs in a shell of its own."],
    [{ command: "ls", hasVariables: true }, "It sets environment variables."],
    [{ command: "cat ${file}" }, "VS Code fills in ${file} when it runs."],
    [{ command: ["cat", "${input:name}"] }, "VS Code fills in ${input:name} when it runs."],
    [{ command: "ls ${workspaceFolder:gone}" }, "VS Code fills in ${workspaceFolder:gone} when it runs."],
    [{ command: "ls", cwd: "${fileDirname}" }, "VS Code fills in ${fileDirname} when it runs."],
    [{ command: "ls ${unfinished" }, "VS Code fills in ${unfinished when it runs."],
    [{ command: " " }, "Its command line can't be read."],
    [{ command: "ls\0" }, "Its command line can't be read."],
  ] as const)
    it(`isn't known where ${why}`, () => {
      assert.deepEqual(lineOf(task), { why });
    });
});
