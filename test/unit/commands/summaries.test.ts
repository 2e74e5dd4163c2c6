import assert from "node:assert/strict";
import { join } from "node:path";
import type { CommandDependencies } from "../../../src/commands/all.ts";
import type { Skills } from "../../../src/core/ports/skills.ts";
import type { AgentAnswer, AgentSummary, Agents } from "../../../src/core/ports/sub-agents.ts";
import { CommandBench } from "../../support/command-bench.ts";
import { FakeModel } from "../../support/fake-model.ts";
import { fakePage, fakeServices, fakeWeb } from "../../support/fake-services.ts";
import { machineParts } from "../../support/machine-parts.ts";
import { codeCell, notebookText } from "../../support/notebooks.ts";
import { plantedBenches } from "../../support/planted-bench.ts";
import { makeRepository } from "../../support/repositories.ts";
import { skipWithout } from "../../support/skips.ts";

const POET: AgentSummary = {
  ...{ id: 1, name: "Poet", task: "Write a poem.", run: "r-1" },
  ...{ state: "answered", tokens: 10, commands: [] },
};

const ANSWERS: readonly AgentAnswer["end"][] = [
  { reason: "finished", summary: "Roses\n  are red." },
  { reason: "exhausted", limit: "usd" },
  { reason: "stuck", why: "It repeats itself." },
  { reason: "crashed", error: "Oh." },
];

/** One agent, which ends in one way after the other. */
function agents(): Agents {
  const ends = [...ANSWERS];
  return {
    getMaxCount: () => 3,
    list: () => [POET],
    resolveAllowedCommands: (names) => names,
    selectAllowedCommands: () => [],
    start: async () => POET,
    send: async () => POET,
    answer: async () => ({
      agent: POET,
      end: ends.shift() ?? { reason: "stopped" },
      source: { kind: "agent", name: "Poet" },
    }),
    delete: async () => POET,
  };
}

const PDF = {
  name: "pdf",
  description: "Reads PDF files",
  file: "~/.claude/skills/pdf/SKILL.md",
  by: "user",
} as const;
const SKILLS: Skills = { list: async () => [PDF], readOwn: async () => "One.\nTwo.\n" };

const FAST = ["One.\nTwo.", "```js\nlet a;\nlet b;\n```", "No code.", "```js\ntest();\n```"];
const ABOUT_SEAS = [
  '{"answer": "Seas are wide.", "quotes": ["wide seas"]}',
  '{"answer": "", "quotes": []}',
  '{"answer": "Ships sail.", "quotes": []}',
];

const WATCHER = "echo Watching; sleep 60";
const SERVER = "echo 'Listening on http://localhost:4711/'; sleep 60";

/** Calls of all commands, and what people read of each outcome. Commands that change files show the files and lines instead. */
const CALLS: readonly (readonly [string, object, string])[] = [
  ["read_file", { filename: "a.js" }, "2 lines"],
  ["read_file", { filename: "a.js", start_line: 2 }, "1 line"],
  ["read_file", { filename: "gone.js" }, "Couldn't be read"],
  ["list_files", {}, "7 entries"],
  ["search_files", { pattern: "let" }, "2 matches in 1 file"],
  ["search_code", { query: "the first letter" }, "1 place"],
  ["read_skill", { name: "pdf" }, "2 lines"],
  ["read_skill", {}, "1 skill"],
  ["read_skill", { name: "boats" }, "Nothing found"],
  ["get_problems", {}, "No problems"],
  ["find_symbol", { symbol: "one" }, "1 place"],
  ["find_references", { symbol: "a", filename: "a.js", line: 1 }, "1 place"],
  ["find_references", { symbol: "zzz", filename: "a.js" }, "Nothing found"],
  ["analyze_code", { filename: "a.js" }, "2 lines"],
  ["improve_code", { filename: "a.js" }, "2 lines"],
  ["improve_code", { filename: "a.js" }, "No code in the answer"],
  ["write_tests", { filename: "a.js" }, "1 line"],
  ["execute_shell", { command_line: "echo '3 passing'" }, "3 tests passed"],
  ["execute_python_file", { filename: "a.py" }, "1 test passed"],
  ["execute_python_code", { code: "print('1 passed')" }, "1 test passed"],
  ["run_tests", {}, "2 tests passed"],
  ["run_task", {}, "No tasks"],
  ["run_cell", { filename: "a.ipynb", cell: 1 }, "1 cell ran"],
  ["get_terminal_output", {}, "1 command"],
  ["get_terminal_output", { terminal: "zsh" }, "Terminal not found"],
  ["list_processes", {}, "No processes"],
  ["read_process_output", { process: 9 }, "No such process"],
  ["execute_shell_popen", { command_line: SERVER }, "Process 1 on port 4711"],
  ["execute_shell_popen", { command_line: WATCHER }, "Process 2"],
  ["execute_shell_popen", { command_line: "exit 3" }, "Ended with exit code 3"],
  ["read_process_output", { process: 2 }, "Running"],
  ["read_process_output", { process: 3 }, "Ended with exit code 3"],
  ["stop_process", { process: 2 }, WATCHER],
  ["stop_process", { process: 3 }, "Ended with exit code 3"],
  ["read_process_output", { process: 2 }, "Stopped"],
  ["list_processes", {}, "1 of 3 running"],
  ["git_status", {}, "No changes"],
  ["git_diff", {}, "No changes"],
  ["git_log", {}, "1 commit"],
  ["git_log", { from: "nowhere" }, "Commit not found"],
  ["clone_repository", { url: "https://example.com/a/sub" }, "Already exists"],
  ["web_search", { query: "seas" }, "2 pages found"],
  ["browse_website", { url: "https://example.com/sea" }, "1.3 KB"],
  ["browse_website", { url: "https://example.com/sea", part: 2 }, "No such part"],
  ["browse_website", { url: "https://example.com/sea", question: "Wide?" }, "Answered with 1 quote"],
  ["browse_website", { url: "https://example.com/sea", question: "Deep?" }, "No answer on the page"],
  ["browse_website", { url: "https://example.com/empty" }, "The page has no text"],
  ["get_text_summary", { url: "https://example.com/sea" }, "Answered"],
  ["get_hyperlinks", { url: "https://example.com/sea" }, "1 link"],
  ["call_api", { url: "https://example.com/sea" }, "HTTP 200"],
  ["download_file", { url: "https://example.com/sea", filename: "sea.txt" }, "1.3 KB"],
  ["generate_image", { prompt: "A boat." }, "13 bytes"],
  ["read_audio_from_file", { filename: "a.mp3" }, "12 characters"],
  ["send_tweet", { tweet_text: "Hello." }, "At https://x.com/i/status/7"],
  ["open_page", { url: "https://example.com/" }, "A page"],
  ["click", { ref: "e2" }, 'button "Go" [e2]'],
  ["type_text", { ref: "e2", text: "Ann" }, 'button "Go" [e2]'],
  ["find_in_page", { text: "Go" }, "2 places"],
  ["go_back", {}, "A page"],
  ["read_page", {}, "A page"],
  ["screenshot", {}, "A page"],
  ["page_console", {}, "1 message"],
  ["memory_add", { text: "The port\nis 8765." }, "The port is 8765."],
  ["memory_search", { query: "Which port?" }, "Nothing found"],
  ["start_agent", { name: "Poet", task: "Write.", background: true }, "Working in the background"],
  ["start_agent", { name: "Poet", task: "Write." }, "Answered: Roses are red."],
  ["message_agent", { agent: 1 }, "No answer: its budget is spent"],
  ["message_agent", { agent: 1 }, "No answer: it's stuck"],
  ["message_agent", { agent: 1 }, "No answer: it failed"],
  ["message_agent", { agent: 1 }, "No answer: it was stopped"],
  ["list_agents", {}, "1 agent"],
  ["delete_agent", { agent: 1 }, "Poet"],
  ["ask_user", { question: "Why?" }, "You answered: You asked: Why?"],
  ["update_plan", { items: [{ text: "Begin", status: "done" }] }, "1 of 1 done"],
  ["find_tools", { query: "boats" }, "Nothing found"],
  ["do_nothing", { reason: "I wait." }, "I wait."],
  ["write_to_file", { filename: "b.ipynb", contents: "# %% [code]\n1\n" }, "1 new cell"],
  ["edit_file", { filename: "a.ipynb", edits: [{ search: "print(1)", replace: "print(2)" }] }, "1 cell changed"],
];

/** Their titles and changed files say everything. */
const WITHOUT = ["append_to_file", "create_folder", "delete_file", "move_file", "task_complete"];

describe("what people read of each command's outcome", () => {
  const planted = plantedBenches();
  let bench: CommandBench;
  let parts: ReturnType<typeof machineParts>;

  before(async () => {
    skipWithout("git");
    const sea = fakePage("https://example.com/sea", {
      text: `The wide seas. ${"Salt. ".repeat(214)}`,
      links: [{ text: "Ships", url: "https://example.com/ships" }],
    });
    const answers = [...FAST, ...ABOUT_SEAS].map((text) => ({ text }));
    const model = new FakeModel(answers);
    const hit = { title: "Sea", url: "https://example.com/sea", excerpt: "" };
    const all: Partial<CommandDependencies> = {
      agents: agents(),
      skills: SKILLS,
      offer: { listHidden: () => [] },
      services: fakeServices({
        web: fakeWeb([sea, fakePage("https://example.com/empty", { text: "" })]),
        downloads: fakeWeb([sea]),
        found: [hit, hit],
        getFastModel: async () => model,
      }),
    };
    const { folder } = await planted({});
    makeRepository(folder, {
      "a.js": "let a\nlet b\n",
      "a.py": "print('1 passed')\n",
      "a.ipynb": notebookText([codeCell("print(1)")]),
      "a.mp3": "sound",
      "package.json": JSON.stringify({ scripts: { test: "echo '2 passing'" } }),
      "sub/c.txt": "",
    });
    parts = machineParts(join(folder, ".git", "run"));
    bench = new CommandBench(folder, join(folder, ".git", "run"), {
      ...parts,
      ...all,
    });
  });

  after(() => parts?.processes.endAll("all"));

  it("is the fact that matters, of every command", async () => {
    const shown = [];
    for (const [name, args] of CALLS) shown.push([name, args, (await bench.shown(name, args)).summary]);
    assert.deepEqual(shown, CALLS);
  });

  it("is known of every command", () => {
    const known = new Set([...CALLS.map(([name]) => name), ...WITHOUT]);
    const { specs, withheld } = bench.commands;
    assert.deepEqual(
      [...specs, ...withheld].map(({ name }) => name).filter((name) => !known.has(name)),
      [],
    );
  });
});
