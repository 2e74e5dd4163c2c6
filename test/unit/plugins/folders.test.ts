import assert from "node:assert/strict";
import { appendFile, chmod, cp, mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolderSource } from "../../../src/plugins/folder-source.ts";
import type { FoundPlugin, LoadedPlugin, PluginRun } from "../../../src/plugins/plugin.ts";
import { DEFAULT_SETTINGS } from "../../../src/schema/read-settings.ts";
import type { Sentence } from "../../../src/texts/display-text.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();
const never = new AbortController().signal;
const RUNNER = new URL("../../../src/plugins/folders/runner.ts", import.meta.url);

interface Setting {
  readonly root: string;
  readonly workspace: string;
  /** Writes a file of a plugin of the workspace. */
  write(path: string, content: string): Promise<string>;
  find(isTrusted?: boolean): Promise<readonly FoundPlugin[]>;
}

async function setting(): Promise<Setting> {
  const root = await tempFolder();
  const workspace = join(root, "workspace");
  const place = { folder: workspace, settings: DEFAULT_SETTINGS };
  const plugins = createFolderSource({
    userFolder: join(root, "user"),
    storage: join(root, "storage"),
    named: [],
    runner: RUNNER,
  });
  return {
    root,
    workspace,
    async write(path, content) {
      const target = join(workspace, ".autogpt", "plugins", path);
      await mkdir(join(target, ".."), { recursive: true });
      await writeFile(target, content);
      return target;
    },
    find: (isTrusted = true) => plugins.find({ ...place, isTrusted }),
  };
}

async function only(found: Promise<readonly FoundPlugin[]>): Promise<FoundPlugin> {
  const [first, ...others] = await found;
  assert.ok(first && others.length === 0);
  return first;
}

async function loaded(plugin: FoundPlugin, { root }: Setting, notices: Sentence[] = []): Promise<LoadedPlugin> {
  const run: PluginRun = {
    id: "run",
    folder: join(root, "workspace"),
    listFolders: () => [],
    home: join(root, "run"),
    settings: {
      ...DEFAULT_SETTINGS,
      plugins: { ...DEFAULT_SETTINGS.plugins, config: { [plugin.id]: { greeting: "hi" } } },
    },
    notice: (text) => notices.push(text),
    stop: () => undefined,
    redact: (text) => text,
  };
  return plugin.load(run);
}

const GUARD = `export default {
  offer: () => ({ commands: [{ name: "greet", description: "Greets", run: ({ who }, { config, output }) => {
    output("thinking");
    return config.greeting + " " + who;
  } }] }),
  beforeCommand({ command }) { return command === "delete" ? { deny: "never" } : undefined; },
};`;

describe("plugins of folders", () => {
  it("nothing is looked at in a folder that isn't trusted, and nothing runs before it's loaded", async () => {
    const here = await setting();
    await here.write(
      "plain/index.mjs",
      `${GUARD}\nawait import("node:fs").then((fs) => fs.writeFileSync("/tmp/ran", ""));`,
    );
    const [untrusted, trusted] = [await here.find(false), await here.find()];
    const seen = trusted.map(({ id, from, adds, problem }) => ({ id, from, adds, problem }));
    assert.deepEqual(
      { untrusted, seen },
      {
        untrusted: [],
        seen: [{ id: "plain", from: "workspace", adds: ["offer", "beforeCommand"], problem: undefined }],
      },
    );
  }).timeout(30_000);

  it("hooks and commands are called in a process of its own, with its configuration", async () => {
    const here = await setting();
    await here.write("guard/index.mjs", GUARD);
    await here.write(
      "guard/plugin.json",
      '{ "name": "A guard", "guard": true, "hooks": ["post_prompt", "pre_command"] }',
    );
    const plugin = await loaded(await only(here.find()), here);
    const printed: string[] = [];
    const running = { signal: never, output: (chunk: string) => printed.push(chunk) };
    const said = {
      offer: await plugin.call("offer", {}, never),
      denied: await plugin.call("beforeCommand", { command: "delete" }, never),
      allowed: await plugin.call("beforeCommand", { command: "read" }, never),
      greeted: await plugin.run?.("greet", { who: "you" }, running),
      printed,
      isGuard: plugin.isGuard,
    };
    await plugin.close();
    assert.deepEqual(said, {
      offer: { commands: [{ name: "greet", description: "Greets" }] },
      denied: { deny: "never" },
      allowed: undefined,
      greeted: "hi you",
      printed: ["thinking"],
      isGuard: true,
    });
  }).timeout(30_000);

  it("long messages of any characters come back whole, however many wait", async () => {
    const here = await setting();
    await here.write("echo/index.mjs", "export default { afterCommand: ({ outcome }) => ({ replace: outcome }) };");
    const plugin = await loaded(await only(here.find()), here);
    const texts = ["ü", "漢", "🙂", "x"].map((text) => text.repeat(150_001));
    const answers = texts.map((outcome) => plugin.call("afterCommand", { outcome }, never));
    const echoed = await Promise.all(answers);
    await plugin.close();
    const expected = texts.map((replace) => ({ replace }));
    assert.deepEqual(echoed, expected);
  }).timeout(30_000);

  it("plugins with the same files start together", async () => {
    const here = await setting();
    const names = Array.from({ length: 10 }, (_, index) => `same-${index}`);
    for (const name of names)
      await here.write(`${name}/index.mjs`, "export default { beforeCommand: () => ({ add: 'here' }) };");
    const plugins = await Promise.all((await here.find()).map((plugin) => loaded(plugin, here)));
    const answers = await Promise.all(plugins.map((plugin) => plugin.call("beforeCommand", {}, never)));
    await Promise.all(plugins.map((plugin) => plugin.close()));
    assert.deepEqual(
      answers,
      names.map(() => ({ add: "here" })),
    );
  }).timeout(60_000);

  it("a plugin notices the end of its call, whenever it looks at the signal", async () => {
    const here = await setting();
    const index = `let seen = 0;
export default {
  beforeThinking: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => seen++)),
  afterReply: (_, context) => new Promise(() => setTimeout(() => { if (context.signal.aborted) seen++; }, 300)),
  beforeCommand: () => ({ add: String(seen) }),
};`;
    await here.write("watcher/index.mjs", index);
    const plugin = await loaded(await only(here.find()), here);
    await plugin.call("beforeCommand", {}, never);
    const ended = AbortSignal.timeout(100);
    const calls = (["beforeThinking", "afterReply"] as const).map((hook) => plugin.call(hook, {}, ended));
    await Promise.allSettled(calls);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const noticed = await plugin.call("beforeCommand", {}, never);
    await plugin.close();
    assert.deepEqual(noticed, { add: "2" });
  }).timeout(30_000);

  it("each change of a file, its name or its permissions is another version, and the user sees which file it was", async () => {
    const here = await setting();
    const index = await here.write("one/index.mjs", GUARD);
    const versions = [await only(here.find())];
    await appendFile(index, "\n");
    versions.push(await only(here.find()));
    await here.write("one/lib/more.mjs", "");
    versions.push(await only(here.find()));
    await chmod(index, 0o700);
    versions.push(await only(here.find()));
    const shown = versions.map(({ consent }) => consent?.shown.split("\n").length);
    const hashes = new Set(versions.map(({ consent }) => consent?.hash));
    assert.deepEqual({ count: hashes.size, shown }, { count: 4, shown: [1, 1, 2, 2] });
  }).timeout(30_000);

  it("a plugin runs from a copy of what was allowed, and one that changed since isn't started", async () => {
    const here = await setting();
    const index = await here.write("one/index.mjs", 'export default { report: () => ({ from: "old" }) };');
    const found = await only(here.find());
    const first = await loaded(found, here);
    const said = [await first.call("report", {}, never)];
    await writeFile(index, 'export default { report: () => ({ from: "new" }) };');
    await first.close();
    said.push(await first.call("report", {}, never));
    await first.close();
    const [hash = ""] = await readdir(join(here.root, "storage", "copies"));
    await writeFile(
      join(here.root, "storage", "copies", hash, "index.mjs"),
      "export default { report: () => ({ from: 'swapped' }) };",
    );
    said.push(await first.call("report", {}, never).catch((error: Error) => error.message));
    await first.close();
    assert.deepEqual(said, [{ from: "old" }, { from: "old" }, "its files have changed since you allowed it"]);
  }).timeout(30_000);

  const BAD: Readonly<Record<string, readonly [(here: Setting) => Promise<unknown>, string]>> = {
    "a manifest that isn't JSON": [
      async ({ write }) => [await write("bad/index.mjs", GUARD), await write("bad/plugin.json", "{")],
      "plugins.folder.badManifest",
    ],
    "a manifest of another form": [
      async ({ write }) => [await write("bad/index.mjs", GUARD), await write("bad/plugin.json", '{"hooks":"all"}')],
      "plugins.folder.badManifest",
    ],
    "a missing index": [({ write }) => write("bad/plugin.json", "{}"), "plugins.folder.noIndex"],
    "an index without hooks": [({ write }) => write("bad/index.mjs", "export default {}"), "plugins.folder.noHooks"],
    "a link that leads out": [
      async ({ write }) => makeLink("/etc/passwd", join(await write("bad/index.mjs", GUARD), "..", "data")),
      "plugins.folder.link",
    ],
    "a plugin that is a link": [
      async ({ root, workspace, write }) => {
        await write("../../other/index.mjs", GUARD);
        await mkdir(join(workspace, ".autogpt", "plugins"), { recursive: true });
        await cp(join(workspace, "other"), join(root, "elsewhere"), { recursive: true });
        await makeLink(join(root, "elsewhere"), join(workspace, ".autogpt", "plugins", "bad"));
      },
      "plugins.folder.link",
    ],
    "too much": [
      async ({ write }) => truncate(await write("bad/index.mjs", GUARD), 60_000_000),
      "plugins.folder.tooLarge",
    ],
    "too many files": [
      async ({ write }) => {
        const index = await write("bad/index.mjs", GUARD);
        for (let count = 0; count < 2001; count++) await writeFile(join(index, "..", `${count}`), "");
      },
      "plugins.folder.tooMany",
    ],
    "an odd name": [({ write }) => write("bad name/index.mjs", GUARD), "plugins.folder.badName"],
  };

  for (const [what, [make, code]] of Object.entries(BAD))
    it(`${what} is a problem that is named, and nothing else`, async () => {
      const here = await setting();
      await make(here);
      const { problem } = await only(here.find());
      assert.equal(typeof problem === "object" && problem.code, code);
    }).timeout(30_000);

  it("a plugin that throws while loading is reported once and never tried again", async () => {
    const here = await setting();
    await here.write("bad/index.mjs", 'throw new Error("no key"); export default { report: () => {} };');
    const notices: Sentence[] = [];
    const plugin = await loaded(await only(here.find()), here, notices);
    const said = [];
    for (let round = 0; round < 2; round++)
      said.push(await plugin.call("report", {}, never).catch((error: Error) => error.message));
    await plugin.close();
    assert.deepEqual(
      { said, notices: notices.map((text) => typeof text === "object" && text.parameters) },
      { said: ["no key", "no key"], notices: [{ name: "bad", why: "no key" }] },
    );
  }).timeout(30_000);

  it("a plugin can't read or write files, start programs or see our environment, and its prints are kept in its log", async () => {
    const here = await setting();
    await here.write(
      "curious/index.mjs",
      `import fs from "node:fs";
       import { spawnSync } from "node:child_process";
       const works = (act) => { try { return act() !== undefined; } catch { return false; } };
       export default { report: () => { console.log("a line"); return {
         read: works(() => fs.readFileSync("/etc/passwd")),
         self: works(() => fs.readFileSync(new URL(import.meta.url))),
         written: works(() => fs.writeFileSync("/tmp/autogpt-written", "x") ?? 1),
         own: works(() => fs.writeFileSync(new URL(import.meta.url), "x") ?? 1),
         started: works(() => spawnSync("/bin/true").status === 0 || undefined),
         killed: works(() => process.kill(process.ppid, 0) || undefined),
         names: Object.keys(process.env).filter((name) => /KEY|TOKEN|SECRET/.test(name)),
       }; } };`,
    );
    const plugin = await loaded(await only(here.find()), here);
    const answer = await plugin.call("report", {}, never);
    await plugin.close();
    const log = await readFile(join(here.root, "run", "plugins", "curious.log"), "utf8");
    const nothing = { read: false, written: false, own: false, started: false, killed: false, names: [] };
    assert.deepEqual({ answer, log }, { answer: { ...nothing, self: true }, log: "a line\n" });
  }).timeout(30_000);
});
