import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createFleetKey, exportFleetKey } from "../../src/fleet/key.ts";
import { openTemporalFleet } from "../../src/fleet/temporal/temporal-engine.ts";
import { openCopy } from "../../src/isolation/copy/copy-record.ts";
import { createLineReader } from "../../src/runs/log/read-log.ts";
import { DeployedImage, explainNoImage } from "../support/deployed-image.ts";
import { serverForSuite } from "../support/fake-model-server.ts";
import { skipIfLacking } from "../support/fleet-needs.ts";
import { answerGit } from "../support/git-backend.ts";
import { calling } from "../support/headless.ts";
import { git, makeRepository } from "../support/repositories.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { explainNoTemporal, startTemporalServer, type TemporalServer } from "../support/temporal-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { signal } = new AbortController();

describe("the worker's image, built by the steps of its Dockerfile", function () {
  this.timeout(600_000);
  const models = serverForSuite();
  const tempFolder = tempFolders();
  let image: DeployedImage;
  let temporal: TemporalServer | undefined;

  before(async function () {
    skipIfLacking(this, explainNoImage(), explainNoTemporal());
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/tasks/build-worker.mjs")]);
    assert.equal(status, 0, String(stderr));
    image = await DeployedImage.build(join(ROOT, "packages/worker/deploy/Dockerfile"), join(ROOT, "dist-worker"));
  });
  after(async () => {
    await temporal?.kill();
    await image?.remove();
  });

  it("isn't root, has no rights, and yet makes sandboxes", () => {
    const walls = "bwrap --ro-bind / / --unshare-all --proc /proc --dev /dev sh -c 'echo walls $$'";
    assert.deepEqual(
      {
        user: image.read("id -u"),
        rights: image.read("grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status | tr -s '\\t\\n' ' '"),
        walls: image.read(walls),
        programs: image.read("for program in git rg python3 ssh; do command -v $program; done | wc -l"),
        node: image.read("node --version"),
        writable: image.read("find / -xdev -writable -type f -not -path '/proc/*' | sort"),
      },
      {
        user: "10001",
        rights: "CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1",
        walls: "walls 2",
        programs: "4",
        node: process.version,
        writable: "/home/autogpt/.bash_logout\n/home/autogpt/.bashrc\n/home/autogpt/.profile",
      },
    );
  });

  it("says what it lacks, before it begins", () => {
    const start = "node /opt/autogpt/autogpt-worker.mjs worker";
    assert.deepEqual(
      {
        noPlace: image.read(start).split("\n")[0],
        noKey: image.read(`${start} --on temporal://127.0.0.1:1`).split("\n")[0],
        help: image.read(`${start} --help`).slice(0, 21),
      },
      {
        noPlace: "4: Say where the worker takes runs from: --on temporal://HOST:7233",
        noKey: "4: This machine has no fleet key. Bring it here: autogpt fleet key import",
        help: "Usage: autogpt worker",
      },
    );
  });

  it("takes a run from a Temporal server and ends it", async () => {
    const top = await tempFolder();
    temporal = await startTemporalServer(top);
    const workspace = join(top, "work");
    makeRepository(workspace, { "note.txt": "old\n" });
    git(top, "clone", "-q", "--bare", "work", "origin.git");
    const host = createServer((request, response) => answerGit(request, response, top)).listen(0, "127.0.0.1");
    await once(host, "listening");
    const repository = `http://127.0.0.1:${(host.address() as AddressInfo).port}/origin.git`;
    const key = await createFleetKey(top);
    const secret = join(top, "secret");
    await writeFile(secret, await exportFleetKey(top), { mode: 0o644 });
    await image.share(secret, "run/secrets/fleet-key");
    models().plan(
      calling("execute_shell", { command_line: "id -u > who.txt; echo new > note.txt" }),
      calling("task_complete", { reason: "Done." }),
    );
    const { place } = temporal;
    const worker = image.start(["--on", place, "--runs", "2"], {
      AUTOGPT_FLEET_KEY_FILE: "/run/secrets/fleet-key",
      OPENAI_API_KEY: "a-test-key",
      OPENAI_BASE_URL: models().baseUrl,
      AUTOGPT_MODEL_SMART: "fake",
      AUTOGPT_MODEL_CONTEXT_WINDOW: "16000",
    });
    const said = text(worker.stderr);
    const named = { name: place, data: top, key, sender: "Ada", folder: workspace, repository };
    const { engine, close } = await openTemporalFleet(named, {});
    const read = createLineReader();
    const events: string[] = [];
    let who = "";
    try {
      const { id } = await engine.submit({ task: "Try the image.", folder: workspace, settings: {} }, signal);
      for await (const event of engine.watch(id, "", signal)) {
        const stored = event.type === "stored" ? read(event.line) : undefined;
        if (stored?.type === "ended") events.push(stored.outcome.status);
        if (stored?.type === "over") events.push(stored.end.reason);
        if (event.type === "asks" && event.question) await engine.decide(event.question, { kind: "approved" }, signal);
      }
      await engine.fetch(id, workspace, signal);
      who = join((await openCopy(join(top, "copies", id))).visible[0] ?? "", "who.txt");
    } finally {
      worker.kill("SIGKILL");
      await close();
      host.close();
    }
    assert.deepEqual(
      { events, who: await readFile(who, "utf8"), ready: (await said).split("\n")[0]?.replace(/, as .*/, "") },
      {
        events: ["done", "finished", "finished"],
        who: "10001\n",
        ready: `Ready: up to 2 runs at once from ${temporal.host}`,
      },
    );
  });
});
