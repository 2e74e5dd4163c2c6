import assert from "node:assert/strict";
import { join } from "node:path";
import { createAllCommands } from "../../../src/commands/all.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { CommandBench } from "../../support/command-bench.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { fakeServices } from "../../support/fake-services.ts";
import { machineParts } from "../../support/machine-parts.ts";
import { codeCell, notebookText } from "../../support/notebooks.ts";
import { ofType, rehearse } from "../../support/rehearsal.ts";
import { makeRepository, writeFiles } from "../../support/repositories.ts";
import { withoutTimes } from "../../support/run-times.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

/** A reply that calls a command, by another name than its own if it has one. */
interface Row {
  readonly alias: string;
  readonly args: object;
  /** Start of the outcome. */
  readonly outcome: string;
}

const AWAY = "https://example.com/";

/** Each command once, as a model calls it that knows older programs. */
const ROWS: Readonly<Record<string, Row>> = {
  read_file: { alias: "read", args: { file: "a.txt" }, outcome: "done: a.txt, 1 line\none" },
  write_to_file: {
    alias: "write_file",
    args: { file: "b.txt", text: "b" },
    outcome: 'done: Created "b.txt"',
  },
  append_to_file: { alias: "append_file", args: { file: "a.txt", text: "b" }, outcome: "done: " },
  edit_file: {
    alias: "str_replace",
    args: { path: "a.txt", old_string: "one", new_string: "two" },
    outcome: 'done: Edited "a.txt"',
  },
  move_file: { alias: "rename_file", args: { old_name: "a.txt", new_name: "c.txt" }, outcome: "done: " },
  delete_file: { alias: "remove_file", args: { file: "a.txt" }, outcome: 'done: Deleted "a.txt"' },
  create_folder: { alias: "mkdir", args: { directory: "d" }, outcome: 'done: Created the folder "d"' },
  list_files: { alias: "list_folder", args: { directory: "/" }, outcome: "done: " },
  search_files: { alias: "grep", args: { query: "one" }, outcome: 'done: 1 match of "one"' },
  search_code: {
    alias: "codebase_search",
    args: { question: "one?" },
    outcome: "done: a.txt:1 one\n  1: one",
  },
  // Withheld here, because there are no skills.
  read_skill: { alias: "use_skill", args: { skill: "pdf" }, outcome: "failed: The" },
  get_problems: { alias: "get_diagnostics", args: {}, outcome: "done: The editor shows no problems" },
  find_symbol: { alias: "find_definition", args: { name: "one" }, outcome: "done: a.txt:1: function one" },
  find_references: {
    alias: "find_usages",
    args: { name: "one", file: "a.txt" },
    outcome: 'done: 1 use of "one"',
  },
  analyze_code: { alias: "evaluate_code", args: { code: "one" }, outcome: "done: It is fine." },
  improve_code: {
    alias: "refactor_code",
    args: { code: "one", suggestions: ["Better."] },
    outcome: "done: It is fine.",
  },
  write_tests: {
    alias: "generate_tests",
    args: { code: "one", focus: ["edges"] },
    outcome: "done: It is fine.",
  },
  execute_python_file: {
    alias: "run_python_file",
    args: { file: "a.py" },
    outcome: "done: Exit code 0.\nfrom a file",
  },
  execute_python_code: {
    alias: "run_python_code",
    args: { code: "print(1 + 1)" },
    outcome: "done: Exit code 0.\n2",
  },
  run_cell: {
    alias: "execute_cell",
    args: { file: "a.ipynb", cell_number: 1 },
    outcome: "done: It ran.\nCell 1 ended:\n1",
  },
  execute_shell: {
    alias: "execute_command",
    args: { command: "echo hi" },
    outcome: "done: Exit code 0.\nhi",
  },
  run_tests: { alias: "run_test", args: { timeout: 60 }, outcome: "done: Exit code " },
  run_task: { alias: "execute_task", args: { task: "build" }, outcome: "failed: There are no tasks here." },
  get_terminal_output: { alias: "read_terminal", args: { name: "bash" }, outcome: "done: $ make\n" },
  execute_shell_popen: {
    alias: "start_process",
    args: { command: "echo hi" },
    outcome: "done: Started process 1.",
  },
  list_processes: { alias: "get_processes", args: {}, outcome: "done: No background process" },
  read_process_output: {
    alias: "process_output",
    args: { pid: 1 },
    outcome: "failed: There is no process 1.",
  },
  stop_process: { alias: "kill_process", args: { id: 1 }, outcome: "failed: There is no process 1." },
  git_status: { alias: "get_git_status", args: { directory: "." }, outcome: "done: ## main\n M own.txt" },
  git_diff: { alias: "show_diff", args: { base: "HEAD" }, outcome: "done:  own.txt | 2 +-" },
  git_log: { alias: "git_history", args: { n: 1 }, outcome: "done: " },
  clone_repository: {
    alias: "git_clone",
    args: { repository_url: "ext::evil" },
    outcome: "failed: Only https, http, ssh and git",
  },
  // Withheld here, because nothing can start agents.
  start_agent: {
    alias: "start_gpt_agent",
    args: { name: "Helper", task: "t", prompt: "p" },
    outcome: "failed: The",
  },
  message_agent: { alias: "tell_agent", args: { key: 1, message: "m" }, outcome: "failed: The" },
  list_agents: { alias: "show_agents", args: {}, outcome: "failed: The" },
  delete_agent: { alias: "remove_agent", args: { key: 1 }, outcome: "failed: The" },
  web_search: { alias: "google", args: { input: "boats" }, outcome: "done: " },
  browse_website: { alias: "browse", args: { website: AWAY }, outcome: "done: " },
  get_text_summary: { alias: "get_text_summary", args: { link: AWAY }, outcome: "done: " },
  get_hyperlinks: { alias: "get_links", args: { url: AWAY }, outcome: "done: " },
  call_api: { alias: "http_request", args: { endpoint: AWAY }, outcome: "done: " },
  download_file: { alias: "download", args: { url: AWAY, file: "d.txt" }, outcome: "done: " },
  generate_image: { alias: "create_image", args: { description: "A boat." }, outcome: "done: " },
  read_audio_from_file: { alias: "read_audio", args: { file: "a.mp3" }, outcome: "done: " },
  send_tweet: { alias: "tweet", args: { text: "Hello." }, outcome: "done: " },
  open_page: { alias: "navigate", args: { website: AWAY }, outcome: "done: Title: A page" },
  click: { alias: "browser_click", args: { element: "e2" }, outcome: "done: Title: A page" },
  type_text: { alias: "fill", args: { element: "e2", value: "Ann" }, outcome: "done: Title: A page" },
  find_in_page: { alias: "search_page", args: { query: "Go" }, outcome: "done: Title: A page" },
  go_back: { alias: "navigate_back", args: {}, outcome: "done: Title: A page" },
  read_page: { alias: "browser_snapshot", args: { element: "e2" }, outcome: "done: Title: A page" },
  screenshot: { alias: "take_screenshot", args: {}, outcome: "done: Title: A page" },
  page_console: { alias: "console_messages", args: {}, outcome: "done: Title: A page" },
  memory_add: { alias: "remember", args: { string: "The port is 8765." }, outcome: "done: " },
  memory_search: { alias: "recall", args: { input: "Which port?" }, outcome: "done: " },
  ask_user: { alias: "ask_user", args: { question: "Why?" }, outcome: "done: " },
  update_plan: {
    alias: "update_plan",
    args: { items: [{ text: "Begin", status: "pending" }] },
    outcome: "done: ",
  },
  // Withheld here, because a run's own prompt knows what it doesn't offer.
  find_tools: { alias: "search_tools", args: { input: "tests" }, outcome: "failed: The" },
  do_nothing: { alias: "do_nothing", args: { reason: "Waiting." }, outcome: "done: " },
  task_complete: { alias: "goals_accomplished", args: { summary: "Done." }, outcome: "finished: Done." },
};

/** What takes lines, or an object as JSON, where a text is meant. */
const TAKE_OBJECTS = /^(execute_python_code|memory_(add|search)|ask_user|do_nothing|task_complete)$/;

/** Calls of a command with two arguments too many, with wrong types, and without what it needs. */
function wrongCalls(name: string, args: object, { required }: { readonly required?: unknown }): readonly object[] {
  const wrong = Object.fromEntries(Object.keys(args).map((name) => [name, { never: "this" }]));
  return [
    { ...args, surplus: 1, excess: 2 },
    ...(Object.keys(args).length > 0 && !TAKE_OBJECTS.test(name) ? [wrong] : []),
    ...(Array.isArray(required) && required.length > 0 ? [{}] : []),
  ];
}

describe("every command, through the whole loop", () => {
  const tempFolder = tempFolders();

  it("has a row in the table above", () => {
    const names = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) }).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !Object.hasOwn(ROWS, name)),
      [],
    );
  });

  it("reports what is wrong with its arguments, and no one is asked", async () => {
    const folder = await tempFolder();
    const parts = machineParts(join(folder, "run"));
    const { commands } = new CommandBench(folder, folder, { ...parts, services: fakeServices() });
    const wrong: string[] = [];
    for (const { name, parameters } of commands.specs) {
      const { alias = "", args = {} } = ROWS[name] ?? {};
      const calls = wrongCalls(name, args, parameters).map((given) => says(alias, given));
      const { log } = await rehearse({
        answers: [...calls, says("task_complete", { reason: "Done." })],
        parts: { commands },
      });
      const told = ofType(log.events, "ended")
        .map(({ outcome }) => ("error" in outcome ? outcome.error : outcome.status))
        .filter((text) => text.startsWith(`${name} was not run: `));
      const asked = ofType(log.events, "decided").length;
      if (told.length !== calls.length || asked !== 1) wrong.push(`${name}: ${told.join(" ")} ${asked}`);
    }
    assert.deepEqual(wrong, []);
  });

  for (const [name, { alias, args, outcome: beginning }] of Object.entries(ROWS))
    it(`${alias} is ${name}`, async () => {
      if (/^git_|^clone_/.test(name)) skipWithout("git");
      const folder = await tempFolder();
      const project = join(folder, "project");
      writeFiles(project, {
        "a.txt": "one\n",
        "a.ipynb": notebookText([codeCell("1")]),
        "a.py": "print('from a file')\n",
        "tests/__init__.py": "",
        "a.mp3": "sound",
      });
      if (name.startsWith("git_")) {
        makeRepository(project, { "own.txt": "own\n" });
        writeFiles(project, { "own.txt": "changed\n" });
      }
      const parts = machineParts(join(folder, "run"));
      const services = fakeServices({ getFastModel: async () => new FakeModel([{ text: "It is fine." }]) });
      const { commands } = new CommandBench(project, folder, { ...parts, services });
      const { log } = await rehearse({
        answers: [says(alias, args), says("task_complete", { reason: "Done." })],
        parts: { commands },
      });
      await parts.processes.endAll("all");
      const [began] = ofType(log.events, "began");
      const [ended] = ofType(log.events, "ended");
      const { status = "", ...told } = ended?.outcome ?? {};
      const outcome = withoutTimes(`${status}: ${Object.values(told).join("\n")}`);
      assert.deepEqual(
        { began: began?.step === 1 ? began.command : "nothing", outcome: outcome.slice(0, beginning.length) },
        { began: status === "failed" ? "nothing" : name, outcome: beginning },
        outcome,
      );
    });
});
