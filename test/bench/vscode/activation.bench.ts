// What activation costs a window, beside a hello-world extension measured the same way: fresh hosts, medians of ten.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runInExtensionHost } from "../../host/extension-host.ts";
import { ROOT } from "../../host/places.ts";
import { copyWorkspace } from "../../host/workspace.ts";
import { median } from "../memory/clock.ts";
import { check, exitWithChecks, table } from "../memory/report.ts";

const HOSTS = Number(process.env.BENCH_HOSTS ?? 10);
const HELLO = path.join(ROOT, "test/fixtures/hello-extension");
const MEGABYTE = 1024 * 1024;

interface Seen {
  readonly ms: number;
  readonly rss: number;
  readonly bytesRead: number;
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "activation-"));
try {
  const ours = await activations("autogpt-vscode.autogpt");
  const hello = await activations("autogpt-tests.hello-extension");
  const of = (seen: readonly Seen[], what: keyof Seen): number => median(seen.map((one) => one[what]));
  const row = (name: string, seen: readonly Seen[]): string[] => [
    name,
    `${of(seen, "ms").toFixed(1)} ms`,
    `${(of(seen, "rss") / MEGABYTE).toFixed(1)} MB`,
    `${(of(seen, "bytesRead") / 1024).toFixed(0)} kB`,
  ];
  table(
    `Activation, medians of ${HOSTS} fresh hosts`,
    ["", "time", "memory added", "files read"],
    [row("AutoGPT", ours), row("hello world", hello)],
  );
  check("activation in ms", of(ours, "ms"), 50);
  check("memory added in MB", of(ours, "rss") / MEGABYTE, 30);
  check("files read in MB", of(ours, "bytesRead") / MEGABYTE, 1);
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
exitWithChecks();

async function activations(id: string): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (let host = 0; host < HOSTS; host++) seen.push(await activation(id, path.join(scratch, `${id}-${host}.json`)));
  return seen;
}

async function activation(id: string, file: string): Promise<Seen> {
  const workspace = copyWorkspace(path.join(ROOT, "test/fixtures/sample-workspace"));
  const silence = new Promise<void>((resolve) => setTimeout(resolve, 90_000).unref());
  try {
    const end = await runInExtensionHost({
      tests: path.join(HELLO, "measure.cjs"),
      extensions: [ROOT, HELLO],
      workspace: workspace.folder,
      env: { MEASURE_ID: id, MEASURE_FILE: file },
      silence,
      picture: path.join(ROOT, "test/shots/activation.png"),
    });
    if ("trouble" in end) throw new Error(end.trouble);
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } finally {
    workspace.remove();
  }
}
