import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fakeModelServer } from "../support/fake-model-server.ts";
import { calling } from "../support/headless.ts";

const RUNS = Number(process.env["RUNS"] ?? 5);
const STEPS = 8;
const TARGETS = { startMs: 300, peakMb: 200 };
const PROGRAM = process.env["PROGRAM"] ?? join(import.meta.dirname, "../../dist-cli/autogpt.mjs");

/** Writes the most memory that the program has held, in kilobytes, as the last line. */
const PEAK = 'process.on("exit", () => process.stderr.write(`\\n${process.resourceUsage().maxRSS}`))';

const model = process.argv[2] ?? "gpt-5.1";
const home = process.env['BHOME'] ?? await mkdtemp(join(tmpdir(), 'autogpt-home-'));
const measured = [];
for (let run = 0; run < RUNS; run++) measured.push(await runOnce(model));
if (process.env['MARKS']) for (const m of measured) console.log(m.err.split('\n').filter((l) => l.startsWith('@')).slice(0, 14).join(' '), Math.round(m.firstMs));
for (const k of ['firstMs','allMs','peakMb'] as const) { const v = measured.map((m) => Math.round(m[k])).sort((a, b) => a - b); console.log(k, 'min', v[0], 'median', v[v.length >> 1]); }

async function runOnce(model: string) {
  const folder = await mkdtemp(join(tmpdir(), "autogpt-start-"));
  const server = await fakeModelServer();
  let first = 0;
  const answers = Array.from({ length: STEPS - 1 }, (_, step) => () => {
    first ||= performance.now();
    return calling(step % 2 ? "read_file" : "write_to_file", { filename: `f${step - (step % 2)}.txt`, ...(step % 2 ? {} : { contents: `text ${step}\n`.repeat(40) }) });
  });
  server.plan(...answers, calling("task_complete", { reason: "Done." }));
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [...(process.env["PROF"] ? ["--cpu-prof","--cpu-prof-interval","200","--cpu-prof-dir=/tmp/st/prof2"] : []), "--import", `data:text/javascript,${encodeURIComponent(PEAK)}`, PROGRAM, "--workspace", folder, "--base-url", server.baseUrl, "--model", model, "--continuous", "--task", "Write files.", "--set", "model.contextWindow=16000"],
    { env: { ...process.env, HOME: home, OPENAI_API_KEY: "k", NODE_COMPILE_CACHE: process.env["CC"] ?? "" } },
  );
  const [err, out] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "close")]);
  const ms = performance.now() - started;
  await server.close();
  await rm(folder, { recursive: true, force: true });
  return { code: child.exitCode, requests: server.requests.length, firstMs: first - started, allMs: ms, peakMb: Number(err.split("\n").at(-1)) / 1000, err: err, out: child.exitCode ? out.slice(-300) : "" };
}
