import assert from "node:assert/strict";
import { join } from "node:path";
import { allCommands } from "../../../src/commands/all.ts";
import { nodeWorkspace } from "../../../src/node/workspace.ts";
import { CommandBench } from "../../support/command-bench.ts";
import { fakeAway } from "../../support/fake-away.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { machineParts } from "../../support/machine-parts.ts";
import { ofType, rehearse } from "../../support/rehearsal.ts";
import { makeRepository, writeFiles } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

/** A reply that calls a command by another name than its own where it has one, and with what its outcome begins. */
type Row = readonly [alias: string, args: object, outcome: string];

const AWAY = "https://example.com/";

/** Each command once, as a model calls it that knows older programs. */
const ROWS: Readonly<Record<string, Row>> = {
  read_file: ["read", { file: "a.txt" }, "done: one"],
  write_to_file: ["write_file", { file: "b.txt", text: "b" }, 'done: Created "b.txt"'],
  append_to_file: ["append_file", { file: "a.txt", text: "b" }, "done: "],
  edit_file: ["str_replace", { path: "a.txt", old_string: "one", new_string: "two" }, 'done: Edited "a.txt"'],
  move_file: ["rename_file", { old_name: "a.txt", new_name: "c.txt" }, "done: "],
  delete_file: ["remove_file", { file: "a.txt" }, 'done: Deleted "a.txt"'],
  create_folder: ["mkdir", { directory: "d" }, 'done: Created the folder "d"'],
  list_files: ["list_folder", { directory: "/" }, "done: "],
  search_files: ["grep", { query: "one" }, "done: a.txt"],
  get_problems: ["get_diagnostics", {}, "done: The editor shows no problems"],
  find_symbol: ["find_definition", { name: "one" }, "done: a.txt:1: function one"],
  find_references: ["find_usages", { name: "one", file: "a.txt" }, "done: a.txt:1: one"],
  analyze_code: ["evaluate_code", { code: "one" }, "done: It is fine."],
  improve_code: ["refactor_code", { code: "one", suggestions: ["Better."] }, "done: It is fine."],
  write_tests: ["generate_tests", { code: "one", focus: ["edges"] }, "done: It is fine."],
  execute_python_file: ["run_python_file", { file: "a.py" }, "done: Exit code 0.\nfrom a file"],
  execute_python_code: ["run_python_code", { code: "print(1 + 1)" }, "done: Exit code 0.\n2"],
  execute_shell: ["execute_command", { command: "echo hi" }, "done: Exit code 0.\nhi"],
  execute_shell_popen: ["start_process", { command: "echo hi" }, "done: Started process 1."],
  list_processes: ["get_processes", {}, "done: No background process"],
  read_process_output: ["process_output", { pid: 1 }, "failed: There is no process 1."],
  stop_process: ["kill_process", { id: 1 }, "failed: There is no process 1."],
  git_status: ["get_git_status", { directory: "." }, "done: ## main\n M own.txt"],
  git_diff: ["show_diff", { base: "HEAD" }, "done: diff --git a/own.txt b/own.txt"],
  git_log: ["git_history", { n: 1 }, "done: "],
  clone_repository: ["git_clone", { repository_url: "ext::evil" }, "failed: Only https, http, ssh and git"],
  // Withheld here, for there is nobody to start agents.
  start_agent: ["start_gpt_agent", { name: "Helper", task: "t", prompt: "p" }, "failed: The"],
  message_agent: ["tell_agent", { key: 1, message: "m" }, "failed: The"],
  list_agents: ["show_agents", {}, "failed: The"],
  delete_agent: ["remove_agent", { key: 1 }, "failed: The"],
  web_search: ["google", { input: "boats" }, "done: "],
  browse_website: ["browse", { website: AWAY }, "done: "],
  get_text_summary: ["get_text_summary", { link: AWAY }, "done: "],
  get_hyperlinks: ["get_links", { url: AWAY }, "done: "],
  download_file: ["download", { url: AWAY, file: "d.txt" }, "done: "],
  generate_image: ["create_image", { description: "A boat." }, "done: "],
  read_audio_from_file: ["read_audio", { file: "a.mp3" }, "done: "],
  send_tweet: ["tweet", { text: "Hello." }, "done: "],
  memory_add: ["remember", { string: "The port is 8765." }, "done: "],
  memory_search: ["recall", { input: "Which port?" }, "done: "],
  ask_user: ["ask_user", { question: "Why?" }, "done: "],
  update_plan: ["update_plan", { items: [{ text: "Begin", status: "pending" }] }, "done: "],
  do_nothing: ["do_nothing", { reason: "Waiting." }, "done: "],
  task_complete: ["goals_accomplished", { summary: "Done." }, "finished: Done."],
};

/** Calls of a command with two arguments too many, with wrong types, and without what it needs. */
function wrongCalls(args: object, { required }: { readonly required?: unknown }): readonly object[] {
  const wrong = Object.fromEntries(Object.keys(args).map((name) => [name, { never: "this" }]));
  return [
    { ...args, surplus: 1, excess: 2 },
    ...(Object.keys(args).length > 0 ? [wrong] : []),
    ...(Array.isArray(required) && required.length > 0 ? [{}] : []),
  ];
}

describe("every command, through the whole loop", () => {
  const tempFolder = tempFolders();

  it("stands in the table", () => {
    const names = allCommands({ workspace: nodeWorkspace({ folders: [] }) }).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !Object.hasOwn(ROWS, name)),
      [],
    );
  });

  it("is told what is wrong with its arguments, and nobody is asked", async () => {
    const folder = await tempFolder();
    const parts = machineParts(join(folder, "run"));
    const { commands } = new CommandBench(folder, folder, { ...parts, away: fakeAway() });
    const wrong: string[] = [];
    for (const { name, parameters } of commands.specs) {
      const [alias = "", args = {}] = ROWS[name] ?? [];
      const calls = wrongCalls(args, parameters).map((given) => says(alias, given));
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

  for (const [name, [alias, args, beginning]] of Object.entries(ROWS))
    it(`${alias} is ${name}`, async () => {
      const folder = await tempFolder();
      const project = join(folder, "project");
      writeFiles(project, { "a.txt": "one\n", "a.py": "print('from a file')\n", "a.mp3": "sound" });
      if (name.startsWith("git_")) {
        makeRepository(project, { "own.txt": "own\n" });
        writeFiles(project, { "own.txt": "changed\n" });
      }
      const parts = machineParts(join(folder, "run"));
      const away = fakeAway({ fast: async () => new FakeModel([{ text: "It is fine." }]) });
      const { commands } = new CommandBench(project, folder, { ...parts, away });
      const { log } = await rehearse({
        answers: [says(alias, args), says("task_complete", { reason: "Done." })],
        parts: { commands },
      });
      await parts.processes.endAll("all");
      const [began] = ofType(log.events, "began");
      const [ended] = ofType(log.events, "ended");
      const { status = "", ...told } = ended?.outcome ?? {};
      const outcome = `${status}: ${Object.values(told).join("\n")}`;
      assert.deepEqual(
        { began: began?.step === 1 ? began.command : "nothing", outcome: outcome.slice(0, beginning.length) },
        { began: status === "failed" ? "nothing" : name, outcome: beginning },
        outcome,
      );
    });
});
