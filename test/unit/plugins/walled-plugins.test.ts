import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { completeProfile } from "../../../src/core/prompt/profile.ts";
import { WORKERS } from "../../../src/headless/workers.ts";
import { removeTree } from "../../../src/isolation/copy/remove-copy.ts";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { findSandboxTool } from "../../../src/node/sandbox/sandbox.ts";
import { PluginCatalog } from "../../../src/plugins/catalog.ts";
import { createCommandHooks } from "../../../src/plugins/command-hooks/command-hooks.ts";
import { McpSource } from "../../../src/plugins/mcp/mcp-source.ts";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import { beginRun, openRun } from "../../../src/runtime/compose-run.ts";
import type { Host } from "../../../src/runtime/host.ts";
import { createNodeIsolation } from "../../../src/runtime/isolated/node-isolation.ts";
import type { Settings } from "../../../src/schema/settings.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { mcpParts } from "../../support/mcp-servers.ts";
import { ofType } from "../../support/rehearsal.ts";
import { sampleOwner } from "../../support/sample-run.ts";
import { TEST_SETTINGS, testHost } from "../../support/test-host.ts";

const TASK = "Tidy up.";
const FINISH = says("task_complete", { reason: "Done." });
const SERVER = join(import.meta.dirname, "../../fixtures/mcp-server.mjs");

type Answers = ConstructorParameters<typeof FakeModel>[0];

const hook = (event: string, command: string) => ({ [event]: [{ hooks: [{ type: "command", command }] }] });
const write = (filename: string, contents: string) => says("write_to_file", { filename, contents });

describe("plugins of a run with walls", function () {
  this.timeout(60_000);
  const tops: string[] = [];
  before(async function () {
    if ((await findWalls("auto")).engine !== "bubblewrap" || (await findSandboxTool()).kind !== "bubblewrap")
      this.skip();
  });
  after(async () => {
    await Promise.all(tops.map(removeTree));
  });

  /** A workspace with these files below one folder, and a host that allows all of its plugins and calls. */
  async function placeOf(files: Readonly<Record<string, string>>, more: Partial<Settings> = {}) {
    // Not in /tmp, which is private within the walls.
    const top = await mkdtemp(join(process.env.HOME ?? "/var/tmp", ".autogpt-walled-plugins-"));
    tops.push(top);
    const [folder, home, data] = ["app", "home", "data"].map((name) => join(top, name)) as [string, string, string];
    const marker = join(top, "marker");
    for (const [name, text] of Object.entries({
      "app/note.txt": "old\n",
      "home/x": "",
      "data/x": "",
      ...files,
    })) {
      await mkdir(dirname(join(top, name)), { recursive: true });
      await writeFile(join(top, name), text.replaceAll("$MARKER", marker).replaceAll("$TOP", top));
      if (text.startsWith("#!")) await chmod(join(top, name), 0o755);
    }
    const { host: mcp } = mcpParts(data);
    const source = new McpSource(mcp);
    const hooks = createCommandHooks({ home, storage: data });
    const catalog = new PluginCatalog([hooks, source], mcp.consents, "commandLine");
    const settings = JSON.parse(JSON.stringify({ ...TEST_SETTINGS, ...more }).replaceAll("$TOP", top)) as Settings;
    for (const { plugin } of await catalog.list({ folder, isTrusted: true, settings }))
      await catalog.answer(plugin, folder, true);
    const notices: string[] = [];
    const hostFor = (model: FakeModel): Host => {
      const base = testHost({
        ...{ data, models: { smart: model, fast: model }, settings, plugins: catalog },
        approver: {
          ...{ isPresent: false, isPatient: false, findUser: () => undefined, listRules: () => [] },
          createApprover: () => ({
            decide: async () => ({ decision: { allow: true }, by: "user", reason: "The user allowed it." }),
          }),
        },
      });
      const log = {
        ...base.log,
        notice: (_run: string, text: Parameters<typeof writeInEnglish>[0]) => void notices.push(writeInEnglish(text)),
      };
      return { ...base, log, isolation: createNodeIsolation(WORKERS.copy) };
    };
    /** Runs these answers, then, in a resumed run, those. */
    const run = async (mode: "isolated" | "ask", answers: Answers, later?: Answers) => {
      const model = new FakeModel(answers);
      const host = hostFor(model);
      const profile = completeProfile(TASK);
      const models = { smart: model, fast: model };
      const made = await beginRun(host, { task: TASK, profile, folder, settings, models, mode });
      made.live.resume();
      await made.live.end;
      const copied = await readFile(join(made.isolation?.copy.folders[0]?.path ?? folder, "note.txt"), "utf8");
      const copies = (await readdir(made.isolation?.copy.folders[0]?.path ?? folder)).filter(
        (name) => !name.startsWith("."),
      );
      await made.dispose();
      const open = () => createRunStoreForHomes([join(folder, ".autogpt")], sampleOwner()).open(made.id);
      if (later) {
        const again = await openRun(hostFor(new FakeModel(later)), await open());
        assert.ok(again.live);
        await again.live.say("Go on.");
        again.live.resume();
        await again.live.end;
        await again.dispose();
      }
      await source.close();
      const { events } = await open();
      return {
        events,
        outcomes: ofType(events, "ended").map(({ outcome }) => outcome),
        notices,
        copied,
        copies,
      };
    };
    return { top, folder, marker, run, isMarked: () => existsSync(marker) };
  }

  const trusted: Partial<Settings> = { shell: { ...TEST_SETTINGS.shell, sandbox: "trusted" } };

  for (const [what, command, planted] of [
    [
      "a manifest",
      "npm --prefix tools run --silent fmt",
      write("tools/package.json", '{"scripts":{"fmt":"touch $MARKER"}}'),
    ],
    ["a Makefile", "make -s -C tools", write("tools/Makefile", "all:\n\ttouch $MARKER\n")],
    ["a module", "python3 -m tools.fmt", write("tools/fmt.py", "open('$MARKER', 'w')")],
    ["a program", "for f in tools/*; do sh $f; done", write("tools/a", "touch $MARKER")],
  ] as const)
    for (const mode of ["isolated", "ask"] as const)
      it(`keep a hook of the user's within them that runs ${what} which the run wrote (${mode})`, async () => {
        const settings = JSON.stringify({ hooks: hook("PostToolUse", command) });
        const place = await placeOf({ "home/.claude/settings.json": settings }, mode === "ask" ? trusted : {});
        const answer = JSON.parse(JSON.stringify(planted).replaceAll("$MARKER", place.marker)) as typeof planted;

        await place.run(mode, [answer, FINISH]);

        assert.equal(place.isMarked(), false);
      });

  it("let a hook of the user's home format the files of the copy, with its own script and variables", async () => {
    const settings = JSON.stringify({
      hooks: hook("PostToolUse", "python3 ~/.claude/hooks/fmt.py".replace("~", "$TOP/home")),
    });
    const script =
      "import os, sys, json\njson.load(sys.stdin)\nopen(os.environ['CLAUDE_PROJECT_DIR'] + '/note.txt', 'a').write('formatted\\n')\n";
    const place = await placeOf({
      "home/.claude/settings.json": settings,
      "home/.claude/hooks/fmt.py": script,
    });

    const { copied, notices } = await place.run("isolated", [write("note.txt", "new\n"), FINISH]);

    assert.deepEqual(
      {
        copied,
        notices,
        own: await readFile(join(place.folder, "note.txt"), "utf8"),
      },
      { copied: "new\nformatted\n", notices: [], own: "old\n" },
    );
  });

  it("keep hooks within them that act for an agent of the run", async () => {
    const settings = JSON.stringify({ hooks: hook("PostToolUse", "for f in tools/*; do sh $f; done; true") });
    const place = await placeOf({ "home/.claude/settings.json": settings });
    const planted = write("tools/a", `touch ${place.marker}; touch ran`);
    const start = { name: "helper", task: "Write it.", commands: ["write_to_file"] };

    const { copies, outcomes } = await place.run("isolated", [
      says("start_agent", start),
      planted,
      FINISH,
      FINISH,
      FINISH,
    ]);

    assert.deepEqual(
      { copies, isMarked: place.isMarked(), first: outcomes[0]?.status },
      { copies: ["note.txt", "tools"], isMarked: false, first: "done" },
    );
  });

  it("find the system's programs outside, whatever the search path leads to", async () => {
    const place = await placeOf({}, trusted);
    const before = process.env.PATH;
    process.env.PATH = `${place.folder}/bin:${before}`;
    const plant = `mkdir -p bin; printf '#!/bin/sh\ntouch ${place.marker}\n' > bin/rm; chmod +x bin/rm`;

    await place.run("ask", [
      says("execute_shell", { command_line: plant }),
      says("execute_shell", { command_line: "true" }),
      FINISH,
    ]);
    process.env.PATH = before;

    assert.deepEqual(
      { isPlanted: existsSync(join(place.folder, "bin/rm")), isMarked: place.isMarked() },
      { isPlanted: true, isMarked: false },
    );
  });

  it("let a guard refuse a call, and say where a failed hook ran", async () => {
    const hooks = {
      ...hook("PreToolUse", "grep -q secret && { echo no secrets >&2; exit 2; }; exit 0"),
      ...hook("PostToolUse", "touch $TOP/home/x"),
    };
    const place = await placeOf({ "home/.claude/settings.json": JSON.stringify({ hooks }) });

    const { outcomes, notices } = await place.run("isolated", [write("a.txt", "secret"), write("b.txt", "b"), FINISH]);

    assert.deepEqual(
      {
        statuses: outcomes.map(({ status }) => status),
        hasSaid: notices.some((text) => text.includes("in this run's sandbox")),
      },
      { statuses: ["refused", "done", "finished"], hasSaid: true },
    );
  });

  const ENDS = { tools: [{ name: "end", does: "exit" }, { name: "echo" }] };
  const servers = {
    mcp: { servers: { s: { command: process.execPath, args: ["./server.mjs", "$TOP/played.json"] } } },
  };
  const files = {
    "app/server.mjs": `import ${JSON.stringify(SERVER)};\n`,
    "played.json": JSON.stringify(ENDS),
  };
  const harm = (marker: string) =>
    write("server.mjs", `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(marker)}, "");`);

  for (const mode of ["isolated", "ask"] as const)
    it(`start a server again, also after a resume, with nothing that the run wrote (${mode})`, async () => {
      const place = await placeOf(files, {
        ...servers,
        ...(mode === "ask" ? trusted : {}),
      } as Partial<Settings>);
      const steps = [
        says("s__echo", { a: 1 }),
        harm(place.marker),
        says("s__end", {}),
        says("s__echo", { a: 2 }),
        FINISH,
      ];

      const { outcomes } = await place.run(mode, steps, [says("s__echo", { a: 3 }), FINISH]);

      const echoes = [0, 3, 5].map((at) => outcomes[at]?.status);
      assert.deepEqual(
        { echoes, isMarked: place.isMarked() },
        { echoes: mode === "ask" ? ["done", "failed", "failed"] : ["done", "done", "done"], isMarked: false },
      );
    });

  it("refuse a server a path of the copy", async () => {
    const place = await placeOf(files, servers as Partial<Settings>);
    const inCopy = join(place.top, "data/./copies//x/app/a.js");

    const { outcomes } = await place.run("isolated", [says("s__echo", { a: inCopy }), FINISH]);

    const [first] = outcomes;
    assert.match(first?.status === "failed" ? first.error : "", /can't be given files of the copy/);
  });
});
