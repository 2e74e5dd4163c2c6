import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { AgentEvent } from "../../src/schema/events.ts";
import { type FakeModelServer, json } from "./fake-model-server.ts";
import { calling, headless } from "./headless.ts";
import { ofType } from "./rehearsal.ts";

/** A whole run with a plugin, as the model and the user see it. */
export interface PluginRunResult {
  /** Why the run ended. */
  readonly end: string;
  readonly events: readonly AgentEvent[];
  /** The outcomes in the model's last prompt, in order. */
  readonly seen: readonly string[];
  /** The calls of hooks. */
  readonly hooked: readonly Extract<AgentEvent, { type: "hooked" }>[];
  /** Processes of the run that live 2 seconds after it. */
  readonly left: readonly string[];
  readonly stderr: string;
}

export const HOSTILE = fileURLToPath(new URL("../fixtures/plugins/hostile/", import.meta.url));

/** A task of five steps that reads a file, tries to write one without being allowed to, and reads again. */
const READ = calling("read_file", { filename: "notes.txt" });
const WRITE = calling("write_to_file", { filename: "other.txt", contents: "hello\n" });
const FINISH = calling("task_complete", { reason: "All read." });

/** Runs the agent with the plugins at some paths, over HTTP. `folder` is a new one for everything that the run leaves. */
export async function runWithPlugins(
  server: FakeModelServer,
  folder: string,
  paths: readonly string[],
): Promise<PluginRunResult> {
  const [workspace, data] = [join(folder, "workspace"), join(folder, "data")];
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, "notes.txt"), "The harbor is closed.\n");
  const copies = await Promise.all(
    paths.map(async (path) => {
      const copy = join(folder, "plugins", basename(path));
      await cp(path, copy, { recursive: true });
      return copy;
    }),
  );
  const prompts = planReading(server);
  const flags = copies.flatMap((path) => ["--plugin", path]);
  const task = ["--task", "Read the notes.", "--json"];
  const { end, events, stderr } = await headless({ baseUrl: server.baseUrl, workspace, data }, ...task, ...flags);
  const left = await findLastingProcesses(folder);
  return {
    end: end.reason,
    events,
    seen: outcomesIn(prompts()),
    hooked: ofType(events, "hooked"),
    left,
    stderr,
  };
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** Plans the answers of a run, and returns what it was last asked with. */
export function planReading(server: FakeModelServer): () => readonly Message[] {
  server.plan(READ, WRITE, READ, READ, FINISH, json(500, { error: { message: "No more." } }));
  const before = server.requests.length;
  return () => server.requests.slice(before).findLast(({ body }) => Array.isArray(body?.messages))?.body.messages ?? [];
}

/** The outcomes in the messages to a model, in order. */
export function outcomesIn(messages: readonly Message[]): readonly string[] {
  const said = messages.filter(({ role }) => role === "user").map(({ content }) => JSON.stringify(content));
  // The task comes first, and the request for the next step last.
  return said.slice(1, -1);
}

/** The processes of a folder that are still there after 2 seconds. Two looks in a row that find none are enough. */
async function findLastingProcesses(folder: string): Promise<readonly string[]> {
  let empty = 0;
  for (const end = Date.now() + 2000; empty < 2 && Date.now() < end; await wait(50))
    empty = processesOf(folder).length === 0 ? empty + 1 : 0;
  return processesOf(folder);
}

/** Command lines of the processes that work in a folder or name it. */
function processesOf(folder: string): readonly string[] {
  const name = basename(folder);
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        const isOurs = line.includes(name) || readlinkSync(`/proc/${pid}/cwd`).includes(name);
        return isOurs && line !== "" ? [line] : [];
      } catch {
        return [];
      }
    });
}
