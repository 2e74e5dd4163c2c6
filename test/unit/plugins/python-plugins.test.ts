import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { strToU8, type Zippable, zipSync } from "fflate";
import type { FoundPlugin, LoadedPlugin } from "../../../src/plugins/plugin.ts";
import { createPythonPluginSource } from "../../../src/plugins/python/python-plugins.ts";
import type { HookName } from "../../../src/schema/plugin-values.ts";
import type { Settings } from "../../../src/schema/settings.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { pluginPlace, pluginRun } from "../../support/plugin-runs.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const BRIDGE = join(import.meta.dirname, "../../../src/plugins/python/classic_bridge.py");
const FIXTURE = join(import.meta.dirname, "../../fixtures/classic_plugin");
const FIXTURE_FILE = join(FIXTURE, "__init__.py");
const NEVER = new AbortController().signal;

const CALL = { step: 1, command: "read_file", args: { filename: "a.txt" } };
const THOUGHTS = { text: "", reasoning: "", plan: [], criticism: "", speak: "" };

/** An interpreter of a version on this machine, if there is one. */
function pythonOf(version: string): string | undefined {
  const own = globSync(join(homedir(), `.pyenv/versions/${version}.*/bin/python`));
  return [...own, `/usr/bin/python${version}`, `/usr/local/bin/python${version}`].find((path) => existsSync(path));
}

describe("classic Python plugins", function () {
  this.timeout(30_000);
  const temporary = tempFolders();

  interface Placed {
    readonly root: string;
    readonly plugins: readonly FoundPlugin[];
    find(isTrusted?: boolean): Promise<readonly FoundPlugin[]>;
    /** Sets the interpreter. */
    use(path: string): void;
  }

  /** Writes files below a workspace and a folder of the user's, and finds the plugins. */
  async function placed(files: Readonly<Record<string, string | Uint8Array>>): Promise<Placed> {
    const root = await temporary();
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    }
    const storage = join(root, "storage");
    let interpreter = "";
    const source = createPythonPluginSource({
      classicBridge: BRIDGE,
      userFolder: join(root, "user"),
      storage,
      named: [],
      findPythonInterpreter: async () => interpreter,
    });
    const use = (path: string): void => {
      interpreter = path;
    };
    const find = (isTrusted = true): Promise<readonly FoundPlugin[]> =>
      source.find({ ...pluginPlace(join(root, "work")), isTrusted });
    await mkdir(join(root, "work"), { recursive: true });
    return { root, plugins: await find(), find, use };
  }

  const loaded: LoadedPlugin[] = [];
  afterEach(async () => {
    await Promise.all(loaded.splice(0).map((plugin) => plugin.close()));
  });

  async function load(
    { root, plugins, use }: Placed,
    config: Settings["plugins"]["config"] = {},
    interpreter = "",
  ): Promise<LoadedPlugin> {
    const [found] = plugins;
    assert.ok(found);
    use(interpreter);
    const plugin = await found.load(pluginRun(join(root, "work"), { config }).run);
    loaded.push(plugin);
    return plugin;
  }

  /** The message of the error with which a plugin isn't loaded. */
  async function whyNot(where: Placed, interpreter = ""): Promise<string> {
    return load(where, {}, interpreter).then(
      () => "it was loaded",
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }

  const fixture = async (): Promise<Placed> =>
    placed({ "user/classic_plugin/__init__.py": await readFile(FIXTURE_FILE) });

  it("are found in folders and zips of the user and of a trusted workspace, and are off at first", async () => {
    const text = await readFile(FIXTURE_FILE);
    const zip = zipSync({ "repo-main/src/in_zip/__init__.py": text, "repo-main/README.md": strToU8("Hi.") });
    const where = await placed({
      "user/mine/__init__.py": text,
      "user/mine/__pycache__/x.pyc": "1",
      "work/.autogpt/plugins/package.zip": zip,
      "work/.autogpt/plugins/modern/index.mjs": "",
    });
    const shown = (plugins: readonly FoundPlugin[]): object[] =>
      plugins.map(({ id, from, isOptional, consent }) => ({ id, from, isOptional, shown: consent?.shown }));
    assert.deepEqual(
      { trusted: shown(where.plugins), untrusted: shown(await where.find(false)).length },
      {
        trusted: [
          { id: "mine", from: "user", isOptional: true, shown: "__init__.py" },
          {
            id: "in_zip",
            from: "workspace",
            isOptional: true,
            shown: "package.zip:\nrepo-main/README.md\nrepo-main/src/in_zip/__init__.py",
          },
        ],
        untrusted: 1,
      },
    );
  });

  it("need a new consent after any change of a file", async () => {
    const where = await fixture();
    const hashes = [where.plugins[0]?.consent?.hash];
    for (const content of ["1", "2", "1"]) {
      await writeFile(join(where.root, "user/classic_plugin/data.txt"), content);
      hashes.push((await where.find())[0]?.consent?.hash);
    }
    assert.deepEqual(
      hashes.map((hash) => hashes.indexOf(hash)),
      [0, 1, 2, 1],
    );
  });

  it("don't run when they have changed since", async () => {
    const where = await fixture();
    await writeFile(join(where.root, "user/classic_plugin/__init__.py"), "open('hacked', 'w')");
    assert.deepEqual(
      { why: await whyNot(where), files: await readdir(join(where.root, "work")) },
      {
        why: "Its files have changed since you allowed them. Look at them again with AutoGPT: Tools and Plugins.",
        files: [],
      },
    );
  });

  it("run from a copy, so that a change during the run has no effect", async () => {
    const where = await fixture();
    const plugin = await load(where);
    await plugin.close();
    const copies = join(where.root, "storage/python-plugins");
    const [copy = ""] = await readdir(copies);
    await cp(FIXTURE_FILE, join(copies, copy, "more.py"));
    await plugin.call("report", { text: "" }, NEVER);
    assert.deepEqual(await readdir(join(copies, copy)), ["__init__.py"]);
  });

  it("have every classic hook", async () => {
    const plugin = await load(await fixture());
    const hooks: readonly HookName[] = [
      "offer",
      "beforeThinking",
      "afterReply",
      "beforeCommand",
      "afterCommand",
      "beforeDelegate",
      "afterDelegate",
      "model",
      "embedder",
      "answer",
      "report",
    ];
    assert.deepEqual(plugin.hooks, hooks);
  });

  it("answer every hook", async () => {
    const plugin = await load(await fixture());
    const offer = { task: "T", name: "N", role: "R", goals: ["G"], commands: [] };
    const calls: readonly (readonly [HookName, object])[] = [
      ["offer", offer],
      ["beforeThinking", { step: 1, goals: ["G"], plan: [], outcome: "" }],
      ["afterReply", { ...CALL, thoughts: THOUGHTS }],
      ["afterReply", { ...CALL, command: "write_to_file", args: { contents: "teh end" }, thoughts: THOUGHTS }],
      ["beforeCommand", { ...CALL, effect: "read", touches: [], hosts: [], hash: "" }],
      ["afterCommand", { ...CALL, status: "done", outcome: "It's empty.", files: [] }],
      ["beforeDelegate", { name: "A", task: "Find out." }],
      ["afterDelegate", { name: "A", answer: "Found." }],
      ["model", { messages: [{ role: "user", content: "Hi." }] }],
      ["embedder", { texts: ["a", "bcd"] }],
      ["answer", { question: "Which color?" }],
      ["report", { text: "Said." }],
    ];
    const answers: object[] = [];
    for (const [hook, payload] of calls) answers.push([hook, await plugin.call(hook, payload, NEVER)]);
    const word = { type: "string", description: "<word>" };
    assert.deepEqual(answers, [
      [
        "offer",
        {
          commands: [
            {
              name: "count_letters",
              description: "Count the letters of a word",
              parameters: { type: "object", properties: { word }, required: ["word"] },
            },
            {
              name: "seen_reports",
              description: "Show what was reported",
              parameters: { type: "object", properties: {}, required: [] },
            },
            {
              name: "read_variable",
              description: "Read a variable",
              parameters: {
                type: "object",
                properties: { name: { type: "string", description: "<name>" } },
                required: ["name"],
              },
            },
          ],
          constraints: ["Write no poems."],
          resources: ["A plugin with every hook."],
          bestPractices: ["Prefer short words."],
        },
      ],
      ["beforeThinking", { note: "There are 3 commands and 2 messages." }],
      ["afterReply", {}],
      ["afterReply", { command: "write_to_file", args: { contents: "the end" } }],
      ["beforeCommand", { args: { filename: "b.txt" } }],
      ["afterCommand", { replace: "It's empty.\nChecked by the plugin." }],
      ["beforeDelegate", { replace: "Find out.\nBe brief." }],
      ["afterDelegate", { replace: "FOUND.\nSEEN ON THE WAY." }],
      ["model", { text: "You said: Hi." }],
      [
        "embedder",
        {
          vectors: [
            [1, 1],
            [3, 1],
          ],
        },
      ],
      ["answer", { answer: "Blue." }],
      ["report", {}],
    ]);
  });

  it("run their commands, also after their process was started again", async () => {
    const plugin = await load(await fixture());
    const run = (name: string, args: object) =>
      plugin.run?.(name, { ...args }, { signal: NEVER, output: () => undefined });
    const before = await run("count_letters", { word: "cat" });
    await plugin.call("report", { text: "Said." }, NEVER);
    const reports = await run("seen_reports", {});
    await plugin.close();
    const after = await run("seen_reports", {});
    assert.deepEqual({ before, reports, after }, { before: "cat has 3 letters.", reports: '["Said."]', after: "[]" });
  });

  it("see only the variables that the user named or set for them", async () => {
    process.env.CLASSIC_TEST_SECRET = "lent";
    process.env.CLASSIC_TEST_OTHER = "kept";
    const plugin = await load(await fixture(), {
      classic_plugin: { env: ["CLASSIC_TEST_SECRET"], CLASSIC_TEST_MODE: "quiet", other: "x" },
    });
    const names = ["CLASSIC_TEST_SECRET", "CLASSIC_TEST_OTHER", "CLASSIC_TEST_MODE", "other"];
    const values: unknown[] = [];
    for (const name of names)
      values.push(await plugin.run?.("read_variable", { name }, { signal: NEVER, output: () => undefined }));
    assert.deepEqual(values, ["lent", "null", "quiet", "null"]);
  });

  it("that can't be imported say why, and the others are loaded", async () => {
    const where = await placed({
      "user/bad/__init__.py": "import no_such_module  # can_handle_post_prompt",
      "user/good/__init__.py": await readFile(FIXTURE_FILE),
    });
    const good = where.plugins.find(({ id }) => id === "good");
    assert.ok(good);
    const both = [await whyNot(where), (await load({ ...where, plugins: [good] })).id];
    assert.deepEqual(both, ["ModuleNotFoundError: No module named 'no_such_module'", "good"]);
  });

  it("say that Python is missing", async () => {
    const why = await whyNot(await fixture(), "/no/such/python");
    assert.equal(
      why,
      "It needs Python 3.8 or later, which wasn't found. Install it, or name it in autogpt.python.interpreter.",
    );
  });

  for (const version of ["2.7", "3.6", "3.7"])
    it(`say that Python ${version} is too old`, async function () {
      const interpreter = pythonOf(version) ?? this.skip();
      const why = await whyNot(await fixture(), interpreter);
      assert.match(why, new RegExp(`^It needs Python 3.8 or later, and .+ is Python ${version}[.]\\d+[.] Name`));
    });

  for (const version of ["3.8", "3.9", "3.10", "3.12", "3.13", "3.14"])
    it(`run in Python ${version}`, async function () {
      const interpreter = pythonOf(version) ?? this.skip();
      const plugin = await load(await fixture(), {}, interpreter);
      assert.equal(plugin.hooks.length, 11);
    });

  it("made with the template's package from PyPI run as they are", async function () {
    this.timeout(90_000);
    const home = await temporary();
    const names = ["auto-gpt-plugin-template==0.0.3", "autogpt-plugins==0.0.2", "abstract-singleton"];
    const args = ["-m", "pip", "install", "--quiet", "--no-input", "--target", join(home, "packages"), ...names];
    try {
      await promisify(execFile)("python3", args, { timeout: 60_000 });
    } catch {
      // Without a package index, there is nothing to try.
      this.skip();
    }
    const packages = join(home, "packages");
    const ofPackage = `${await readFile(FIXTURE_FILE, "utf8")}\nassert AutoGPTPluginTemplate.__abstractmethods__\n`;
    const where = await placed({
      "user/classic_plugin/__init__.py": ofPackage,
      "user/twitter/__init__.py": await readFile(join(packages, "autogpt_plugins/twitter/__init__.py")),
    });
    const config = { classic_plugin: { PYTHONPATH: packages }, twitter: { PYTHONPATH: packages } };
    const twitter = where.plugins.filter(({ id }) => id === "twitter");
    const { hooks } = await load(where, config);
    const skeletonSays = await load({ ...where, plugins: twitter }, config).catch(String);
    assert.deepEqual(
      { hooks: hooks.length, skeletonSays: String(skeletonSays).slice(0, 60) },
      { hooks: 11, skeletonSays: "Error: TypeError: Can't instantiate abstract class Twitter w" },
    );
  });

  for (const [what, name] of [
    ["leads up", "../evil.py"],
    ["leads up on the way", "a/../../evil.py"],
    ["is absolute", "/tmp/evil.py"],
    ["has a drive", "C:/evil.py"],
    ["has backslashes", "..\\evil.py"],
  ] as const)
    it(`aren't unpacked from a zip with a name that ${what}`, async () => {
      const zip = zipSync({ "p/__init__.py": await readFile(FIXTURE_FILE), [name]: strToU8("1") });
      const { plugins } = await placed({ "user/evil.zip": zip });
      assert.deepEqual(
        plugins.map(({ id, problem }) => [id, problem && writeInEnglish(problem)]),
        [["evil", `"${name}" in the zip leads out of its folder, so nothing of it is used. Don't trust this zip.`]],
      );
    });

  it("aren't unpacked from a zip with a link, nor from a damaged one", async () => {
    const link: Zippable = {
      "p/link.py": [strToU8("/etc/passwd"), { os: 3, attrs: (0o120777 << 16) >>> 0 }],
    };
    const { plugins } = await placed({
      "user/damaged.zip": strToU8("PK no zip"),
      "user/link.zip": zipSync({ "p/__init__.py": await readFile(FIXTURE_FILE), ...link }),
      "user/other.zip": zipSync({ "README.md": strToU8("Hi.") }),
    });
    assert.deepEqual(
      plugins.map(({ id, problem }) => [id, problem && writeInEnglish(problem)]),
      [
        ["damaged", "The zip file is damaged. Download it again."],
        [
          "link",
          '"p/link.py" is a link or a special file, so the plugin isn\'t used. Replace it with the file itself.',
        ],
        ["other", "It contains no plugin for classic AutoGPT. Remove it."],
      ],
    );
  });

  it("in a folder aren't used when one of their files is a link", async () => {
    const where = await fixture();
    await makeLink("/etc/passwd", join(where.root, "user/classic_plugin/passwd"));
    assert.deepEqual(
      (await where.find()).map(({ problem }) => problem && writeInEnglish(problem)),
      ['"passwd" is a link or a special file, so the plugin isn\'t used. Replace it with the file itself.'],
    );
  });
});
