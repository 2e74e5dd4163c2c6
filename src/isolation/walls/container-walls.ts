import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { totalmem } from "node:os";
import { basename, join } from "node:path";
import { type ContainerEngine, findContainerEngine, findContainerUser } from "../../node/processes/container-engine.ts";
import type { ShellProgram } from "../../node/processes/programs.ts";
import { displayText, fail } from "../../texts/display-text.ts";
import { buildContainerArguments } from "../../walls/containers.ts";
import { createView, type View } from "../../walls/view.ts";
import type { Copy } from "../copy/copy.ts";
import type { WalledLineOptions } from "./bubblewrap.ts";
import { getWallsFolder } from "./layers.ts";
import { computeMemoryLimits, type LineStarts, MOST_PROCESSES } from "./line-starts.ts";
import { SharedByCopy } from "./shared-by-copy.ts";
import { createWalledPrograms } from "./walled-programs.ts";
import type { NoWalls, Walls } from "./walls.ts";

/** Contains git, Python and a compiler. The user downloads it. */
export const CONTAINER_IMAGE = "buildpack-deps:stable";

const ANSWER_MS = 20_000;

/** Docker or Podman, or why it can't be used. A throwaway container proves that its programs have no network and see no files. */
export async function findContainerWalls(
  kind: "docker" | "podman",
  env: NodeJS.ProcessEnv = process.env,
): Promise<Walls | NoWalls> {
  const name = kind === "docker" ? "Docker" : "Podman";
  const silent = { engine: "none", why: displayText("isolation.walls.engineSilent", { name }) } as const;
  const engine = await findContainerEngine(kind, ANSWER_MS, env);
  if (engine === "absent") return { engine: "none", why: displayText("isolation.walls.noEngine", { name }) };
  if (engine === "silent") return silent;
  const ask = (...args: readonly string[]): Promise<string | undefined> => engine.run(...args).catch(() => undefined);
  const image = await ask("image", "inspect", "--format", "{{.Id}}", CONTAINER_IMAGE);
  if (image === undefined)
    return {
      engine: "none",
      why: displayText("isolation.walls.noImage", { name, command: `${kind} pull ${CONTAINER_IMAGE}` }),
    };
  const seen = await ask(...buildContainerArguments(SEALED, { ...START, words: LOOK_AROUND }));
  if (seen === undefined) return silent;
  return seen === "lo"
    ? createContainerWalls(kind, engine, env)
    : { engine: "none", why: displayText("isolation.walls.leaks", { what: seen.split("\n").join("; ") }) };
}

/** Prints the network devices, and anything else that programs shouldn't reach. */
const LOOK_AROUND = [
  "/bin/sh",
  "-c",
  "sed 1,2d /proc/net/dev | cut -d: -f1 | tr -d ' '; [ -S /var/run/docker.sock ] && echo socket; (echo x > /written) 2>/dev/null && echo writing; true",
];

/** No network and nothing of the disk, as the root of the container. */
const SEALED = createView({ user: "same" });

/** Nothing can be written but what is mounted. */
const START = { image: CONTAINER_IMAGE, options: ["--read-only", "--ipc", "private", "--pull", "never"] };

/** The copy, its private folders and what it borrows, in the network of a container. */
function describeContainerView(copy: Copy, readable: readonly string[], container: string): View {
  const folder = getWallsFolder(copy);
  return createView({
    user: findContainerUser(),
    network: { kind: "shared", container },
    scratch: [
      { from: join(folder, "home"), at: "/home/agent" },
      { from: join(folder, "tmp"), at: "/tmp" },
    ],
    readable: [...copy.objects, ...readable.filter(existsSync)],
    writable: copy.visible,
    mounted: copy.borrowed.map(({ origin, path }) => ({ from: origin, at: path, writable: false })),
  });
}

const SHELL: ShellProgram = { name: "bash", path: "/bin/bash", createArgs: (line) => ["-c", line] };

/** Starts each program in its own container. All of them share the network of an idle container. */
function createContainerLines(
  engine: ContainerEngine,
  holder: { openShared(): Promise<string> },
  { copy, readable, env }: Pick<WalledLineOptions, "copy" | "readable" | "env">,
): LineStarts {
  const folder = getWallsFolder(copy);
  const memory = `${computeMemoryLimits(totalmem()).perProcess}m`;
  const limits = ["--memory", memory, "--memory-swap", memory, "--pids-limit", String(MOST_PROCESSES)];
  let container: string | undefined;
  return {
    takeNotes: () => [],
    hasLayers: false,
    file: engine.path,
    shell: SHELL,
    env,
    async prepare() {
      for (const name of ["home", "tmp"]) await mkdir(join(folder, name), { recursive: true });
      container = await holder.openShared();
    },
    start([first = "", ...words], cwd, shown = []) {
      if (container === undefined) throw new Error("prepare() comes first");
      if (shown.length > 0) fail("plugins.hooksHome");
      const inside = /[\\/]git(?:\.exe)?$/i.test(first) ? "git" : first;
      const name = `${container}-${randomUUID().slice(0, 8)}`;
      const start = {
        ...START,
        name,
        cwd,
        words: [inside, ...words],
        options: [...START.options, ...limits],
        variables: { HOME: "/home/agent", TMPDIR: "/tmp", NO_COLOR: "1" },
      };
      return {
        record: join(folder, `${name}.container`),
        args: buildContainerArguments(describeContainerView(copy, readable, container), start),
      };
    },
    end: (record) => engine.remove(basename(record, ".container")),
  };
}

function createContainerWalls(kind: "docker" | "podman", engine: ContainerEngine, env: NodeJS.ProcessEnv): Walls {
  const holders = new SharedByCopy<string>((name) => engine.remove(name));
  return {
    engine: kind,
    limits: { memory: true, processes: true, disk: true, time: true },
    hasLayers: false,
    async createPrograms(copy, options) {
      const holder = holders.enter(copy.home, () => startHolder(engine));
      const lines = createContainerLines(engine, holder, {
        copy,
        readable: [join(options.runHome, "code")],
        env,
      });
      return createWalledPrograms(copy, lines, options, holder.leave);
    },
  };
}

/** Starts the container whose network the lines of a run share. Returns its name. */
async function startHolder(engine: ContainerEngine): Promise<string> {
  const name = `autogpt-${randomUUID()}`;
  const start = {
    ...START,
    name,
    words: ["sleep", "infinity"],
    options: [...START.options, "--detach"],
  };
  await engine.run(...buildContainerArguments(SEALED, start));
  return name;
}
