import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { lstat, mkdtemp, realpath, rm, rmdir, symlink } from "node:fs/promises";
import { homedir, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chooseShellProgram, isExecutable } from "../../node/processes/programs.ts";
import { createPrivateHome, locatePrivateHome, moveVariables } from "../../node/sandbox/private-home.ts";
import { displayText } from "../../texts/display-text.ts";
import { buildSeatbeltArguments } from "../../walls/seatbelt.ts";
import { createView, listToolchains, MAC_SYSTEM } from "../../walls/view.ts";
import {
  createWalledEnvironment,
  findPathType,
  listNamedKeys,
  listPathsHiddenFromRoot,
  listProgramPaths,
  type WalledLineOptions,
} from "./bubblewrap.ts";
import { getWallsFolder } from "./layers.ts";
import { computeMemoryLimits, type LineStarts, wrapWithLimits } from "./line-starts.ts";
import { type MachineNetwork, openMachineNetwork } from "./network.ts";
import { createThrowawayCopy, listFailingPrograms, MOST_SAID, parseReachedOutside } from "./probe.ts";
import { createWalledPrograms } from "./walled-programs.ts";
import type { NoWalls, Walls } from "./walls.ts";

const PROGRAM = "/usr/bin/sandbox-exec";

/** Prints one line for each thing outside that it can reach, and "end" when all attempts are done. */
const ATTEMPTS = `
ls "$OUTSIDE" >/dev/null 2>&1 && echo "other files"
{ echo x > "$OUTSIDE/written"; } 2>/dev/null && echo "writing outside"
ls /Users/* >/dev/null 2>&1 && echo "homes"
kill -0 "$HOST_PROCESS" 2>/dev/null && echo "other processes"
{ echo x > written; } 2>/dev/null || echo "no writing to the copy"
echo end`;

/** sandbox-exec of macOS, or why it can't be used here. */
export async function findSeatbeltWalls(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  program = PROGRAM,
): Promise<Walls | NoWalls> {
  if (platform !== "darwin" || !isExecutable(program))
    return { engine: "none", why: displayText("isolation.walls.noSeatbelt") };
  const { printed, failing } = await probe(program, env);
  const reached = parseReachedOutside(printed);
  if (!reached) return { engine: "none", why: displayText("isolation.walls.failed", { said: printed }) };
  if (reached.length > 0)
    return { engine: "none", why: displayText("isolation.walls.leaks", { what: reached.join("; ") }) };
  return {
    engine: "seatbelt",
    limits: { memory: false, processes: false, disk: true, time: true },
    hasLayers: false,
    async createPrograms(copy, options) {
      const network = options.hosts.length === 0 ? undefined : await openMachineNetwork(options.hosts);
      const { redact, quotaBytes = Number.MAX_SAFE_INTEGER } = options;
      const readable = [join(options.runHome, "code")];
      const own = { copy, readable, quotaBytes, redact, env: options.env ?? env };
      const lines = createSeatbeltLines(program, own, network);
      return createWalledPrograms(copy, lines, { ...options, failing }, async () => network?.close());
    },
  };
}

/** The output of a program that tries to escape, or the sandbox's error; and the usual programs that don't start. */
async function probe(program: string, env: NodeJS.ProcessEnv) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "autogpt-walls-")));
  try {
    const copy = await createThrowawayCopy(folder);
    const own = { copy, readable: [], quotaBytes: 10_000_000, redact: (text: string) => text, env };
    const lines = createSeatbeltLines(program, own, undefined);
    await lines.prepare();
    const { args } = lines.start(["/bin/sh", "-c", ATTEMPTS], copy.home);
    const around = { ...lines.env, OUTSIDE: folder, HOST_PROCESS: String(process.pid) };
    const running = promisify(execFile)(lines.file, args, { cwd: copy.home, env: around, timeout: 10_000 });
    const printed = await running.then(
      ({ stdout }) => stdout,
      (error: Error & { readonly stderr?: string }) => (error.stderr?.trim() || error.message).slice(0, MOST_SAID),
    );
    const isTight = parseReachedOutside(printed)?.length === 0;
    return { printed, failing: isTight ? await listFailingPrograms(lines, copy.home, env) : [] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts programs in macOS's sandbox. Instead of mounts, it uses links to borrowed folders and a different home folder. */
function createSeatbeltLines(
  program: string,
  options: WalledLineOptions,
  network: MachineNetwork | undefined,
): LineStarts {
  const { copy, env: base, redact } = options;
  const home = base.HOME ?? homedir();
  const own = locatePrivateHome(home, getWallsFolder(copy));
  const origins = copy.folders.map(({ origin }) => origin);
  const memoryMb = computeMemoryLimits(totalmem()).perProcess;
  return {
    takeNotes: () => network?.takeRefusals() ?? [],
    hasLayers: false,
    file: program,
    shell: chooseShellProgram(base),
    env: moveVariables(createWalledEnvironment(base, redact, network), own, origins),
    async prepare() {
      createPrivateHome(own);
      for (const { origin, path } of copy.borrowed) await linkBorrowedFolder(origin, path);
    },
    start(words, cwd, further = []) {
      const readable = [
        ...listToolchains(home),
        ...listProgramPaths(base, home, copy),
        ...copy.objects,
        ...options.readable,
        ...further,
        ...copy.borrowed.map(({ origin }) => origin),
      ];
      const view = createView({
        network: { kind: "shared", proxyPort: network?.port },
        system: MAC_SYSTEM,
        readable,
        writable: [...copy.visible, own.home, own.temporary],
        blanked: listHiddenKeys(base, readable),
      });
      const inside = wrapWithLimits({ memoryMb, fileMb: Math.floor(options.quotaBytes / 1_048_576) }, words);
      const there = ["/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "there", cwd, ...inside];
      return { args: [...buildSeatbeltArguments(view), ...there] };
    },
  };
}

/** Real paths with keys where programs would see them: those of a fleet's worker, and those that only root could read. */
function listHiddenKeys(env: NodeJS.ProcessEnv, readable: readonly string[]): readonly string[] {
  const { files, folders } = listPathsHiddenFromRoot(process.getuid?.() === 0, findPathType);
  const hidden = [...files, ...folders].map((path) => realpathSync(path));
  return [...hidden, ...listNamedKeys(env, readable, MAC_SYSTEM)];
}

/** Creates a link in place of a borrowed folder, unless the run has its own folder there. */
async function linkBorrowedFolder(origin: string, path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory()) await rmdir(path).catch(() => undefined);
  if (!(await lstat(path).catch(() => undefined))) await symlink(origin, path);
}
