import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { tempFolders } from "../support/temp-folders.ts";

const tempFolder = tempFolders();
const SUPPORT = join(import.meta.dirname, "../support/mcp-servers.ts");
const TIMES = 20;

/** A host that calls a slow tool of a server that ignores the end of its input. */
const HOST = `
import { mcpParts, npmServer } from ${JSON.stringify(SUPPORT)};
const { pool, server } = mcpParts(process.argv[1]);
const link = pool.link(server("s", npmServer("everything", "stdio")), process.argv[1]);
await link.ready();
const tool = link.tools.find(({ name }) => name === "trigger-long-running-operation");
const { signal } = new AbortController();
void link.call({ tool, args: { duration: 60, steps: 60 }, run: "r", signal, output: () => console.log("calls") });
`;

/** Running processes with a text in their environment. */
function withMark(mark: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      return !/\) [ZX]/.test(stat) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
    } catch {
      return false;
    }
  });
}

describe("MCP servers of a host that is killed", function () {
  this.timeout(180_000);

  it(`are gone five seconds later, ${TIMES} times during a call`, async function () {
    if (process.platform !== "linux") this.skip();
    const left: number[] = [];
    const calls: number[] = [];
    const folder = await tempFolder();
    for (let round = 0; round < TIMES; round++) {
      const home = join(folder, String(round));
      // Servers keep HOME, so it finds them whatever they call themselves.
      const env = { ...process.env, HOME: home };
      const host = spawn(process.execPath, ["--input-type=module", "-e", HOST, folder], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(host.stdout, "data");
      calls.push(withMark(`HOME=${home}\0`).length);
      host.kill("SIGKILL");
      const until = performance.now() + 5_000;
      while (withMark(`HOME=${home}\0`).length > 0 && performance.now() < until) await wait(20);
      left.push(withMark(`HOME=${home}\0`).length);
    }

    const most = Math.max(...left);

    assert.deepEqual([most, calls.every((count) => count > 1)], [0, true]);
  });
});
