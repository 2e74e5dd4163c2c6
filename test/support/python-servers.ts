import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "./free-port.ts";

/** A real model server on loopback. */
export interface PythonServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** The Python program that has a package: the one named in a variable, or the machine's. Undefined if it hasn't. */
export function pythonWith(packageName: string, variable: string): string | undefined {
  const python = process.env[variable] ?? "python3";
  try {
    execFileSync(python, ["-c", `import importlib.util as u, sys; sys.exit(u.find_spec("${packageName}") is None)`]);
    return python;
  } catch {
    return undefined;
  }
}

/** The weights that a Python package carries, or those named in `AUTOGPT_GGUF`. */
export function weightsIn(python: string, packageName: string): string | undefined {
  if (process.env.AUTOGPT_GGUF) return process.env.AUTOGPT_GGUF;
  const find = `import importlib.util as u, glob; s = u.find_spec("${packageName}"); print(*glob.glob(s.submodule_search_locations[0] + "/*.gguf") if s else [], sep="\\n")`;
  const [first = ""] = execFileSync(python, ["-c", find]).toString().split("\n");
  return first === "" ? undefined : first;
}

/** Starts a server and waits until it answers. `args` get the port. */
export async function startServer(
  program: string,
  args: (port: number) => readonly string[],
  { path, env = {} }: { readonly path: string; readonly env?: Readonly<Record<string, string>> },
): Promise<PythonServer> {
  const port = await freePort();
  const child = spawn(program, args(port), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => void said.push(String(data)));
  const origin = `http://127.0.0.1:${port}`;
  const close = async (): Promise<void> => stop(child);
  for (let tries = 0; tries < 240; tries++) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${origin}${path}`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return { baseUrl: `${origin}/v1`, close };
    await pause(500);
  }
  await close();
  throw new Error(`The server didn't start. It said:\n${said.join("").slice(-2_000)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await gone;
  clearTimeout(late);
}
