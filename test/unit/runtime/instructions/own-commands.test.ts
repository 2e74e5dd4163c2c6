import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { limitCommands, readOwnAgents } from "../../../../src/runtime/instructions/own-agents.ts";
import {
  expandCommand,
  findSentCommand,
  findSentName,
  listCommandInputs,
  readInputValues,
  readOwnCommands,
} from "../../../../src/runtime/instructions/own-commands.ts";
import { grantWishes, mapTools } from "../../../../src/runtime/instructions/own-wishes.ts";
import { createGuardedFiles } from "../../../../src/safety/paths/guarded-reader.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant, type Tree } from "../../../support/trees.ts";

describe("commands and agents of one's own", () => {
  const tempFolder = tempFolders();

  async function planted(workspace: Tree, home: Tree = {}, prompts: Tree = {}) {
    const place = realpathSync.native(await tempFolder());
    const app = join(place, "app");
    await plant(app, { "a.txt": "a", ...workspace });
    await plant(join(place, "home"), { "b.txt": "b", ...home });
    await plant(join(place, "prompts"), { "c.txt": "c", ...prompts });
    await plant(place, { "elsewhere/secret.md": "Secret." });
    const folders = [{ name: "app", path: app }];
    const files = createGuardedFiles(createNodeWorkspace({ folders }), [app], process.platform);
    return { app, files, home: join(place, "home"), prompts: join(place, "prompts"), isOwn: true };
  }

  it("are found in their places, the user's first, a text once, names of folders as their beginnings", async () => {
    const places = await planted(
      {
        ".autogpt/commands/fix.md": "Fix it here.",
        ".claude/commands/git/commit.md": "---\ndescription: Commit it\nargument-hint: [message] [more]\n---\nCommit.",
        ".claude/commands/fix.md": "Fix it as Claude.",
        ".claude/commands/README.md": "No command.",
        ".github/prompts/tidy.prompt.md": "---\nagent: reviewer\n---\n# Tidy up",
        ".github/prompts/notes.md": "No prompt.",
      },
      {
        ".claude/commands/fix.md": "Fix it my way.",
        ".autogpt/commands/tidy.md": "# Tidy up my way",
        ".claude/commands/copy.md": "Fix it as Claude.",
      },
      { "own.prompt.md": "Mine in VS Code." },
    );
    const { commands, unread } = await readOwnCommands(places);
    assert.deepEqual(
      {
        commands: commands.map(({ name, file, by, description, hint, agent }) => [
          name,
          file,
          by,
          description,
          hint,
          agent,
        ]),
        unread,
      },
      {
        commands: [
          ["tidy", "~/.autogpt/commands/tidy.md", "user", "Tidy up my way", "", ""],
          ["copy", "~/.claude/commands/copy.md", "user", "Fix it as Claude.", "", ""],
          ["fix", "~/.claude/commands/fix.md", "user", "Fix it my way.", "", ""],
          ["own", "VS Code/own.prompt.md", "user", "Mine in VS Code.", "", ""],
          ["autogpt:fix", ".autogpt/commands/fix.md", undefined, "Fix it here.", "", ""],
          ["github:tidy", ".github/prompts/tidy.prompt.md", undefined, "Tidy up", "", "reviewer"],
          ["git:commit", ".claude/commands/git/commit.md", undefined, "Commit it", "[message] [more]", ""],
        ],
        unread: [],
      },
    );
  });

  it("are left out with a sentence where they can't be read, typed or told apart", async () => {
    skipWithout("files as POSIX has them");
    const places = await planted({
      ".claude/commands/large.md": "x".repeat(1_100_000),
      ".claude/commands/out.md": { link: "../../../elsewhere/secret.md" },
      ".claude/commands/binary.md": "a\0b",
      ".claude/commands/two words.md": "Two.",
      ".claude/commands/f\u0456x.md": "Cyrillic.",
      ".claude/commands/a\u0007b.md": "Bell.",
      ".claude/commands/empty.md": " \n",
      ".claude/commands/windows.md": "\uFEFF---\r\ndescription: From Windows\r\n---\r\nDo\r\nit.\r\n",
    });
    await writeFile(
      join(places.app, ".claude/commands/wide.md"),
      Buffer.from("\uFEFF---\ndescription: Wide\n---\nWide text.", "utf16le"),
    );
    const { commands, unread } = await readOwnCommands(places);
    assert.deepEqual(
      {
        commands: commands.map(({ name, description, body }) => [name, description, body]),
        unread: unread.map((one) => one.replace(/ \("\/.*"\)/, "")).toSorted(),
      },
      {
        commands: [
          ["wide", "Wide", "Wide text."],
          ["windows", "From Windows", "Do\nit."],
        ],
        unread: [
          ".claude/commands/a⟨U+0007⟩b.md isn't offered: its name can't be typed, or looks like another one. Rename it.",
          ".claude/commands/binary.md isn't read: it is a binary file.",
          ".claude/commands/fіx.md isn't offered: its name can't be typed, or looks like another one. Rename it.",
          ".claude/commands/large.md isn't read: it is too large (over 1 MB).",
          ".claude/commands/out.md isn't read: it leads outside the workspace.",
          ".claude/commands/two words.md isn't offered: its name can't be typed, or looks like another one. Rename it.",
        ],
      },
    );
  });

  it("of the repository aren't read without a trusted folder, and not from an .autogpt that is no folder of ours", async () => {
    const tree = { ".autogpt/commands/a.md": "A.", ".claude/commands/b.md": "B." };
    const { files, ...places } = await planted(tree, { ".claude/commands/mine.md": "Mine." });
    const namesIn = async (given: Parameters<typeof readOwnCommands>[0]) =>
      (await readOwnCommands(given)).commands.map(({ name }) => name);
    assert.deepEqual(
      [await namesIn(places), await namesIn({ ...places, files, isOwn: false })],
      [["mine"], ["mine", "b"]],
    );
  });

  async function expand(body: string, message: string, given: Readonly<Record<string, string>> = {}) {
    const { commands } = await readOwnCommands(await planted({ ".claude/commands/c.md": body }));
    const sent = findSentCommand(message, commands);
    if (!sent) return undefined;
    const values = new Map([...readInputValues(sent), ...Object.entries(given)]);
    return expandCommand(sent, { workspaceFolder: "/w/app", file: "/w/app/src/a.b.ts", selection: "let $1;", values });
  }

  for (const [body, message, text] of [
    ["Do $ARGUMENTS, $1 and $2$3.", "/c one 'two three'", "Do one 'two three', one and two three."],
    ["Do [$ARGUMENTS], $1 and $15.", "/c", "Do [], $1 and $15."],
    ["$1", "/C $2 ${file}", "$2"],
    [
      "${file} ${fileBasename} ${workspaceFolderBasename} ${odd} $HOME",
      "/c",
      "/w/app/src/a.b.ts a.b.ts app ${odd} $HOME",
    ],
    ["${selection}", "/c x", "let $1;"],
    ["See #file:src/a.ts, @src/b.ts and me#file:x.", "/c", "See @src/a.ts, @src/b.ts and me#file:x."],
    ["${input:name:a name} is ${input:how}", "/c how=fast name='the app'", "the app is fast"],
    ["${input:name} and ${input:name:again}", "/c all of it", "all of it and all of it"],
    ["Run !`rm -rf x` first", "/c", "Run !`rm -rf x` first"],
    ["Many\nlines: $ARGUMENTS", "/c a\nb", "Many\nlines: a\nb"],
  ] as const)
    it(`put arguments and places into their text: ${JSON.stringify(body)} for ${JSON.stringify(message)}`, async () =>
      assert.equal(await expand(body, message), text));

  it("of the repository don't take what is selected in a file with secrets, as those of the user do", async () => {
    const places = await planted(
      { ".claude/commands/theirs.md": "${selection}" },
      { ".claude/commands/mine.md": "See ${selection}" },
    );
    const { commands } = await readOwnCommands(places);
    const context = { workspaceFolder: "/w/app", file: "/w/app/.env", selection: "KEY=1", values: new Map() };
    const texts = commands.map((command) => [command.name, expandCommand({ command, rest: "" }, context)]);
    assert.deepEqual(Object.fromEntries(texts), { theirs: "${selection}", mine: "See KEY=1" });
  });

  it("ask for inputs by name, each once, with what their author says of them", () => {
    assert.deepEqual(listCommandInputs("${input:a} ${input:b:two} ${input:a:one}"), [
      { name: "a", placeholder: "one" },
      { name: "b", placeholder: "two" },
    ]);
  });

  it("are meant by a word after a slash at the beginning, not by a path or a slash elsewhere", () => {
    assert.deepEqual(["/fix 1", " /git:fix", "/usr/bin", "see /fix", "/", "//fix"].map(findSentName), [
      "fix",
      "git:fix",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("have their own tools understood, and the others named", () => {
    assert.deepEqual(
      mapTools(["Read", "Bash(git add:*)", "search/codebase", "mcp__gh__list", "gh/list", "Fly", "read_file"]),
      {
        commands: [
          ...[
            "read_file",
            "list_files",
            "execute_shell",
            "execute_shell_popen",
            "list_processes",
            "read_process_output",
          ],
          ...[
            "stop_process",
            "execute_python_file",
            "execute_python_code",
            "search_files",
            "search_code",
            "find_symbol",
          ],
          ...["find_references", "gh__list"],
        ],
        unknown: ["Fly"],
      },
    );
  });

  it("have all commands by *, fewer by a list, none by a list that can't be read, and only the user's models", async () => {
    const texts = {
      all: '---\ntools: ["*"]\nmodel: BIG\n---\nx',
      none: "---\ntools: []\nmodel: http://evil.example/v1\n---\nx.",
      broken: "---\ntools: [\n  read\nmodel: inherit\n---\nx..",
      odd: "---\ntools:\n  Bash: true\n---\nx...",
    };
    const tree = Object.fromEntries(Object.entries(texts).map(([name, text]) => [`.claude/agents/${name}.md`, text]));
    const { agents } = await readOwnAgents(await planted(tree));
    const models = { smart: "big", fast: "", fallback: [] };
    const kept = ["ask_user", "update_plan", "do_nothing", "task_complete", "read_skill"];
    assert.deepEqual(
      Object.fromEntries(agents.map(({ name, wishes, file }) => [name, grantWishes(wishes, file, models)])),
      {
        all: { model: "big", remarks: [] },
        broken: {
          commands: kept,
          remarks: ["The front matter of .claude/agents/broken.md isn't YAML, so each of its lines is read by itself."],
        },
        none: {
          commands: kept,
          remarks: [
            "The model http://evil.example/v1 of .claude/agents/none.md isn't one of your models, so yours is used.",
          ],
        },
        odd: { commands: kept, remarks: [] },
      },
    );
  });

  it("are narrowed by a command even where they name a server's tool", () => {
    const agent = ["execute_shell", "gh__list", "task_complete"];
    assert.deepEqual(
      [limitCommands(agent, ["read_file", "task_complete"]), limitCommands(["shell"], ["read_file"])],
      [["task_complete"], ["shell"]],
    );
  });

  it("suggest next agents, which nothing sends by itself", async () => {
    const text =
      "---\nname: Code Planner\ndescription: Plans\nhandoffs:\n  - label: Start\n    agent: doer\n    prompt: Do it.\n    send: true\n  - label: Nobody\n---\nPlan.";
    const { agents } = await readOwnAgents(await planted({ ".github/agents/plan.agent.md": text }));
    assert.deepEqual(
      agents.map(({ name, description, nextAgents }) => ({ name, description, nextAgents })),
      [
        {
          name: "Code-Planner",
          description: "Plans",
          nextAgents: [{ agent: "doer", label: "Start", prompt: "Do it.", file: ".github/agents/plan.agent.md" }],
        },
      ],
    );
  });
});
