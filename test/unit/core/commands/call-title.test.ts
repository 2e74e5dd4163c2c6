import assert from "node:assert/strict";
import { createCallTitle, createLookTitle } from "../../../../src/core/commands/call-title.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { ENGLISH } from "../../../../src/texts/english.ts";

const titles = (name: string, args: Readonly<Record<string, unknown>>): readonly string[] => {
  const { before, after } = createCallTitle({ name, args });
  return [writeInEnglish(before), writeInEnglish(after)];
};

describe("the title of a call", () => {
  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, string, string])[] = [
    ["edit_file", { filename: "src/cart.js", edits: [] }, "Edit src/cart.js", "Edited src/cart.js"],
    ["execute_shell", { command_line: "npm test" }, "npm test", "npm test"],
    ["execute_shell", { command_line: "cd a\nmake" }, "cd a …", "cd a …"],
    ["read_file", { filename: "a.ts", files: ["b.ts", { filename: "c.ts" }] }, "Read a.ts, b.ts, and c.ts", ""],
    ["read_file", { filename: "a.ts", start_line: 1, end_line: 80 }, "Read a.ts, lines 1 to 80", ""],
    ["read_file", { filename: "output:7" }, "Read the output of step 7", ""],
    ["list_files", {}, "List files", "Listed files"],
    ["search_files", { pattern: "cart", folder: "src" }, 'Search for "cart" in src', 'Searched for "cart" in src'],
    ["search_files", { glob: "*.ts" }, "Find files named *.ts", "Looked for files named *.ts"],
    ["browse_website", { url: "https://example.com/a" }, "Read example.com/a", ""],
    ["move_file", { source: "a", destination: "b" }, "Move a to b", "Moved a to b"],
    ["delete_file", { filename: "a.ts" }, "Delete a.ts", "Deleted a.ts"],
    ["create_folder", { folder: "lib" }, "Create folder lib", "Created folder lib"],
    ["run_task", {}, "List tasks", "Listed tasks"],
    ["run_task", { name: "build" }, "Run task build", "Ran task build"],
    ["execute_python_code", { code: "1" }, "Run Python code", "Ran Python code"],
    ["list_processes", {}, "List processes", "Listed processes"],
    ["get_terminal_output", {}, "Read the terminal", ""],
    ["git_status", {}, "Check git status", "Checked git status"],
    ["git_log", {}, "View git history", "Viewed git history"],
    [
      "download_file",
      { filename: "a.zip", url: "https://example.com/a.zip" },
      "Download a.zip from example.com/a.zip",
      "Downloaded a.zip from example.com/a.zip",
    ],
    ["generate_image", { prompt: "a cat" }, "Create a picture", "Created a picture"],
    ["send_tweet", { tweet_text: "hi" }, "Publish a post", "Published a post"],
    ["memory_add", { text: "a" }, "Save to memory", "Saved to memory"],
    ["memory_add", { text: "a", shared: true }, "Save note in repository", "Saved note in repository"],
    ["list_agents", {}, "List agents", "Listed agents"],
    ["update_plan", { items: [] }, "Update the plan", "Updated the plan"],
    ["ask_user", { question: "Why?" }, "Question", "Asked: Why?"],
    ["find_tools", { query: "a" }, "Look for tools", "Looked for tools"],
    ["do_nothing", {}, "Do nothing", "Did nothing"],
    ["task_complete", { reason: "a" }, "Finish the run", "Finished"],
    ["mcp_github_issue", { number: 1 }, "Use mcp_github_issue", "mcp_github_issue"],
  ];

  for (const [name, args, before, after] of cases)
    it(`reads "${before}"`, () => {
      assert.deepEqual(titles(name, args), [before, after === "" ? before : after]);
    });

  it("says that a new file was created", () => {
    const outcome = { status: "done", output: "", files: [{ file: "a", change: "created" }] } as const;
    const { after } = createCallTitle({ name: "write_to_file", args: { filename: "a" } }, outcome);
    assert.equal(writeInEnglish(after), "Created a");
  });

  it("exists before and after for every command", () => {
    const names = Object.keys(ENGLISH).flatMap((code) => /^timeline\.to([A-Z]\w+)$/.exec(code)?.[1] ?? []);
    assert.deepEqual(
      names.filter((name) => !Object.hasOwn(ENGLISH, `timeline.did${name}`)),
      [],
    );
  });
});

describe("the title of calls that only looked", () => {
  const read = (filename: string) => ({ name: "read_file", args: { filename } });

  it("names a few files, each once", () => {
    assert.equal(writeInEnglish(createLookTitle([read("a"), read("b"), read("a")])), "Read a and b");
  });

  it("counts what is more, and what is searched", () => {
    const calls = [..."abcd"].map(read);
    const searched = [
      { name: "search_files", args: { pattern: "x" } },
      { name: "git_status", args: {} },
    ];
    assert.deepEqual(
      [writeInEnglish(createLookTitle(calls)), writeInEnglish(createLookTitle([...calls, ...searched]))],
      ["Explored 4 places", "Explored 6 places"],
    );
  });
});
