import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { hasSucceeded } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { findOnPath } from "../../node/processes/programs.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import type { Copy } from "../copy/copy.ts";
import { removeTree } from "../copy/remove-copy.ts";
import { type Bubblewrap, createBubblewrapLines } from "./bubblewrap.ts";
import { getLayer } from "./layers.ts";
import type { LineStarts } from "./line-starts.ts";
import { createSharedNamespaces, type SharedNamespaces } from "./namespaces.ts";

/** Proven walls, or why the walls aren't used. */
export type Proof =
  | { readonly hasLayers: boolean; readonly failing: readonly string[] }
  | { readonly why: DisplayText };

/** Maximum number of characters of an error to display. */
export const MOST_SAID = 300;

/** A variable that programs within the walls mustn't see. */
const CANARY = "AUTOGPT_WALLS_CANARY_SECRET";

/** Prints one line for each thing outside that it can reach, and "end" when all attempts are done. */
const ATTEMPTS = `
name() { readlink "/proc/self/ns/$1"; }
for kind in user mnt pid net ipc uts; do [ "$(name $kind)" != "$(echo "$HOST_NAMES" | tr ' ' '\\n' | grep "^$kind:")" ] || echo "the $kind namespace"; done
[ -z "$(sed 1d /proc/net/unix)" ] || echo "sockets of other programs"
[ "$(sed 1,2d /proc/net/dev | cut -d: -f1 | tr -d ' ')" = lo ] || echo "the network"
[ -z "$${CANARY}" ] || echo "the environment"
cat "$OUTSIDE/canary" 2>/dev/null && echo "other files"
{ echo x > "$OUTSIDE/written"; } 2>/dev/null
{ echo x > /usr/.autogpt-walls; } 2>/dev/null && echo "writing to the system"
[ -S "$OUTSIDE/socket" ] && echo "a socket"
[ "$(ls /proc | grep -c '^[0-9]*$')" -lt 12 ] || echo "other processes"
[ -z "$(ls -A /run)" ] || echo "services of the system"
grep -q '^CapEff:.*[1-9a-f]' /proc/self/status && echo "capabilities"
grep -q '^NoNewPrivs:.*1' /proc/self/status || echo "programs of other users"
{ echo x > written; } || echo "no writing to the copy"
echo end`;

/** Builds walls around a throwaway copy, and attempts everything that they must prevent. */
export async function probeBubblewrap(tools: Omit<Bubblewrap, "hasLayers">, env: NodeJS.ProcessEnv): Promise<Proof> {
  const folder = await mkdtemp(join(tmpdir(), "autogpt-walls-"));
  let namespaces: SharedNamespaces | undefined;
  const socket = createServer().listen(join(folder, "socket"));
  try {
    const copy = await createThrowawayCopy(folder);
    namespaces = await createSharedNamespaces(tools, copy.home);
    const hasLayers = await canMountLayers(namespaces, copy, folder);
    const shared = { namespaces, network: undefined };
    const lines = createBubblewrapLines({ ...tools, hasLayers }, async () => shared, {
      copy,
      readable: [],
      quotaBytes: 10_000_000,
      env: { ...env, [CANARY]: "x" },
      redact: (text) => text,
    });
    await lines.prepare();
    const printed = await runProbeAttempts(lines, copy.home, {
      ...lines.env,
      HOST_NAMES: (await listHostNames()).join(" "),
      OUTSIDE: folder,
    });
    const written = await readFile(join(folder, "written"), "utf8").then(
      () => ["writing outside"],
      () => [],
    );
    const reached = parseReachedOutside(printed);
    if (!reached) return { why: await explainProbeRefusal(printed) };
    const all = [...reached, ...written];
    if (all.length > 0) return { why: displayText("isolation.walls.leaks", { what: all.join("; ") }) };
    return { hasLayers, failing: await listFailingPrograms(lines, copy.home, env) };
  } catch (error) {
    return { why: await explainProbeRefusal(getErrorMessage(error)) };
  } finally {
    socket.close();
    namespaces?.close();
    await removeTree(folder);
  }
}

/** The things outside that a probe reached, one per printed line; undefined if the probe didn't print "end". */
export function parseReachedOutside(printed: string): readonly string[] | undefined {
  const lines = printed.split("\n").filter((line) => line !== "");
  return lines.at(-1) === "end" ? lines.slice(0, -1) : undefined;
}

/** Programs that many lines need, with arguments for which they do nothing. */
const USUAL_PROGRAMS = [
  ["git", "--version"],
  ["python3", "-c", "1"],
  ["node", "-e", "1"],
] as const;

/**
 * The installed ones of these programs that don't start within walls. Their names alone are reported: the output of a program that the
 * workspace might have put there is never shown to the model.
 */
export async function listFailingPrograms(
  lines: LineStarts,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const installed = USUAL_PROGRAMS.filter(([name]) => findOnPath([name], env) !== undefined);
  const all = await Promise.all(
    installed.map(async (words) => {
      const { args, record = "" } = lines.start(words, cwd);
      const running = promisify(execFile)(lines.file, args, { cwd, env: lines.env, timeout: 5000 });
      const starts = await hasSucceeded(running);
      await rm(record, { force: true });
      return starts ? [] : [words[0]];
    }),
  );
  return all.flat();
}

/** A copy that a probe may write to, beside a file that it must not see. */
export async function createThrowawayCopy(folder: string): Promise<Copy> {
  const home = join(folder, "copy");
  await mkdir(home);
  await writeFile(join(folder, "canary"), "x");
  const folders = [{ name: "copy", origin: join(folder, "none"), path: home }];
  return {
    run: "probe",
    home,
    folders,
    visible: [home],
    borrowed: [],
    objects: [],
    notes: [],
  };
}

async function canMountLayers(namespaces: SharedNamespaces, copy: Copy, folder: string): Promise<boolean> {
  const origin = join(folder, "origin");
  await mkdir(origin);
  return namespaces.mount(getLayer(copy, { path: origin }), origin);
}

async function listHostNames(): Promise<readonly string[]> {
  return Promise.all(["user", "mnt", "pid", "net", "ipc", "uts"].map((kind) => readlink(`/proc/self/ns/${kind}`)));
}

async function runProbeAttempts(lines: LineStarts, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { args, record = "" } = lines.start(["/bin/sh", "-c", ATTEMPTS], cwd);
  const child = spawn(lines.file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 10_000 });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  await once(child, "close");
  await rm(record, { force: true });
  return printed;
}

/** Why the system refused, and how to fix it if known. */
async function explainProbeRefusal(said: string): Promise<DisplayText> {
  const readSystemSetting = (name: string): Promise<string> =>
    readFile(`/proc/sys/${name}`, "utf8").then(
      (text) => text.trim(),
      () => "",
    );
  if ((await readSystemSetting("kernel/apparmor_restrict_unprivileged_userns")) === "1")
    return displayText("isolation.walls.forbidden", {
      setting: "kernel.apparmor_restrict_unprivileged_userns=0",
    });
  if ((await readSystemSetting("kernel/unprivileged_userns_clone")) === "0")
    return displayText("isolation.walls.forbidden", { setting: "kernel.unprivileged_userns_clone=1" });
  if ((await readSystemSetting("user/max_user_namespaces")) === "0")
    return displayText("isolation.walls.forbidden", { setting: "user.max_user_namespaces=10000" });
  return displayText("isolation.walls.failed", { said: said.trim().slice(0, MOST_SAID) });
}
