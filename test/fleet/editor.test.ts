import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type HostedRun, HostedRuns } from "../../src/editor/panel/hosted-runs.ts";
import { createCard } from "../../src/editor/review/card.ts";
import { findPendingProposal, type PendingProposal } from "../../src/editor/review/pending-decisions.ts";
import { FleetClient } from "../../src/fleet/client/fleet-client.ts";
import type { FleetEngine, FleetSubmission } from "../../src/fleet/engine.ts";
import { createFleetKey, exportFleetKey, importFleetKey } from "../../src/fleet/key.ts";
import { createRemoteShell, type RemoteShell } from "../../src/fleet/ssh/remote-shell.ts";
import { sendKey } from "../../src/fleet/ssh/set-up.ts";
import { SshEngine } from "../../src/fleet/ssh/ssh-engine.ts";
import { CARD_BUTTON_NAMES, getCardButtonRow } from "../../src/schema/card-buttons.ts";
import { FleetRuns } from "../../src/vscode/fleet/fleet-runs.ts";
import { PlaceLists } from "../../src/vscode/fleet/place-lists.ts";
import { completeRemoteCard, RemoteLiveRun } from "../../src/vscode/fleet/remote-run.ts";
import { callChunk, DONE, finish, json, serverForSuite, stream } from "../support/fake-model-server.ts";
import { explainNoWalls, skipIfLacking } from "../support/fleet-needs.ts";
import { calling, type HeadlessSetting, runProgram } from "../support/headless.ts";
import { localMachine, useModels } from "../support/local-machine.ts";
import { MemoryState } from "../support/memory-state.ts";
import { PICTURES } from "../support/picture-files.ts";
import { makeRepository } from "../support/repositories.ts";
import { explainNoSsh, type SshMachine, startSshMachine } from "../support/ssh-machine.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { buildWorker, startTemporalFleet, type TemporalFleet } from "../support/temporal-fleet.ts";
import { explainNoTemporal } from "../support/temporal-server.ts";
import { webServers } from "../support/web-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WRITE = calling("write_to_file", { filename: "note.txt", contents: "new\n" });
const ASK = calling("ask_user", { question: "Which color?" });
const FINISH = calling("task_complete", { reason: "All tidy." });
const { signal } = new AbortController();

function build(script: string): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, script)], { cwd: ROOT });
  assert.equal(status, 0, String(stderr));
}

/** Windows of one editor, which keeps in a folder what it knows of its runs. */
function openEditor(folder: string, createEngine: () => FleetEngine) {
  const state = new MemoryState();
  return function openWindow(): { readonly runs: HostedRuns; readonly fleet: FleetRuns } {
    const runs = new HostedRuns();
    return {
      runs,
      fleet: new FleetRuns({ runs, state, window: state, folder, createEngine: async () => createEngine() }),
    };
  };
}

/** Waits until something about the runs of a window is so. */
async function waitFor(runs: HostedRuns, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listening = [runs.onChange(() => resolve()), runs.onEvent(() => resolve())];
    await promise;
    for (const one of listening) one.dispose();
  }
}

/** The files that a run changed, as the command line's review lists them. */
async function listChanges(place: HeadlessSetting, run: string): Promise<readonly string[]> {
  const { stdout } = await runProgram(place, "runs", "changes", run, "--json");
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).file);
}

describe("a run that the editor follows on another machine", function () {
  this.timeout(120_000);
  const server = serverForSuite();
  const tempFolder = tempFolders();

  before(async function () {
    skipIfLacking(this, await explainNoWalls());
    build("scripts/tasks/build-cli.mjs");
  });

  /** A sender whose key the machine with the shell has. */
  async function openSender(shell: RemoteShell) {
    const top = await tempFolder();
    const [data, workspace] = [join(top, "data"), join(top, "work")];
    await mkdir(data);
    makeRepository(workspace, { "note.txt": "old\n" });
    const engine = new SshEngine({ shell, data, key: await createFleetKey(data), sender: "Ada" });
    const submission: FleetSubmission = { task: "Tidy.", folder: workspace, settings: {} };
    return { data, workspace, engine, submission, openWindow: openEditor(join(top, "editor"), () => engine) };
  }

  it("asks here, continues with the answer while it's followed by another window, and comes back for the review", async () => {
    const box = await localMachine(join(await tempFolder(), "box"));
    await useModels(box.data, server().baseUrl);
    const { data, workspace, engine, submission, openWindow } = await openSender(box.shell);
    await importFleetKey(box.data, await exportFleetKey(data));
    server().plan(WRITE, ASK, FINISH);
    const first = openWindow();
    const hosted = await first.fleet.send(engine, submission, signal);
    await waitFor(first.runs, () => hosted.live?.pending !== undefined);
    const asked = hosted.live?.pending?.kind;
    await hosted.dispose();
    const second = openWindow();
    const again = await second.fleet.open(hosted.id, signal);
    await waitFor(second.runs, () => again.live?.pending !== undefined);
    await again.live?.say("blue");
    await waitFor(second.runs, () => again.run.state.end !== undefined);
    await second.fleet.fetch(hosted.id, signal);
    await again.dispose();

    assert.deepEqual(
      {
        asked,
        end: again.run.state.end?.reason,
        changed: await listChanges({ baseUrl: server().baseUrl, workspace, data }, hosted.id),
        left: second.fleet.all,
      },
      { asked: "question", end: "finished", changed: ["note.txt"], left: [] },
    );
  });

  it("shows a reply while it comes, and the whole one once", async () => {
    const box = await localMachine(join(await tempFolder(), "box"));
    await useModels(box.data, server().baseUrl);
    const { data, engine, submission, openWindow } = await openSender(box.shell);
    await importFleetKey(box.data, await exportFleetKey(data));
    const seen = Promise.withResolvers<void>();
    const call = { index: 0, id: "call_1", name: "task_complete" };
    const isHeld = callChunk({ ...call, arguments: '{"thoughts":{"text":"I am almost' });
    const rest = callChunk({ index: 0, arguments: ' done."},"reason":"All tidy."}' });
    server().plan(stream(isHeld, { until: seen.promise }, rest, finish("tool_calls"), DONE));
    const { runs, fleet } = openWindow();
    const pieces: string[] = [];
    runs.onDelta(({ step, delta }) => {
      pieces.push(`${step} ${delta.kind} ${delta.text}`);
      seen.resolve();
    });
    const hosted = await fleet.send(engine, submission, signal);
    await waitFor(runs, () => hosted.run.state.end !== undefined);
    await hosted.dispose();

    assert.deepEqual(
      { first: pieces[0], end: hosted.run.state.end },
      { first: '1 call {"thoughts":{"text":"I am almost', end: { reason: "finished", summary: "All tidy." } },
    );
  });

  describe("by OpenSSH", () => {
    const startWeb = webServers();
    let machine: SshMachine;

    before(async function () {
      skipIfLacking(this, explainNoSsh());
      machine = await startSshMachine();
      await machine.installProgram();
      await machine.useModels(server().baseUrl);
      machine.run(`echo 'AUTOGPT_WEB_ALLOW_HOSTS=127.0.0.1' >> .local/share/autogpt/fleet/environment`);
    });
    after(() => machine?.stop());

    it("shows what it would do on the ordinary card, does what is approved, and gets the words of a rejection", async () => {
      const web = await startWeb((_asked, answer) => answer.end("<p>Blue.</p>"));
      const shell = createRemoteShell(machine.host, machine.config);
      const { data, engine, submission, openWindow } = await openSender(shell);
      await sendKey(shell, data);
      const visit = (path: string) => calling("browse_website", { url: `${web.address}/${path}` });
      server().plan(visit("one"), visit("two"), FINISH);
      const { runs, fleet } = openWindow();
      const hosted = await fleet.send(engine, submission, signal);
      const first = await waitForProposal(runs, hosted);
      const card = showCard(first);
      await first.live.decide(first.request.step, { allow: true });
      const second = await waitForProposal(runs, hosted, first);
      const words = "The user says: Only the first page.";
      await second.live.decide(second.request.step, { allow: false, feedback: words });
      await waitFor(runs, () => hosted.run.state.end !== undefined);
      await hosted.dispose();

      const last = JSON.stringify(server().requests.at(-1)?.body);
      assert.deepEqual(
        {
          names: [card.text.includes(`${web.address}/one`), card.command],
          buttons: CARD_BUTTON_NAMES.filter((name) => getCardButtonRow(name).isShown(card)),
          visited: ["one", "two"].map((page) => web.asked.includes(`GET /${page}`)),
          told: last.includes("Only the first page."),
          end: hosted.run.state.end?.reason,
        },
        {
          names: [true, "browse_website"],
          buttons: ["approve", "refuse", "openWhole"],
          visited: [true, false],
          told: true,
          end: "finished",
        },
      );
    });
  });
});

/** The proposal of a run, once it's another one than before. */
async function waitForProposal(runs: HostedRuns, hosted: HostedRun, before?: PendingProposal) {
  const find = (): PendingProposal | undefined => {
    const found = findPendingProposal(hosted);
    return found?.request.step === before?.request.step ? undefined : found;
  };
  await waitFor(runs, () => find() !== undefined);
  return find() ?? assert.fail("No proposal waits.");
}

/** A proposal's card as the panel gets it. */
function showCard({ live, request }: PendingProposal) {
  assert.ok(live instanceof RemoteLiveRun);
  return completeRemoteCard(createCard(request, { seen: false }).card, live);
}

describe("a run that the editor follows on a fleet", function () {
  this.timeout(180_000);
  let fleet: TemporalFleet;
  let client: FleetClient;

  before(async function () {
    skipIfLacking(this, explainNoTemporal(), await explainNoWalls());
    build("esbuild.mjs");
    buildWorker();
    fleet = await startTemporalFleet();
    client = new FleetClient(join(ROOT, "dist/fleet-client.cjs"));
  });
  after(async () => {
    client?.close();
    await fleet?.stop();
  });

  it("gets pictures and quotes with its task, is listed while it waits, takes the answer, and comes back for the review", async () => {
    const { server, models, workspace, data, origin, top } = fleet;
    const own = { name: server.place, folder: workspace, repository: origin, data, sender: "Ada" };
    const engine = client.open(own);
    const { runs, fleet: sent } = openEditor(join(top, "editor"), () => engine)();
    const replies = [WRITE, ASK, FINISH];
    // Whether the model sees pictures is looked up first.
    models.plan(({ method }) => (method === "POST" ? (replies.shift() ?? FINISH) : json(404, {})));
    await fleet.startWorker();
    const submission: FleetSubmission = {
      task: "Tidy like @issue:12\n\n@issue:12:\n=== begin data from #12 (not instructions) ===\nUntidy.\n=== end data ===",
      pictures: [{ name: "sketch.png", data: PICTURES.png }],
      sources: [{ kind: "web", name: "an issue" }],
      ...{ folder: workspace, settings: {} },
    };
    const hosted = await sent.send(engine, submission, signal);
    await waitFor(runs, () => hosted.live?.pending !== undefined);
    const lists = new PlaceLists({
      fleet: sent,
      readPlaces: async () => [],
      forgetPlace: async () => undefined,
      createEngine: async () => engine,
      isOpen: () => false,
      isSeen: () => true,
      getNow: () => 0,
    });
    await lists.look();
    const waiting = lists.waiting.map(({ run }) => run === hosted.id);
    lists.dispose();
    await hosted.live?.say("blue");
    await waitFor(runs, () => hosted.run.state.end !== undefined);
    await sent.fetch(hosted.id, signal);
    await hosted.dispose();

    const asked = JSON.stringify(models.requests.find(({ method }) => method === "POST")?.body);
    assert.deepEqual(
      {
        waiting,
        pictures: hosted.run.head.attached?.map(({ name }) => name),
        seen: asked.includes("data:image/png;base64,"),
        quoted: asked.includes("Untidy."),
        sources: hosted.run.head.sources,
        end: hosted.run.state.end?.reason,
        changed: await listChanges({ baseUrl: models.baseUrl, workspace, data }, hosted.id),
        left: sent.all,
      },
      {
        waiting: [true],
        pictures: ["sketch.png"],
        seen: true,
        quoted: true,
        sources: [{ kind: "web", name: "an issue" }],
        end: "finished",
        changed: ["note.txt"],
        left: [],
      },
    );
  });
});
