// Runs one plugin in a process of its own. It imports nothing of ours, because the process may read nothing else.
import { Socket } from "node:net";

type Json = Record<string, unknown>;
type Act = (payload: unknown, context: object) => unknown;

/** A message from AutoGPT; src/plugins/process/channel.ts describes them. */
interface Message extends Json {
  readonly id: number;
  /** Loads the plugin: the first message. */
  readonly load?: {
    /** Its `index.mjs`, as a URL. */
    readonly url: string;
    /** Names by which each hook may be defined. */
    readonly hooks: Readonly<Record<string, readonly string[]>>;
    readonly config: Json;
  };
  readonly hook?: string;
  readonly payload?: unknown;
  readonly command?: string;
  readonly args?: Json;
  /** The last payload of `offer`, which makes the commands in a process that was started again. */
  readonly offer?: unknown;
  readonly abort?: boolean;
  /** Tries what a plugin must not be able to do. */
  readonly probe?: { readonly files: readonly string[]; readonly port: number };
}

/** Own copies, because a plugin may replace them for itself. */
const { parse, stringify } = JSON;
const socket = new Socket({ fd: 3 });
const write = socket.write.bind(socket);
const print = console.error.bind(console);

const aborts = new Map<number, AbortController>();
const commands = new Map<string, Act>();
let hooks = new Map<string, readonly Act[]>();
let config: Json = {};

function send(message: Json): void {
  write(`${stringify(message)}\n`);
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Takes from a plugin what could reach other processes; where walls hold, it's inside of them anyway. */
function narrow(): void {
  for (const name of ["kill", "_kill", "_debugProcess", "dlopen", "binding", "_linkedBinding"])
    Reflect.defineProperty(process, name, { value: undefined });
}

async function load({ url, hooks: names, config: given }: NonNullable<Message["load"]>): Promise<Json> {
  narrow();
  const module: unknown = await import(url);
  const plugin = Reflect.get(Object(module), "default") as unknown;
  if (typeof plugin !== "object" || plugin === null)
    throw new Error("index.mjs must export an object with hooks as its default: export default { … }");
  hooks = new Map(Object.entries(names).map(([name, wanted]) => [name, functionsOf(plugin, wanted)]));
  config = given;
  return { hooks: [...hooks].flatMap(([name, acts]) => (acts.length > 0 ? [name] : [])) };
}

/** The functions of a hook under all of its names; a classic plugin may have two for one hook. */
function functionsOf(plugin: object, names: readonly string[]): readonly Act[] {
  const found = names
    .filter((name) => !(name in Object.prototype))
    .map((name) => Reflect.get(plugin, name) as unknown)
    .filter((one) => typeof one === "function");
  return [...new Set(found)].map((one) => (one as Act).bind(plugin));
}

async function callHook(hook: string, payload: unknown, signal: AbortSignal): Promise<unknown> {
  let answer: Json = {};
  for (const act of hooks.get(hook) ?? []) {
    const said = await act({ ...Object(payload), ...answer }, contextOf(signal));
    if (said === undefined) continue;
    if (typeof said !== "object" || said === null) throw new Error("its answer is no object");
    answer = { ...answer, ...said };
  }
  return hook === "offer" ? described(answer) : answer;
}

/** The offer without its functions, which stay here. */
function described(answer: Json): Json {
  const { commands: offered } = answer;
  if (!Array.isArray(offered)) return answer;
  const rows = offered.map((one: { readonly name?: unknown; readonly run?: unknown }) => {
    const { run, ...rest } = one;
    if (typeof run !== "function") throw new Error(`the command ${String(one.name)} has no function "run"`);
    commands.set(String(one.name), (args, context) => run.call(one, args, context));
    return rest;
  });
  return { ...answer, commands: rows };
}

async function runCommand({ id, command = "", args, offer }: Message, signal: AbortSignal): Promise<unknown> {
  if (!commands.has(command) && offer !== undefined) await callHook("offer", offer, signal);
  const run = commands.get(command);
  if (!run) throw new Error(`The plugin has no command ${command} any more.`);
  const output = (chunk: unknown): void => send({ id, output: String(chunk) });
  const answer = await run(args, { ...contextOf(signal), output });
  return typeof answer === "string" ? answer : (stringify(answer) ?? "");
}

function contextOf(signal: AbortSignal): object {
  return { signal, config, log: (text: unknown) => print(String(text)) };
}

/** Tries what this process should be kept from, and returns what works. */
async function probe({ files, port }: NonNullable<Message["probe"]>): Promise<readonly string[]> {
  const [fs, children, threads, net] = await Promise.all([
    import("node:fs"),
    import("node:child_process"),
    import("node:worker_threads"),
    import("node:net"),
  ]);
  const works = async (act: () => unknown): Promise<boolean> => {
    try {
      return (await act()) !== false;
    } catch {
      return false;
    }
  };
  const canRead = (file: string): boolean => {
    try {
      return fs.readFileSync(file, "utf8") !== "";
    } catch {
      return false;
    }
  };
  const connects = (): Promise<boolean> =>
    new Promise((resolve) => {
      const tried = net.connect(port, "127.0.0.1", () => resolve(true));
      tried.setTimeout(2000, () => resolve(false)).on("error", () => resolve(false));
    });
  const writesDatabase = (path: string): boolean => {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    new DatabaseSync(path).exec("CREATE TABLE tried (x)");
    return true;
  };
  const tries: Readonly<Record<string, () => unknown>> = {
    read: () => files.some((file) => canRead(file)),
    database: () => process.getBuiltinModule("node:sqlite") !== undefined && writesDatabase(`${files[0]}.db`),
    write: () => fs.writeFileSync(`${files[0]}.written`, "x"),
    spawn: () => children.spawnSync(process.execPath, ["--version"]).status === 0,
    worker: () => new threads.Worker("", { eval: true }).terminate(),
    others: () => process.ppid > 1 && process.kill(process.ppid, 0),
    network: connects,
  };
  const found = await Promise.all(
    Object.entries(tries).map(async ([name, act]) => ((await works(act)) ? [name] : [])),
  );
  return found.flat();
}

async function answer(message: Message): Promise<void> {
  const { id } = message;
  if (message.abort) {
    aborts.get(id)?.abort();
    return send({ id, aborted: true });
  }
  const controller = new AbortController();
  aborts.set(id, controller);
  try {
    send({ id, answer: await act(message, controller.signal) });
  } catch (error) {
    send({ id, error: said(error) });
  } finally {
    aborts.delete(id);
  }
}

function act(message: Message, signal: AbortSignal): unknown {
  if (message.load) return load(message.load);
  if (message.probe) return probe(message.probe);
  return message.hook === undefined
    ? runCommand(message, signal)
    : callHook(message.hook, message.payload, signal);
}

let rest = "";
socket.setEncoding("utf8");
socket.on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void answer(parse(line));
});
socket.on("close", () => process.exit());
// A promise that a plugin forgot isn't worth its process.
process.on("unhandledRejection", (error) => print(error));
