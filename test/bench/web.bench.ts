// What reading the web costs the thread that everything else runs on. `npm run bench web`; milliseconds.
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { answerFromPage } from "../../src/commands/web/page-text.ts";
import { getOutcomeText } from "../../src/core/commands/outcome.ts";
import type { WebPage } from "../../src/core/ports/services.ts";
import { createAddressCheck } from "../../src/node/web/address-check.ts";
import { createNodeWeb } from "../../src/node/web/node-web.ts";
import { FakeModel } from "../support/fake-model.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";

const MOST_GAP = 50;
const MAX_BYTES = 5_000_000;
/** The quietest of so many rounds counts: what else the machine does is not what is measured. */
const ROUNDS = 3;

const site = new Worker(new URL("./web/site.ts", import.meta.url));
const [port] = await once(site, "message");
const web = createNodeWeb({
  checkAddress: createAddressCheck(() => ["127.0.0.1"]),
  maxBytes: MAX_BYTES,
  worker: new URL("../../src/node/web/page-worker.ts", import.meta.url),
});

const rows: string[][] = [];
for (const [what, path] of [
  ["a page of 1 MB", "/1mb"],
  ["a page of 6 MB, cut at 5", "/6mb"],
  ["a question on that page", "/6mb?"],
  ["a table of 5 MB", "/table"],
  ["1 GB of gzip, stopped at 5 MB", "/bomb"],
  ["1,000 redirects, ended", "/redirect/1000"],
] as const) {
  const rounds: Measured[] = [];
  while (rounds.length < ROUNDS) rounds.push(await measure(path));
  const gap = Math.min(...rounds.map((round) => round.gap));
  rows.push([what, Math.min(...rounds.map(({ took }) => took)).toFixed(0), gap.toFixed(1), rounds[0]?.end ?? ""]);
  check(`longest gap of the event loop: ${what}`, gap, MOST_GAP);
}
table("Reading the web", ["what", "ms in all", "longest gap", "end"], rows);
await site.terminate();
exitWithChecks();

interface Measured {
  readonly took: number;
  readonly gap: number;
  readonly end: string;
}

/** How long a page took, and the longest time for which nothing else could run. */
async function measure(path: string): Promise<Measured> {
  await wait(200);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begin = performance.now();
  const looking = { signal: new AbortController().signal, browser: false };
  const end = await web
    .openPage(new URL(`http://127.0.0.1:${port}${path}`), looking)
    .then((page) => (path.endsWith("?") ? answered(page) : told(page)))
    .catch(failure);
  const took = performance.now() - begin;
  await wait(200);
  delay.disable();
  return { took, gap: delay.max / 1e6, end };
}

/** What reading it for a question costs beside the model, which answers at once. */
async function answered(page: WebPage): Promise<string> {
  const quotes = ["The harbour was quiet, and the boats lay still"];
  const model = new FakeModel([{ text: JSON.stringify({ answer: "It was quiet.", quotes }) }]);
  const { signal } = new AbortController();
  const nothing = { output: () => undefined, record: async () => undefined };
  const outcome = await answerFromPage(page, "Was the harbour quiet?", { model, signal, ...nothing });
  return `${model.requests.length} calls, ${getOutcomeText(outcome).length} characters`;
}

function told({ text, notes }: WebPage): string {
  return `${text.length} characters${notes.length > 0 ? ", cut" : ""}`;
}

function failure(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 60) : String(error);
}
