import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createInProcessPlugin } from "../../../src/plugins/in-process.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type HeadlessSetting, headless, runProgram } from "../../support/headless.ts";
import { pluginRun } from "../../support/plugin-runs.ts";
import { ofType } from "../../support/rehearsal.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FINISH = calling("task_complete", { reason: "Done." });
const RUN = ["--task", "Try the plugin.", "--continuous", "9", "--json"];

describe("the examples in docs/plugins.md", function () {
  this.timeout(60_000);
  const server = serverForSuite();
  const tempFolder = tempFolders();

  /** The n-th block of code in a section. */
  async function example(section: string, language: string, index = 0): Promise<string> {
    const page = await readFile(join(ROOT, "docs/plugins.md"), "utf8");
    const text = page.split(/^#+ /m).find((part) => part.startsWith(`${section}\n`)) ?? "";
    const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))];
    const code = blocks[index]?.[1];
    assert.ok(code, `docs/plugins.md has no ${language} in "${section}"`);
    return code;
  }

  async function placed(files: Readonly<Record<string, string>>): Promise<HeadlessSetting> {
    const [workspace, data] = [await tempFolder(), await tempFolder()];
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(workspace, name)), { recursive: true });
      await writeFile(join(workspace, name), content);
    }
    return { baseUrl: server().baseUrl, workspace, data };
  }

  /** Allows every plugin of the workspace, as a user would. */
  async function allowed(place: HeadlessSetting): Promise<readonly string[]> {
    const { stdout } = await runProgram(place, "plugins", "list", "--json");
    const ids = stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line): { readonly id: string; readonly state: string } => JSON.parse(line))
      .flatMap(({ id, state }) => (state === "new" || state === "off" ? [id] : []));
    for (const id of ids) await runProgram(place, "plugins", "allow", id);
    return ids.toSorted();
  }

  it("in TypeScript checks command lines", async () => {
    const { workspace } = await placed({
      "plugin.ts": await example("In TypeScript, from an extension", "ts"),
    });
    const { plugin } = await import(pathToFileURL(join(workspace, "plugin.ts")).href);
    const services = { findKey: async () => undefined, log: () => undefined };
    const { run } = pluginRun(workspace);
    const loaded = createInProcessPlugin(plugin, { from: "extension", kind: "extension", run, services });
    const ask = (shell: string) => loaded.call("beforeCommand", { shell }, new AbortController().signal);
    const answers = [await ask("ls"), await ask("make deploy")];
    assert.deepEqual(
      answers.map((answer) => Object.keys(Object(answer)).length),
      [0, 1],
    );
  });

  it("in JavaScript adds a constraint and a command, and looks at outcomes", async () => {
    const place = await placed({
      ".autogpt/plugins/todo-counter/index.mjs": await example("In JavaScript, as a folder", "js"),
    });
    const ids = await allowed(place);
    server().plan(calling("count_words", { text: "one TODO here" }), FINISH);
    const { events } = await headless(place, ...RUN);
    const [ended] = ofType(events, "ended");
    const output = ended?.outcome.status === "done" ? ended.outcome.output : JSON.stringify(ended?.outcome);
    assert.deepEqual(
      {
        ids,
        output: output.includes("3 words"),
        constraint: ofType(events, "started")[0]?.directives.constraints.some((text) =>
          text.includes("Leave no TODO behind."),
        ),
      },
      { ids: ["todo-counter"], output: true, constraint: true },
    );
  });

  it("in Python adds a constraint and a command", async () => {
    const place = await placed({
      ".autogpt/plugins/clock/__init__.py": await example("In Python", "python"),
    });
    const ids = await allowed(place);
    server().plan(calling("shout", { text: "hello" }), FINISH);
    const { events } = await headless(place, ...RUN);
    const [ended] = ofType(events, "ended");
    assert.deepEqual(
      { ids, output: ended?.outcome.status === "done" && ended.outcome.output.includes("HELLO") },
      { ids: ["clock"], output: true },
    );
  });

  it("as a command hook refuses to write a debugger statement", async () => {
    const place = await placed({
      ".github/hooks/no-debugger.json": await example("As a command hook", "json"),
      ".github/hooks/no-debugger.mjs": await example("As a command hook", "js"),
    });
    const ids = await allowed(place);
    const write = (contents: string) => calling("write_to_file", { filename: "a.txt", contents });
    server().plan(write("debugger;"), write("harmless"), FINISH);
    const { events } = await headless(place, ...RUN);
    assert.deepEqual(
      {
        count: ids.length,
        decided: ofType(events, "decided").map(({ allow, reason }) => ({
          allow,
          why: reason.includes("There is a debugger statement in this."),
        })),
      },
      { count: 1, decided: [true, false, false].map((why) => ({ allow: !why, why })) },
    );
  });

  it("as an MCP server offers a tool", async () => {
    const place = await placed({
      ".autogpt/mcp.json": await example("As an MCP server", "json"),
      "dice.mjs": await example("As an MCP server", "js"),
    });
    await makeLink(join(ROOT, "node_modules"), join(place.workspace, "node_modules"));
    const ids = await allowed(place);
    server().plan(calling("dice__roll"), FINISH);
    const { events } = await headless(place, ...RUN);
    const [ended] = ofType(events, "ended");
    assert.deepEqual(
      { ids, output: ended?.outcome.status === "done" && ended.outcome.output.includes("4") },
      { ids: ["dice"], output: true },
    );
  });
});
