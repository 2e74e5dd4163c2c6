import assert from "node:assert/strict";
import { createAllCommands } from "../../../src/commands/all.ts";
import { isPrepared } from "../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../src/core/commands/command-set.ts";
import type { Agents } from "../../../src/core/ports/sub-agents.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { CommandBench } from "../../support/command-bench.ts";
import { machineParts } from "../../support/machine-parts.ts";
import { codeCell, notebookText } from "../../support/notebooks.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";

/** A call of each command that is right, under today's names. */
const RIGHT: Readonly<Record<string, object>> = {
  read_file: { filename: "a.txt" },
  write_to_file: { filename: "b.txt", contents: "b" },
  append_to_file: { filename: "a.txt", contents: "b" },
  edit_file: { filename: "a.txt", edits: [{ search: "one", replace: "two" }] },
  move_file: { source: "a.txt", destination: "c.txt" },
  delete_file: { filename: "a.txt" },
  create_folder: { folder: "d" },
  list_files: {},
  search_files: { pattern: "one" },
  get_problems: {},
  search_code: { query: "one" },
  find_symbol: { symbol: "one" },
  find_references: { symbol: "one", filename: "a.txt", line: 1 },
  analyze_code: { filename: "a.txt" },
  improve_code: { code: "one", suggestions: ["Better."] },
  write_tests: { filename: "a.txt", focus: ["edges"] },
  execute_python_file: { filename: "a.py", args: ["x"] },
  execute_python_code: { code: "print(1)" },
  run_cell: { filename: "a.ipynb", cell: 1 },
  execute_shell: { command_line: "true" },
  run_tests: {},
  run_task: {},
  get_terminal_output: {},
  execute_shell_popen: { command_line: "true" },
  list_processes: {},
  git_status: {},
  clone_repository: { url: "https://example.com/owner/name" },
  web_search: { query: "boats" },
  browse_website: { url: "https://example.com/", question: "Why?" },
  get_text_summary: { url: "https://example.com/" },
  get_hyperlinks: { url: "https://example.com/" },
  call_api: { url: "https://example.com/" },
  download_file: { url: "https://example.com/", filename: "d.txt" },
  generate_image: { prompt: "A boat." },
  read_audio_from_file: { filename: "a.mp3" },
  send_tweet: { tweet_text: "Hello." },
  open_page: { url: "https://example.com/" },
  click: { ref: "e2" },
  type_text: { ref: "e2", text: "Ann" },
  find_in_page: { text: "Go" },
  go_back: {},
  read_page: {},
  screenshot: {},
  page_console: {},
  memory_add: { text: "The port is 8765." },
  memory_search: { query: "Which port?" },
  ask_user: { question: "Why?" },
  update_plan: { items: [{ text: "Begin", status: "pending" }] },
  do_nothing: { reason: "Waiting." },
  task_complete: { reason: "Done." },
};

/** Calls as older programs and forgetful models make them. */
const OLDER: readonly (readonly [string, object])[] = [
  ["write_file", { file: "b.txt", text: "b" }],
  ["create_file", { file_name: "b.txt", content: "b" }],
  ["append_file", { path: "a.txt", text: "b" }],
  ["read", { file: "a.txt" }],
  ["READ_FILE", { filepath: "a.txt", line_start: 1, line_end: 1 }],
  ["replace_in_file", { filename: "a.txt", old_text: "one", new_text: "two" }],
  ["str_replace", { path: "a.txt", old_string: "one", new_string: "two" }],
  ["rename_file", { old_name: "a.txt", new_name: "c.txt" }],
  ["move", { from: "a.txt", to: "c.txt" }],
  ["edit_file", { path: "a.txt", edits: [{ old_string: "one", new_string: "1" }] }],
  ["make_directory", { path: "d" }],
  ["open_folder", { path: "." }],
  ["mkdir", { directory: "d" }],
  ["list_folder", { directory: "/" }],
  ["ls", { dir: "" }],
  ["search_files", { directory: "." }],
  ["grep", { query: "one", path: "." }],
  ["find_in_files", { input: "one" }],
  ["execute_command", { command: "true" }],
  ["run", { cmd: "true", timeout: 5 }],
  ["shell", { command_line: "true", cwd: "." }],
  ["evaluate_code", { code: "one" }],
  ["improve_code", { code: "one", suggestions: "Better." }],
  ["write_tests", { code: "one", focus: "edges" }],
  ["execute_python_file", { file: "a.py" }],
  ["execute_python_code", { code: "print(1)", basename: "one" }],
  ["execute_python_code", { code: "print(1)", name: "one" }],
  ["execute_shell_popen", { query: "true" }],
  ["get_diagnostics", { file: "a.txt" }],
  ["find_definition", { name: "one" }],
  ["find_usages", { name: "one", path: "a.txt" }],
  ["get_git_status", { directory: "." }],
  ["clone_repository", { repository_url: "https://example.com/a/b", clone_path: "b" }],
  ["google", { input: "boats" }],
  ["google_official_search", { query: "boats" }],
  ["search", { query: "boats", num_results: 3 }],
  ["browse", { website: "www.example.com" }],
  ["read_webpage", { url: "example.com", question: "Why?" }],
  ["browse_website", { url: "example.com", what_you_want_to_find_on_website: "Why?" }],
  ["get_text_summary", { link: "example.com", query: "Why?" }],
  ["get_links", { url: "example.com" }],
  ["download", { url: "example.com", file: "d.txt" }],
  ["create_image", { description: "A boat." }],
  ["read_audio", { file: "a.mp3" }],
  ["tweet", { text: "Hello." }],
  ["memory_add", { string: "The port is 8765." }],
  ["recall", { input: "Which port?" }],
  ["todo_write", { todos: [{ content: "Begin", status: "pending" }] }],
  ["finish", { reason: "Done." }],
  ["goals_accomplished", { summary: "Done." }],
  ["task_completed", { reason: "Done." }],
  ["do_nothing", {}],
  ["delete_agent", { key: "1" }],
  ["message_agent", { key: "1", message: "Go on." }],
  ["start_agent", { name: "Poet", task: "Write a poem.", prompt: "Write it now.", background: "True" }],
  ["replace_in_file", { filename: "a.txt", old_text: "one", new_text: "two", occurrence_index: "0" }],
  ["read_file", { filename: "a.txt", start_line: "1", end_line: null }],
  ["edit_file", { filename: "a.txt", edits: '[{"old_text": "one", "new_text": "1", "replace_all": "true"}]' }],
  ["edit_file", { filename: "a.txt", edits: { search: "one", replace: "two" } }],
  ["execute_python_file", { filename: "a.py", args: "x" }],
  ["execute_python_file", { filename: "a.py", args: '["x", 1]' }],
  ["improve_code", { suggestions: '["Better.", "Shorter."]', code: "one" }],
  ["todo_write", { todos: [{ content: "Begin", status: "in-progress" }] }],
  ["manage_todo_list", { todoList: [{ title: "Begin", status: "not-started" }] }],
  ["update_plan", { plan: '[{"task": "Begin", "status": "COMPLETED"}, {"task": "End", "status": "todo"}]' }],
];

/** Calls that are wrong, and what the model is told of them. */
const WRONG: readonly (readonly [string, object, string])[] = [
  ["read_file", {}, 'read_file was not run: the argument "filename" is missing.'],
  ["read_file", { filename: "" }, 'read_file was not run: "filename" must not be empty.'],
  [
    "list_files",
    { folder: "a".repeat(501) },
    'list_files was not run: "folder" must NOT have more than 500 characters.',
  ],
  ["read_file", { filename: {} }, 'read_file was not run: "filename" must be of type string.'],
  ["read_file", { filename: "a.txt", start_line: 0 }, 'read_file was not run: "start_line" must be >= 1.'],
  [
    "read_file",
    { filename: "a.txt", start_line: 1, star_line: 2 },
    'read_file was not run: it has no argument "star_line" (did you mean "start_line"?).',
  ],
  ["write_to_file", { filename: "b.txt" }, 'write_to_file was not run: the argument "contents" is missing.'],
  ["write_to_file", { text: "b" }, 'write_to_file was not run: the argument "filename" is missing.'],
  ["append_to_file", { filename: "a.txt", contents: "" }, 'append_to_file was not run: "contents" must not be empty.'],
  [
    "edit_file",
    { filename: "a.txt" },
    'edit_file was not run: the argument "edits" is missing. Give [{"search": "…", "replace": "…"}], or a unified diff as "diff".',
  ],
  ["edit_file", { filename: "a.txt", edits: [] }, 'edit_file was not run: "edits" must not be empty.'],
  [
    "edit_file",
    { filename: "a.txt", edits: [{ search: "x" }] },
    'edit_file was not run: the argument "edits.0.replace" is missing.',
  ],
  ["edit_file", { filename: "a.txt", edits: "x" }, 'edit_file was not run: "edits" must be of type array.'],
  ["move_file", { source: "a.txt" }, 'move_file was not run: the argument "destination" is missing.'],
  ["delete_file", {}, 'delete_file was not run: the argument "filename" is missing.'],
  ["create_folder", {}, 'create_folder was not run: the argument "folder" is missing.'],
  ["list_files", { depth: 3 }, 'list_files was not run: it has no argument "depth" (it takes folder, glob).'],
  ["search_files", { pattern: "x", regex: "yes" }, 'search_files was not run: "regex" must be of type boolean.'],
  ["execute_shell", {}, 'execute_shell was not run: the argument "command_line" is missing.'],
  [
    "execute_shell",
    { command_line: "true", timeout_seconds: 0 },
    'execute_shell was not run: "timeout_seconds" must be >= 1.',
  ],
  ["execute_shell", { command_line: "  " }, "The command line is empty. Say what to run."],
  [
    "execute_shell_popen",
    { command_line: "true", timeout_seconds: 5 },
    'execute_shell_popen was not run: it has no argument "timeout_seconds" (it takes command_line, folder).',
  ],
  ["get_terminal_output", { commands: 0 }, 'get_terminal_output was not run: "commands" must be >= 1.'],
  ["run_task", { name: "" }, 'run_task was not run: "name" must not be empty.'],
  ["run_tests", { args: {} }, 'run_tests was not run: "args" must be of type array.'],
  ["run_cell", { filename: "a.ipynb" }, 'run_cell was not run: the argument "cell" is missing.'],
  ["list_processes", { all: true }, 'list_processes was not run: it has no argument "all" (it takes none).'],
  ["read_process_output", {}, 'read_process_output was not run: the argument "process" is missing.'],
  [
    "read_process_output",
    { process: 1, wait_seconds: 61 },
    'read_process_output was not run: "wait_seconds" must be <= 60.',
  ],
  ["stop_process", { pid: 1 }, "There is no process 1. None was started since this run was last opened."],
  ["execute_python_file", {}, 'execute_python_file was not run: the argument "filename" is missing.'],
  [
    "execute_python_file",
    { filename: "a.py", args: {} },
    'execute_python_file was not run: "args" must be of type array.',
  ],
  ["execute_python_code", {}, 'execute_python_code was not run: the argument "code" is missing.'],
  ["execute_python_code", { code: " " }, "The code is empty. Say what to run."],
  [
    "execute_python_code",
    { code: "1", env: {} },
    'execute_python_code was not run: it has no argument "env" (it takes code, name, timeout_seconds).',
  ],
  ["get_problems", { filename: [] }, 'get_problems was not run: "filename" must be of type string.'],
  ["search_code", {}, 'search_code was not run: the argument "query" is missing.'],
  ["search_code", { query: " " }, "The query is empty. Say in words what the code does."],
  ["find_symbol", {}, 'find_symbol was not run: the argument "symbol" is missing.'],
  ["find_references", { symbol: "x", line: 0 }, 'find_references was not run: "line" must be >= 1.'],
  ["analyze_code", {}, 'Give either "filename" or "code", one of them.'],
  ["analyze_code", { code: {} }, 'analyze_code was not run: "code" must be of type string.'],
  [
    "improve_code",
    { code: "x", suggestions: {} },
    'improve_code was not run: "suggestions" must be of type array or string.',
  ],
  [
    "write_tests",
    { code: "x", language: "js" },
    'write_tests was not run: it has no argument "language" (it takes filename, code, focus, target, apply).',
  ],
  ["git_status", { short: true }, 'git_status was not run: it has no argument "short" (it takes folder).'],
  ["git_diff", { staged: "yes" }, 'git_diff was not run: "staged" must be of type boolean.'],
  ["git_log", { count: 1000 }, 'git_log was not run: "count" must be <= 200.'],
  ["clone_repository", {}, 'clone_repository was not run: the argument "url" is missing.'],
  [
    "clone_repository",
    { url: "https://example.com/a/b", branch: "--evil" },
    'clone_repository was not run: "branch" must match pattern "^[^-\\s][^\\s]*$".',
  ],
  ["web_search", {}, 'web_search was not run: the argument "query" is missing.'],
  ["web_search", { query: " " }, "The query is empty. Say what to search for."],
  ["web_search", { query: "x", num_results: 99 }, 'web_search was not run: "num_results" must be <= 20.'],
  ["browse_website", {}, 'browse_website was not run: the argument "url" is missing.'],
  [
    "browse_website",
    { url: "example.com", questio: "x", qestion: "y" },
    'browse_website was not run: it has no argument "questio" (did you mean "question"?); it has no argument "qestion" (did you mean "question"?).',
  ],
  ["browse_website", { url: ["a", "b"] }, 'browse_website was not run: "url" must be of type string.'],
  ["get_text_summary", {}, 'get_text_summary was not run: the argument "url" is missing.'],
  [
    "get_hyperlinks",
    { url: "no address" },
    '"no address" is not a web address. Give one like https://example.com/page.',
  ],
  [
    "call_api",
    { url: "x.y", method: "STEAL" },
    'call_api was not run: "method" must be one of "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS".',
  ],
  ["call_api", { url: "x.y", body: "b" }, "A GET request has no body. Put its values into the address, or use POST."],
  ["download_file", { url: "x.y" }, 'download_file was not run: the argument "filename" is missing.'],
  ["generate_image", {}, 'generate_image was not run: the argument "prompt" is missing.'],
  [
    "generate_image",
    { prompt: "x", size: "big" },
    'generate_image was not run: "size" must match pattern "^\\d{2,4}x\\d{2,4}$".',
  ],
  [
    "read_audio_from_file",
    { filename: "a.txt" },
    `"a.txt" isn't a supported audio file (mp3, wav, m4a, ogg, flac, webm).`,
  ],
  ["send_tweet", {}, 'send_tweet was not run: the argument "tweet_text" is missing.'],
  ["type_text", { ref: "e2" }, "Give the text to type, or a key to press."],
  [
    "type_text",
    { ref: "e2", press: "rm -rf" },
    '"rm -rf" is no key. Name one like Enter, Escape, ArrowDown or Control+A.',
  ],
  ...["Control+V", "Meta+Shift+v", "ControlOrMeta+KeyC", "Control+Insert", "Shift+Insert", "Shift+Delete"].map(
    (press): [string, object, string] => [
      "type_text",
      { ref: "e2", press },
      `${press} would use the user's clipboard. Give the text to type instead.`,
    ],
  ),
  ["ask_user", {}, 'ask_user was not run: the argument "question" is missing.'],
  [
    "update_plan",
    { items: [{ text: "x", status: "maybe" }] },
    'update_plan was not run: "items.0.status" must be one of "pending", "in_progress", "done", "dropped".',
  ],
  [
    "task_complete",
    { reason: "Done.", score: 10 },
    'task_complete was not run: it has no argument "score" (it takes reason).',
  ],
];

const AWAY = [
  "web_search",
  "browse_website",
  "get_text_summary",
  "get_hyperlinks",
  "call_api",
  "download_file",
  "generate_image",
  "read_audio_from_file",
  "send_tweet",
  "open_page",
  "click",
  "type_text",
  "find_in_page",
  "go_back",
  "read_page",
  "screenshot",
  "page_console",
];

/** Nobody has started any agent yet. */
const AGENTS: Agents = {
  getMaxCount: () => 3,
  list: () => [],
  resolveAllowedCommands: (names) => names,
  selectAllowedCommands: () => [],
  start: async () => "There is no room.",
  answer: async () => "There is no such agent.",
  send: async () => "There is no such agent.",
  delete: async () => "There is no such agent.",
};

/** Commands that are withheld without git. */
const USES_GIT = /^(?:get_)?git_|^clone_/;

describe("every command", () => {
  const tempFolder = tempFolders();
  const bench = async (): Promise<CommandBench> => {
    const folder = await tempFolder();
    await plant(folder, {
      "project/a.txt": "one\n",
      "project/a.py": "",
      "project/a.ipynb": notebookText([codeCell("1")]),
      "project/package.json": '{"scripts": {"test": "true"}}',
      "project/a.mp3": "sound",
      "project/.git/HEAD": "ref: refs/heads/main\n",
      "project/.git/objects/.keep": "",
      "project/.git/refs/.keep": "",
    });
    return new CommandBench(`${folder}/project`, folder, {
      ...machineParts(`${folder}/run`),
      agents: AGENTS,
    });
  };

  it("is offered with a description and a closed schema, and says why when it is not", async () => {
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: await tempFolder() }] });
    const { specs, withheld } = createCommandSet(createAllCommands({ workspace }));
    assert.deepEqual(
      {
        withoutDescription: specs.filter(({ description }) => description === ""),
        withOpenSchema: specs.filter(({ parameters }) => parameters.additionalProperties !== false),
        withheld: withheld.map(({ name, why }) => ({ name, why: writeInEnglish(why) })),
      },
      {
        withoutDescription: [],
        withOpenSchema: [],
        withheld: [
          {
            name: "search_code",
            why: "Only folders on this machine's disk are indexed. Other searches work here.",
          },
          { name: "read_skill", why: "There are no skills in this workspace or in your home folder." },
          {
            name: "get_problems",
            why: "There is no language service here. Run the project's own checks with execute_shell.",
          },
          ...["find_symbol", "find_references"].map((name) => ({
            name,
            why: "There is no language service here. Look for names with search_files.",
          })),
          ...["analyze_code", "improve_code", "write_tests"].map((name) => ({
            name,
            why: "There is no fast model here.",
          })),
          ...["run_tests", "run_task"].map((name) => ({
            name,
            why: "Shell commands are turned off (autogpt.shell.enabled).",
          })),
          ...["execute_python_file", "execute_python_code"].map((name) => ({
            name,
            why: "Shell commands are turned off (autogpt.shell.enabled), and Python could run them all the same.",
          })),
          { name: "run_cell", why: "Cells run in the kernel of a notebook that is open in VS Code." },
          ...["execute_shell", "execute_shell_popen", "list_processes", "read_process_output", "stop_process"].map(
            (name) => ({ name, why: "Shell commands are turned off (autogpt.shell.enabled)." }),
          ),
          {
            name: "get_terminal_output",
            why: "The user's terminals can be read only in VS Code. Use execute_shell.",
          },
          ...["git_status", "git_diff", "git_log", "clone_repository"].map((name) => ({
            name,
            why: "Git isn't installed. Install it and start again.",
          })),
          ...AWAY.map((name) => ({ name, why: "There is no access to the web here." })),
          { name: "memory_add", why: "The memory is turned off (autogpt.memory.enabled)." },
          { name: "memory_search", why: "The memory is turned off (autogpt.memory.enabled)." },
          ...["start_agent", "message_agent", "list_agents", "delete_agent"].map((name) => ({
            name,
            why: "Agents are turned off (autogpt.agents.max is 0), or aren't available here.",
          })),
          { name: "ask_user", why: "No one is available to answer." },
          { name: "find_tools", why: "Every command is offered here." },
        ],
      },
    );
  });

  it("has names and aliases that no other command has", async () => {
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: await tempFolder() }] });
    const names = createAllCommands({ workspace }).flatMap(({ name, aliases }) => [name, ...aliases]);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });

  for (const [name, args] of [...Object.entries(RIGHT), ...OLDER])
    it(`is understood as ${name} ${JSON.stringify(args)}`, async () => {
      if (USES_GIT.test(name)) skipWithout("git");
      const prepared = await (await bench()).prepare(name, args);
      assert.equal(isPrepared(prepared), true, JSON.stringify(prepared));
    });

  for (const [name, args, error] of WRONG)
    it(`says what is wrong with ${name} ${JSON.stringify(args)}`, async () => {
      if (USES_GIT.test(name)) skipWithout("git");
      const outcome = await (await bench()).call(name, args);
      assert.deepEqual(
        { status: outcome.status, error: outcome.status === "failed" && outcome.error },
        { status: "failed", error },
      );
    });
});
