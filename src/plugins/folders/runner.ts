// Runs one plugin in a process of its own. It imports nothing of ours, because the process may read nothing else.
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

type Json = Record<string, unknown>;
type Act = (payload: unknown, context: object) => unknown;

/** A message from AutoGPT; src/plugins/process/channel.ts describes them. */
interface Message extends Json {
  readonly id: number;
  /** Loads the plugin: the first message. */
  readonly load?: {
    /** Its `index.mjs`, as a URL. */
    readonly url: string;
    /** Possible names for the definition of each hook. */
    readonly hooks: Readonly<Record<string, readonly string[]>>;
    readonly config: Json;
  };
  readonly hook?: string;
  readonly payload?: unknown;
  readonly command?: string;
  readonly args?: Json;
  /** The last payload of `offer`, which restores the commands in a restarted process. */
  readonly offer?: unknown;
  readonly abort?: boolean;
  /** Tries actions that must be impossible for a plugin. */
  readonly probe?: { readonly files: readonly string[]; readonly port: number };
}

/** Private copies, because a plugin may replace the globals. */
const { parse, stringify } = JSON;
const writeNow = writeSync;
const bytesOf = Buffer.from.bind(Buffer) as (text: string) => Buffer;
const print = console.error.bind(console);
const log = (text: unknown): void => print(String(text));

const CHANNEL = 3;
const BUFFER_BYTES = 65_536;

/** The running calls, each with a way to end it. */
const calls = new Map<number, Call>();
const commands = new Map<string, Act>();
let hooks = new Map<string, readonly Act[]>();
let config: Json = {};

/** A call of the plugin. Its signal is created on demand, because most plugins never use it. */
class Call {
  private controller: AbortController | undefined;

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    return this.controller.signal;
  }

  abort(): void {
    this.controller ??= new AbortController();
    this.controller.abort();
  }
}

/** Sends a message. One system call is much cheaper than a stream, which is used only for bytes that don't fit into the channel. */
function send(message: Json): void {
  const line = bytesOf(`${stringify(message)}\n`);
  const written = canWriteNow && socket.writableLength === 0 ? tryWrite(line) : 0;
  if (written < line.length) write(line.subarray(written));
}

/** Windows requires the stream. */
const canWriteNow = process.platform !== "win32";

function tryWrite(line: Buffer): number {
  try {
    return writeNow(CHANNEL, line);
  } catch {
    return 0;
  }
}

function formatError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Removes functions that could reach other processes. If a sandbox holds, a plugin is confined anyway. */
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
  hooks = new Map(Object.entries(names).map(([name, wanted]) => [name, listFunctions(plugin, wanted)]));
  config = given;
  return { hooks: [...hooks].flatMap(([name, acts]) => (acts.length > 0 ? [name] : [])) };
}

/** The functions of a hook under all its names; a classic plugin may have two for one hook. */
function listFunctions(plugin: object, names: readonly string[]): readonly Act[] {
  const found = names
    .filter((name) => !(name in Object.prototype))
    .map((name) => Reflect.get(plugin, name) as unknown)
    .filter((one) => typeof one === "function");
  return [...new Set(found)].map((one) => (one as Act).bind(plugin));
}

async function callHook(hook: string, payload: unknown, running: Call): Promise<unknown> {
  let answer: Json | undefined;
  for (const act of hooks.get(hook) ?? []) {
    const said = await act({ ...Object(payload), ...answer }, createContext(running));
    if (said === undefined) continue;
    if (typeof said !== "object" || said === null) throw new Error("its answer is no object");
    answer = { ...answer, ...said };
  }
  return answer && hook === "offer" ? describeOffer(answer) : answer;
}

/** The offer without its functions, which stay in this process. */
function describeOffer(answer: Json): Json {
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

async function runCommand({ id, command = "", args, offer }: Message, running: Call): Promise<unknown> {
  if (!commands.has(command) && offer !== undefined) await callHook("offer", offer, running);
  const run = commands.get(command);
  if (!run) throw new Error(`The plugin has no command ${command} any more.`);
  const sendOutput = (chunk: unknown): void => send({ id, output: String(chunk) });
  const answer = await run(args, { ...createContext(running), output: sendOutput });
  return typeof answer === "string" ? answer : (stringify(answer) ?? "");
}

function createContext(running: Call): object {
  return {
    get signal() {
      return running.signal;
    },
    config,
    log,
  };
}

/** Tries actions that must be blocked in this process, and returns those that work. */
async function probe({ files, port }: NonNullable<Message["probe"]>): Promise<readonly string[]> {
  const [fs, children, threads, net] = await Promise.all([
    import("node:fs"),
    import("node:child_process"),
    import("node:worker_threads"),
    import("node:net"),
  ]);
  const canRun = async (act: () => unknown): Promise<boolean> => {
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
  const canConnect = (): Promise<boolean> =>
    new Promise((resolve) => {
      const tried = net.connect(port, "127.0.0.1", () => resolve(true));
      tried.setTimeout(2000, () => resolve(false)).on("error", () => resolve(false));
    });
  const canWriteDatabase = (path: string): boolean => {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    new DatabaseSync(path).exec("CREATE TABLE tried (x)");
    return true;
  };
  const tries: Readonly<Record<string, () => unknown>> = {
    read: () => files.some((file) => canRead(file)),
    database: () => process.getBuiltinModule("node:sqlite") !== undefined && canWriteDatabase(`${files[0]}.db`),
    write: () => fs.writeFileSync(`${files[0]}.written`, "x"),
    spawn: () => children.spawnSync(process.execPath, ["--version"]).status === 0,
    worker: () => new threads.Worker("", { eval: true }).terminate(),
    others: () => process.ppid > 1 && process.kill(process.ppid, 0),
    network: canConnect,
  };
  const found = await Promise.all(
    Object.entries(tries).map(async ([name, act]) => ((await canRun(act)) ? [name] : [])),
  );
  return found.flat();
}

async function answer(message: Message): Promise<void> {
  const { id } = message;
  if (message.abort) {
    calls.get(id)?.abort();
    return send({ id, aborted: true });
  }
  const running = new Call();
  calls.set(id, running);
  try {
    send({ id, answer: await handleMessage(message, running) });
  } catch (error) {
    send({ id, error: formatError(error) });
  } finally {
    calls.delete(id);
  }
}

function handleMessage(message: Message, running: Call): unknown {
  if (message.load) return load(message.load);
  if (message.probe) return probe(message.probe);
  return message.hook === undefined ? runCommand(message, running) : callHook(message.hook, message.payload, running);
}

const decoder = new StringDecoder("utf8");
let rest = "";

function receive(count: number, bytes: Uint8Array): boolean {
  const lines = (rest + decoder.write(bytes.subarray(0, count))).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void answer(parse(line));
  return true;
}

// Into the same memory each time, because a new buffer for each message costs more than the message.
const onread = { buffer: Buffer.alloc(BUFFER_BYTES), callback: receive };
const socket = new Socket({ fd: CHANNEL, onread });
const write = socket.write.bind(socket);
socket.on("close", () => process.exit());
socket.resume();
// A promise that a plugin forgot isn't worth its process.
process.on("unhandledRejection", (error) => print(error));
