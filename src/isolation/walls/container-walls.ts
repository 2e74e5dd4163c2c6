import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { totalmem } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { findOnPath, type ShellProgram } from "../../node/processes/programs.ts";
import { displayText, fail } from "../../texts/display-text.ts";
import type { Copy } from "../copy/copy.ts";
import { getWallsFolder } from "./layers.ts";
import { computeMemoryLimits, type LineStarts, MOST_PROCESSES } from "./line-starts.ts";
import { createWalledPrograms } from "./walled-programs.ts";
import type { NoWalls, Walls } from "./walls.ts";

/** Contains git, Python and a compiler. The user downloads it. */
export const CONTAINER_IMAGE = "buildpack-deps:stable";

const ANSWER_MS = 20_000;

/** A container engine that answers and has the image. */
export interface ContainerEngine {
  readonly kind: "docker" | "podman";
  readonly path: string;
}

/** Docker or Podman, or why it can't be used. A throwaway container proves that its programs have no network and see no files. */
export async function findContainerWalls(
  kind: ContainerEngine["kind"],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Walls | NoWalls> {
  const name = kind === "docker" ? "Docker" : "Podman";
  const path = findOnPath([kind], env);
  if (path === undefined) return { engine: "none", why: displayText("isolation.walls.noEngine", { name }) };
  const ask = (...args: readonly string[]): Promise<string | undefined> =>
    promisify(execFile)(path, args, { env, timeout: ANSWER_MS }).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    );
  if ((await ask("version", "--format", "{{.Server.Version}}")) === undefined)
    return { engine: "none", why: displayText("isolation.walls.engineSilent", { name }) };
  const image = await ask("image", "inspect", "--format", "{{.Id}}", CONTAINER_IMAGE);
  if (image === undefined)
    return {
      engine: "none",
      why: displayText("isolation.walls.noImage", { name, command: `${kind} pull ${CONTAINER_IMAGE}` }),
    };
  const seen = await ask("run", "--rm", ...CONFINED, CONTAINER_IMAGE, "/bin/sh", "-c", LOOK_AROUND);
  if (seen === undefined)
    return { engine: "none", why: displayText("isolation.walls.engineSilent", { name }) };
  return seen === "lo"
    ? createContainerWalls({ kind, path }, env)
    : { engine: "none", why: displayText("isolation.walls.leaks", { what: seen.split("\n").join("; ") }) };
}

/** Prints the network's devices, and whatever else it shouldn't reach. */
const LOOK_AROUND =
  "sed 1,2d /proc/net/dev | cut -d: -f1 | tr -d ' '; [ -S /var/run/docker.sock ] && echo socket; (echo x > /written) 2>/dev/null && echo writing; true";

/** No network, no capabilities, and nothing can be written but what is mounted. */
const CONFINED = [
  ...["--network", "none", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"],
  ...["--ipc", "private", "--pull", "never"],
];

/** A path within containers. Windows' drive letters become folders. */
export function convertToContainerPath(path: string): string {
  const [, drive, rest = ""] = /^([a-z]):(.*)$/is.exec(path) ?? [];
  return drive === undefined ? path : `/${drive.toLowerCase()}${rest.replaceAll("\\", "/")}`;
}

/** Arguments that make the copy, its private folders and what it borrows visible. */
function listContainerMounts(copy: Copy, readable: readonly string[]): readonly string[] {
  const folder = getWallsFolder(copy);
  const mount = (from: string, at: string, readOnly: boolean): string[] => [
    "--mount",
    `type=bind,source=${quoteCsvField(from)},target=${quoteCsvField(at)}${readOnly ? ",readonly" : ""}`,
  ];
  return [
    ...mount(join(folder, "home"), "/home/agent", false),
    ...mount(join(folder, "tmp"), "/tmp", false),
    ...[...copy.objects, ...readable.filter(existsSync)].flatMap((path) =>
      mount(path, convertToContainerPath(path), true),
    ),
    ...copy.visible.flatMap((path) => mount(path, convertToContainerPath(path), false)),
    ...copy.borrowed.flatMap(({ origin, path }) => mount(origin, convertToContainerPath(path), true)),
  ];
}

/** A field of a comma-separated option. */
function quoteCsvField(path: string): string {
  return /[",]/.test(path) ? `"${path.replaceAll('"', '""')}"` : path;
}

const SHELL: ShellProgram = { name: "bash", path: "/bin/bash", createArgs: (line) => ["-c", line] };

/** Starts each program in a container of its own; all of them share the network of one that waits. */
function createContainerLines(
  { path: program }: ContainerEngine,
  holder: { readonly name: string; ensureReady(): Promise<void> },
  {
    copy,
    readable,
    env,
  }: { readonly copy: Copy; readonly readable: readonly string[]; readonly env: NodeJS.ProcessEnv },
): LineStarts {
  const folder = getWallsFolder(copy);
  const user = process.getuid && process.getgid ? ["--user", `${process.getuid()}:${process.getgid()}`] : [];
  const memory = `${computeMemoryLimits(totalmem()).perProcess}m`;
  return {
    takeNotes: () => [],
    hasLayers: false,
    file: program,
    shell: SHELL,
    env,
    async prepare() {
      for (const name of ["home", "tmp"]) await mkdir(join(folder, name), { recursive: true });
      await holder.ensureReady();
    },
    start([first = "", ...words], cwd, shown = []) {
      if (shown.length > 0) fail("plugins.hooksHome");
      const inside = /[\\/]git(?:\.exe)?$/i.test(first) ? "git" : first;
      const name = `${holder.name}-${randomUUID().slice(0, 8)}`;
      return {
        record: join(folder, `${name}.container`),
        args: [
          ...["run", "--rm", "--init", "--name", name],
          ...CONFINED.map((word) => (word === "none" ? `container:${holder.name}` : word)),
          ...user,
          ...["--memory", memory, "--memory-swap", memory, "--pids-limit", String(MOST_PROCESSES)],
          ...["--env", "HOME=/home/agent", "--env", "TMPDIR=/tmp", "--env", "NO_COLOR=1"],
          ...listContainerMounts(copy, readable),
          ...["--workdir", convertToContainerPath(cwd), CONTAINER_IMAGE, inside, ...words],
        ],
      };
    },
    end: (record) => removeContainers(program, [basename(record, ".container")], env),
  };
}

async function removeContainers(
  program: string,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await promisify(execFile)(program, ["rm", "--force", ...names], { env, timeout: ANSWER_MS }).catch(
    () => undefined,
  );
}

function createContainerWalls(engine: ContainerEngine, env: NodeJS.ProcessEnv): Walls {
  const holders = new Map<string, ContainerHolder>();
  return {
    engine: engine.kind,
    limits: { memory: true, processes: true, disk: true, time: true },
    hasLayers: false,
    async createPrograms(copy, options) {
      const holder = holders.get(copy.home) ?? new ContainerHolder(engine, env);
      holders.set(copy.home, holder);
      holder.users++;
      const readable = [join(options.runHome, "code")];
      const lines = createContainerLines(engine, holder, { copy, readable, env });
      return createWalledPrograms(copy, lines, options, async () => {
        holder.users--;
        if (holder.users > 0) return;
        holders.delete(copy.home);
        await holder.close();
      });
    },
  };
}

/** The container whose network the lines of a run share. */
class ContainerHolder {
  readonly name = `autogpt-${randomUUID()}`;
  users = 0;
  private readonly engine: ContainerEngine;
  private readonly env: NodeJS.ProcessEnv;
  private started: Promise<unknown> | undefined;

  constructor(engine: ContainerEngine, env: NodeJS.ProcessEnv) {
    this.engine = engine;
    this.env = env;
  }

  async ensureReady(): Promise<void> {
    const args = ["run", "--detach", "--rm", "--init", "--name", this.name, ...CONFINED];
    this.started ??= promisify(execFile)(this.engine.path, [...args, CONTAINER_IMAGE, "sleep", "infinity"], {
      env: this.env,
      timeout: ANSWER_MS,
    });
    await this.started.catch((error: unknown) => {
      this.started = undefined;
      throw error;
    });
  }

  async close(): Promise<void> {
    if (this.started !== undefined) await removeContainers(this.engine.path, [this.name], this.env);
  }
}
