import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type ProgramRun, runProgram } from "../../support/headless.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres-server.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const git = (...args: readonly string[]) => promisify(execFile)("git", [...args]);
const model = serverForSuite();
const FINISH = calling("task_complete", { reason: "All tidy." });

describe("a team's memory on the command line", () => {
  const tempFolder = tempFolders();
  let server: PostgresServer | undefined;

  before(async function () {
    this.timeout(120_000);
    server = await startPostgres();
    if (!server) this.skip();
  });
  after(() => server?.stop());

  /** The program of a member in a folder of their own, with the server in the settings. */
  async function member(url: string) {
    const [workspace, data] = [await tempFolder(), await tempFolder()];
    const env = {
      AUTOGPT_MEMORY_BACKEND: "postgres",
      AUTOGPT_MEMORY_URL: url,
      AUTOGPT_MEMORY_PROJECT: "shop",
    };
    const ran = (...argv: string[]): Promise<ProgramRun> =>
      runProgram({ baseUrl: model().baseUrl, workspace, data, env }, ...argv, "--workspace", workspace);
    return { workspace, ran };
  }

  it("takes the notes of a run where that is agreed to, and ingest with --init removes them there as well", async () => {
    if (!server) return;
    const database = await server.newDatabase();
    const rows = async () => {
      const found = await server?.query("select kind, text from memory_item where not removed", [], database);
      return found?.map(({ kind, text }) => `${kind}: ${text}`);
    };
    const { workspace, ran } = await member(server.url(database));
    await writeFile(path.join(workspace, "till.md"), "The till is closed on Mondays.\n");
    model().plan(calling("memory_add", { text: "Deploy on Fridays only." }), FINISH);
    const run = await ran("--task", "Tidy.", "--continuous", "9", "--share-memory", "notes");
    const shared = await rows();
    const cleared = await ran("ingest", "--dir", workspace, "--init", "--share-memory", "notes");
    assert.deepEqual(
      { codes: [run.code, cleared.code], shared, after: await rows() },
      { codes: [0, 0], shared: ["note: Deploy on Fridays only."], after: [] },
    );
  });

  it("is listed and searched from the first call on, with others' names", async () => {
    if (!server) return;
    const url = server.url(await server.newDatabase());
    const [ada, bob] = [await member(url), await member(url)];
    await git("init", "-q", ada.workspace);
    await git("-C", ada.workspace, "config", "user.name", "Ada");
    model().plan(calling("memory_add", { text: "Deploy on Fridays only." }), FINISH);
    await ada.ran("--task", "Tidy.", "--continuous", "9", "--share-memory", "notes");
    const listed = await bob.ran("memory", "--share-memory", "notes");
    const found = await (await member(url)).ran("memory", "search", "Fridays", "--share-memory", "notes");
    assert.deepEqual(
      [listed, found].map(({ stdout }) => / note, .*, by Ada.*: Deploy on Fridays only\.\n$/.test(stdout)),
      [true, true],
    );
  });

  it("says what keeps it from being shared", async () => {
    if (!server) return;
    const url = server.url();
    const unagreed = await (await member(url)).ran("memory");
    const nowhere = await (await member(" ")).ran("memory", "--share-memory", "all");
    const refused = await (await member(url.replace("postgres@", "nobody@"))).ran(
      ...["memory", "--share-memory", "all"],
    );
    assert.deepEqual(
      [unagreed, nowhere, refused].map(
        ({ code, stderr }) =>
          `${code} ${stderr
            .replace(/^Nothing is remembered.*$/m, "")
            .trim()
            .replace(/\(.*\)/, "(…)")
            .replace(/^\S+ refused/, "HOST refused")}`,
      ),
      [
        "0 The memory isn't shared, because only --share-memory (…) agrees to that.",
        "0 The memory isn't shared, because no server is set. Set memory.backend and memory.url.",
        "0 HOST refused the user name or the password or API key of the team's memory (…). Check autogpt.memory.url, and enter the password or key again; on the command line, it's in MEMORY_SECRET.",
      ],
    );
  });

  it("isn't needed for a note of the repository, which is listed and found", async () => {
    const workspace = await tempFolder();
    const setting = { baseUrl: model().baseUrl, workspace, data: await tempFolder() };
    const ran = (...argv: string[]) => runProgram(setting, "memory", ...argv, "--workspace", workspace);
    const empty = await ran();
    const saved = await ran("note", "The till opens at noon.");
    const [name = ""] = await readdir(path.join(workspace, ".autogpt/notes"));
    const listed = await ran("list");
    const found = await ran("search", "When does the till open?", "--json");
    const shown = await ran("search", "till");
    const [wrong, help] = [await ran("forget"), await ran("--help")];
    const beforeSearch = await runProgram(setting, ...["memory", "search", "till", "--workspace", await tempFolder()]);
    const day = new Date().toISOString().slice(0, 10);
    assert.deepEqual(
      {
        saved: path.basename(saved.stdout.trim()),
        listed: listed.stdout,
        empty: empty.stderr,
        found: JSON.parse(found.stdout).text,
        why: /\(all words match · from today\)/.test(shown.stdout),
        help: help.stdout.split("\n")[0],
        searched: beforeSearch.stderr === empty.stderr,
        wrong: [wrong.code, wrong.stderr.split("\n")[0]],
      },
      {
        saved: name,
        listed: `${day} note, .autogpt/notes/${name}: The till opens at noon.\n`,
        empty:
          "Nothing is remembered here yet. Runs fill the memory as they work; autogpt ingest --dir DIR adds a folder now.\n",
        found: "The till opens at noon.",
        why: true,
        help: 'Usage: autogpt memory list|search|note ["TEXT"] [options]',
        searched: true,
        wrong: [4, '"memory" takes one of these: list, search "WORDS", note "TEXT".'],
      },
    );
  });
});
