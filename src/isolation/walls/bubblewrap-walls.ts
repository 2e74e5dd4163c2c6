import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { findSystemProgram } from "../../node/processes/programs.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { type Bubblewrap, type CopyWalls, canCountByNamespace, createBubblewrapLines } from "./bubblewrap.ts";
import { createSharedNamespaces } from "./namespaces.ts";
import { openRunNetwork } from "./network.ts";
import { probeBubblewrap } from "./probe.ts";
import { SharedByCopy } from "./shared-by-copy.ts";
import { createWalledPrograms } from "./walled-programs.ts";
import type { NoWalls, Walls } from "./walls.ts";

/** Finds bubblewrap with everything that it needs, or returns why it can't be used. */
export async function findBubblewrapWalls(env: NodeJS.ProcessEnv = process.env): Promise<Walls | NoWalls> {
  if (process.platform !== "linux") return createNoWalls(displayText("isolation.walls.otherSystem"));
  const bwrap = findSystemProgram("bwrap", env);
  if (bwrap === undefined) return createNoWalls(displayText("isolation.walls.noBubblewrap"));
  const nsenter = findSystemProgram("nsenter", env);
  if (nsenter === undefined) return createNoWalls(displayText("isolation.walls.noNsenter"));
  const version = await readBubblewrapVersion(bwrap);
  if (!isAtLeast(version, OLDEST))
    return createNoWalls(
      displayText("isolation.walls.oldBubblewrap", {
        version: version.join("."),
        needed: OLDEST.join("."),
      }),
    );
  const tools = { bwrap, nsenter, endsNamespaces: isAtLeast(version, ENDS_NAMESPACES) };
  const proven = await probeBubblewrap(tools, env);
  return "why" in proven
    ? createNoWalls(proven.why)
    : createBubblewrapWalls({ ...tools, hasLayers: proven.hasLayers }, proven.failing);
}

/** The first versions with the options that are used: `--info-fd`, `--chdir` and several filters; `--disable-userns` and `--size`. */
const OLDEST = [0, 4, 0];
const ENDS_NAMESPACES = [0, 8, 0];

function createNoWalls(why: DisplayText | string): NoWalls {
  return { engine: "none", why };
}

async function readBubblewrapVersion(bwrap: string): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)(bwrap, ["--version"], { timeout: 5000 }).catch(() => ({
    stdout: "",
  }));
  return (/(\d+)\.(\d+)\.(\d+)/.exec(stdout)?.slice(1) ?? ["0", "0", "0"]).map(Number);
}

function isAtLeast(version: readonly number[], least: readonly number[]): boolean {
  for (const [index, number] of least.entries()) if (version[index] !== number) return (version[index] ?? 0) > number;
  return true;
}

function createBubblewrapWalls(tool: Bubblewrap, failing: readonly string[]): Walls {
  const byCopy = new SharedByCopy<CopyWalls>(async ({ network, namespaces }) => {
    await network?.close();
    namespaces.close();
  });
  return {
    engine: "bubblewrap",
    limits: { memory: true, processes: canCountByNamespace(), disk: true, time: true },
    hasLayers: tool.hasLayers,
    async createPrograms(copy, options) {
      const { hosts, env = process.env, redact, quotaBytes = Number.MAX_SAFE_INTEGER } = options;
      const walls = byCopy.enter(copy.home, () => openCopyWalls(tool, copy.home, hosts));
      const readable = [join(options.runHome, "code")];
      const lines = createBubblewrapLines(tool, walls.openShared, {
        copy,
        readable,
        quotaBytes,
        env,
        redact,
      });
      return createWalledPrograms(copy, lines, { ...options, failing }, walls.leave);
    },
  };
}

async function openCopyWalls(tool: Bubblewrap, home: string, hosts: readonly string[]): Promise<CopyWalls> {
  const namespaces = await createSharedNamespaces(tool, home);
  const network = hosts.length === 0 ? undefined : await openRunNetwork(namespaces, hosts);
  return { namespaces, network };
}
