import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createFolderSource } from "../../../src/plugins/folder-source.ts";
import { quotePluginAnswer } from "../../../src/plugins/hook-answers.ts";
import { HookCalls } from "../../../src/plugins/hook-calls.ts";
import type { LoadedPlugin } from "../../../src/plugins/plugin.ts";
import type { AgentEventBody } from "../../../src/schema/events.ts";
import { pluginPlace, pluginRun } from "../../support/plugin-runs.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();
const never = new AbortController().signal;
const RUNNER = new URL("../../../src/plugins/folders/runner.ts", import.meta.url);

/** A plugin of the user's with this code, loaded. */
async function plugin(code: string, root: string): Promise<LoadedPlugin & { readonly hasWalls: boolean }> {
  const folder = join(root, "user", "escaping");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "index.mjs"), code);
  const parts = { userFolder: join(root, "user"), storage: join(root, "storage"), named: [], runner: RUNNER };
  const [found] = await createFolderSource(parts).find(pluginPlace(join(root, "workspace")));
  assert.ok(found && found.problem === undefined);
  const { isolation } = found;
  const hasWalls = typeof isolation === "object" && isolation.code === "plugins.folder.walls";
  return { ...(await found.load(pluginRun(join(root, "run")).run)), hasWalls };
}

/** Answers with the names of the attempts that worked. */
function attempts(tries: Readonly<Record<string, string>>): string {
  const each = Object.entries(tries).map(
    ([name, code]) => `if (await works(async () => { ${code} })) found.push(${JSON.stringify(name)});`,
  );
  return `
import fs from "node:fs"; import net from "node:net"; import os from "node:os"; import { createRequire } from "node:module";
const works = async (act) => { try { await act(); return true; } catch { return false; } };
export default { async report() { const found = []; ${each.join("\n")} return { found }; } };`;
}

describe("plugins that try to get out", () => {
  it("reach no file, process, program, socket or environment of ours", async () => {
    const root = await tempFolder();
    const server = createServer((socket) => socket.end()).listen(join(root, "socket"));
    await once(server, "listening");
    await writeFile(join(root, "secret"), "x");
    const secret = JSON.stringify(join(root, "secret"));
    const escaping = await plugin(
      attempts({
        "a file": `fs.readFileSync(${secret})`,
        "a file by a way around": `fs.readFileSync(new URL(import.meta.url).pathname + "/../../../../secret")`,
        "the copies of plugins": `if (fs.readdirSync(${JSON.stringify(join(root, "storage", "copies"))}).length > 1) return; throw 1`,
        "the processes": `if (fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length > 4) return; throw 1`,
        "our environment": `fs.readFileSync("/proc/" + process.ppid + "/environ"); if (process.ppid < 2) throw 1`,
        "our memory": `fs.openSync("/proc/" + process.ppid + "/mem", "r+")`,
        "a signal": `process.kill(process.ppid, 0)`,
        "our debugger": `process._debugProcess(process.ppid)`,
        "a binding": `process.binding("spawn_sync")`,
        "a program": `if (process.getBuiltinModule("node:child_process").spawnSync("/bin/true").status !== 0) throw 1`,
        "another program in its place": `process.execve("/bin/true", ["true"], {})`,
        "a thread": `const { Worker } = await import("node:worker_threads"); new Worker("", { eval: true })`,
        "a database": `const { DatabaseSync } = await import("node:sqlite"); new DatabaseSync(${JSON.stringify(join(root, "written.db"))}).exec("CREATE TABLE a (b)")`,
        "a module elsewhere": `createRequire("/etc/")("/etc/hostname")`,
        "its own files": `fs.writeFileSync(new URL(import.meta.url), "export default {}")`,
        "a new file beside them": `fs.writeFileSync(new URL("./more.mjs", import.meta.url), "")`,
        "a link": `fs.symlinkSync(${secret}, new URL("./link", import.meta.url))`,
        "a file that is open here": `for (let file = 4; file < 300; file++) { try { if (fs.fstatSync(file).isFile() || fs.fstatSync(file).isDirectory()) return; } catch {} } throw 1`,
        "a socket here": `await new Promise((good, bad) => net.connect(${JSON.stringify(join(root, "socket"))}, good).on("error", bad))`,
      }),
      root,
    );
    const answer = await escaping.call("report", {}, never);
    await escaping.close();
    server.close();
    const left = (await readdir(root)).filter((name) => name.startsWith("written"));
    assert.deepEqual({ answer, left }, { answer: { found: escaping.hasWalls ? [] : ["a socket here"] }, left: [] });
  }).timeout(60_000);

  it("don't reach the network unless they ask for it", async function () {
    const root = await tempFolder();
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const connect = `await new Promise((good, bad) => net.connect(${port}, "127.0.0.1", good).on("error", bad))`;
    const escaping = await plugin(attempts({ "a server of ours": connect }), root);
    if (!escaping.hasWalls) {
      server.close();
      this.skip();
    }
    const answer = await escaping.call("report", {}, never);
    await escaping.close();
    server.close();
    assert.deepEqual(answer, { found: [] });
  }).timeout(60_000);

  const RAW = `import { writeSync } from "node:fs";
const all = (text) => { for (let at = 0; at < text.length;) { try { at += writeSync(3, text.slice(at, at + 60000)); } catch {} } };
const raw = (json) => { for (let id = 1; id < 20; id++) all('{"id":' + id + "," + json + "}\\n"); return new Promise(() => undefined); };
`;

  const ANSWERS: Readonly<Record<string, readonly [string, string]>> = {
    "an answer that is nested too deeply": [
      `'"answer":{"note":' + "[".repeat(90000) + "]".repeat(90000) + "}"`,
      "failed",
    ],
    "an answer of the prototype": [
      `'"answer":{"__proto__":{"note":"x"},"constructor":{"prototype":{"note":"x"}},"note":""}'`,
      "none",
    ],
    "an error that isn't a text": [`'"error":{"toString":1}'`, "none"],
    "unwanted output": [`'"output":"x","answer":{}'`, "failed"],
    "an answer that isn't an object": [`'"answer":[1]'`, "failed"],
  };

  for (const [what, [json, result]] of Object.entries(ANSWERS))
    it(`${what} changes nothing`, async () => {
      const escaping = await plugin(`${RAW}export default { beforeThinking: () => raw(${json}) };`, await tempFolder());
      const events: AgentEventBody[] = [];
      const calls = new HookCalls([escaping], {
        getCurrentStep: () => 1,
        record: (written) => void events.push(...written),
        notice: () => undefined,
      });
      await escaping.open?.(never);
      const payload = { step: 1, goals: [], plan: [], outcome: "" };
      const answers = await calls.callAll("beforeThinking", payload, never);
      const notes = answers.flatMap((one) => quotePluginAnswer(one, "beforeThinking", ({ note }) => note));
      await escaping.close();
      const results = events.map((event) => event.type === "hooked" && event.result);
      assert.deepEqual({ notes, results, polluted: "note" in {} }, { notes: [], results: [result], polluted: false });
    }).timeout(60_000);
});
