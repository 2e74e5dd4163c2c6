import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHeadlessModels } from "../../src/headless/models.ts";
import { makeSecrets } from "../../src/runs/log/secrets.ts";
import { loadChanges, openReadRepository, REVIEW_LIMITS } from "../../src/runtime/review/change-set.ts";
import { draftMessage, readMessageMaterial } from "../../src/runtime/review/draft-message.ts";
import { reviewChanges } from "../../src/runtime/review/review-changes.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";
import { fakeModelServer, saying } from "../support/fake-model-server.ts";
import { payFor } from "../support/paid-models.ts";
import { carelessReviewer, countChangedLines, plantChanges } from "../support/planted-changes.ts";
import { git } from "../support/repositories.ts";
import { median } from "./memory/clock.ts";
import { check, exitWithChecks, table, tellMachine } from "./memory/report.ts";

// How long the message of 2,000 changed lines takes to begin beside the model's own time, and how many of 20 planted faults a review with
// careless quotes puts on their lines. The model answers at once, over HTTP. `npm run bench -- source-control.bench`.

const ROUNDS = 7;
const MOST_MS = 100;
const LEAST_FOUND = 16;

const folder = await realpath(await mkdtemp(join(tmpdir(), "autogpt-source-control-")));
const server = await fakeModelServer();
const { signal } = new AbortController();
const settings = {
  ...DEFAULT_SETTINGS,
  model: { ...DEFAULT_SETTINGS.model, baseUrl: server.baseUrl, smart: "fake", contextWindow: 128_000 },
};
const { redact } = makeSecrets(["a-key-that-is-never-sent"]);
const models = createHeadlessModels(settings, async () => "a-test-key");

/** Milliseconds from the button to the first words, without those that the server has the request. */
async function measureDraft(): Promise<number> {
  const start = performance.now();
  let [asked, answered, first] = [0, 0, 0];
  server.plan(() => {
    asked = performance.now();
    const answer = saying("orders: read and load anew");
    answered = performance.now();
    return answer;
  });
  const [material, { fast }] = await Promise.all([
    readMessageMaterial(folder, true, signal),
    models.createModelPair(settings),
  ]);
  await draftMessage({
    ...{ material, model: payFor(fast).model, lengths: { subject: 50, line: 72 }, begun: "", signal, redact },
    show: () => {
      first ||= performance.now();
    },
  });
  return first - start - (answered - asked);
}

try {
  const planted = plantChanges(folder);
  const changed = countChangedLines(folder);
  git(folder, "add", "-A");
  const first = await measureDraft();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await measureDraft());

  server.plan(carelessReviewer);
  const start = performance.now();
  const changes = await loadChanges(await openReadRepository(folder, signal), { kind: "uncommitted" }, REVIEW_LIMITS);
  const { smart } = await models.createModelPair(settings);
  const { findings, unplaced } = await reviewChanges({ changes, paid: payFor(smart), signal, redact });
  const reviewMs = performance.now() - start;
  const isOn = ({ file, line }: { readonly file: string; readonly line: number }) =>
    findings.some((one) => one.file === file && one.line === line);
  const found = planted.filter(isOn).length;
  const onNoFault = findings.filter(({ file, line }) => !planted.some((one) => one.file === file && one.line === line));

  tellMachine();
  table(
    `${changed} changed lines`,
    ["", ""],
    [
      ["the first draft begins after, ms", first.toFixed(0)],
      ["a later one, median ms", median(times).toFixed(0)],
      ["review, ms", reviewMs.toFixed(0)],
      ["planted faults on their lines", `${found} of ${planted.length}`],
      ["citations without a place", String(unplaced)],
    ],
  );
  check("a message begins beside the model's time, ms", median(times), MOST_MS);
  check("planted faults that are missed", planted.length - found, planted.length - LEAST_FOUND);
  check("findings on other lines", onNoFault.length, 0);
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
exitWithChecks();
