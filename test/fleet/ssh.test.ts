import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { createFleetKey, exportFleetKey, importFleetKey } from "../../src/fleet/key.ts";
import { createRemoteShell, type RemoteShell } from "../../src/fleet/ssh/remote-shell.ts";
import { findMissingPart, sendKey, sendProgram } from "../../src/fleet/ssh/set-up.ts";
import { SshEngine } from "../../src/fleet/ssh/ssh-engine.ts";
import { type Message, sendMessage } from "../../src/headless/fleet/send-message.ts";
import { createLineReader } from "../../src/runs/log/read-log.ts";
import { type FleetUnderTest, fleetEngineContract } from "../contract/fleet-engine.contract.ts";
import { type ServerAnswer, serverForSuite } from "../support/fake-model-server.ts";
import { explainNoWalls, skipIfLacking } from "../support/fleet-needs.ts";
import { calling } from "../support/headless.ts";
import { localMachine, useModels } from "../support/local-machine.ts";
import { makeRepository } from "../support/repositories.ts";
import { sendPicture } from "../support/sent-picture.ts";
import { explainNoSsh, type SshMachine, startSshMachine } from "../support/ssh-machine.ts";
import { tempFolders } from "../support/temp-folders.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { signal } = new AbortController();
const ANSWERS = 40;
/** Room for the program and some runs. */
const DISK_BYTES = 120_000_000;
const PROGRAM = join(ROOT, "dist-cli");

describe("another machine", function () {
  this.timeout(300_000);
  const server = serverForSuite();
  const tempFolder = tempFolders();
  let machine: SshMachine | undefined;

  before(async function () {
    skipIfLacking(this, await explainNoWalls());
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/tasks/build-cli.mjs")]);
    assert.equal(status, 0, String(stderr));
    if (explainNoSsh() === undefined) machine = await startSshMachine();
  });
  after(() => machine?.stop());

  /** A sender with a workspace of its own. */
  async function sender(shell: RemoteShell): Promise<FleetUnderTest> {
    const top = await tempFolder();
    const [data, workspace] = [join(top, "data"), join(top, "work")];
    await mkdir(data);
    makeRepository(workspace, { "note.txt": "old\n" });
    const key = await createFleetKey(data);
    return { engine: new SshEngine({ shell, data, key, sender: "Ada" }), workspace, data, server: server() };
  }

  fleetEngineContract("another home of this machine", async () => {
    const box = await localMachine(join(await tempFolder(), "box"));
    await useModels(box.data, server().baseUrl);
    const sent = await sender(box.shell);
    await importFleetKey(box.data, await exportFleetKey(sent.data));
    return sent;
  });

  it("that names who may submit and decide begins no task of others and hears no words of others, and says so", async () => {
    const box = await localMachine(join(await tempFolder(), "box"));
    await useModels(box.data, server().baseUrl);
    const { engine, workspace: folder, data } = await sender(box.shell);
    await importFleetKey(box.data, await exportFleetKey(data));
    const path = join(data, "fleet", "signing-key");
    await mkdir(join(data, "fleet"));
    assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]).status, 0);
    const allow = async (roles: string): Promise<void> => {
      const line = `ada namespaces="${roles}" ${await readFile(`${path}.pub`, "utf8")}`;
      await writeFile(join(box.data, "fleet", "allowed_signers"), line);
    };
    await allow("autogpt-submit");
    const other = await tempFolder();
    const key = await importFleetKey(other, await exportFleetKey(data));
    const stranger = new SshEngine({ shell: box.shell, data: other, key, sender: "Bob" });
    const task = { task: "Ask.", folder, settings: {} };
    const refused = await stranger.submit(task, signal).then(
      () => "begun",
      (error: Error) => error.message,
    );
    server().plan(calling("ask_user", { question: "Which color?" }));
    const { id } = await engine.submit(task, signal);
    const seen: string[] = [];
    for await (const event of engine.watch(id, "", signal)) {
      if (event.type === "refused") {
        seen.push(event.why);
        await allow("autogpt-submit,autogpt-decide");
        await engine.stop(id, signal);
      }
      if (event.type === "asks" && event.question) await engine.say(id, "Blue.", signal);
      if (event.type === "stored" && event.line.includes('"reason":"stopped"')) seen.push("stopped");
    }
    assert.deepEqual(
      { refused: refused.replace(/^box reports: \S+/, "box"), seen },
      {
        refused:
          "box doesn't work on this task of Bob: it has no signature of a person who may submit. They are in fleet/allowed_signers of its data folder, with the namespace autogpt-submit.",
        seen: [
          "Words and stops need the signature of a person who may decide, so this changed nothing. They are in the file allowed_signers of the machine that runs.",
          "stopped",
        ],
      },
    );
  });

  it("that refuses words of others makes the command that sends them fail with its reason", async () => {
    const box = await localMachine(join(await tempFolder(), "box"));
    await useModels(box.data, server().baseUrl);
    const { engine, workspace: folder, data } = await sender(box.shell);
    const key = await importFleetKey(box.data, await exportFleetKey(data));
    server().plan(calling("ask_user", { question: "Which color?" }), calling("task_complete", { reason: "Tidy." }));
    const { id } = await engine.submit({ task: "Ask.", folder, settings: {} }, signal);
    for await (const event of engine.watch(id, "", signal)) if (event.type === "asks" && event.question) break;
    const signers = join(box.data, "fleet", "allowed_signers");
    await writeFile(signers, "");
    const act = async (words: string): Promise<string> => {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
      const around = { stdin: Object.assign(stdin, { isTTY: false }), stdout, stderr, data, signal };
      // A window or a program of its own.
      const own = new SshEngine({ shell: box.shell, data, key, sender: "Ada" });
      const answer: Message["answer"] = (question) => own.decide(question, { kind: "said", text: words }, signal);
      const { kind } = await sendMessage(own, id, { answer, done: "The answer was sent." }, around);
      return `${kind}: ${stdout.read() ?? ""}${stderr.read() ?? ""}`;
    };
    const refused = await act("Blue.");
    await rm(signers);
    const taken = await act("Red.");
    assert.deepEqual(
      { refused, taken },
      {
        refused:
          "problem: It changed nothing. The answer has no signature of a person who may decide. They are in the file allowed_signers of the machine that runs.\n",
        taken: "done: The answer was sent.\n",
      },
    );
  });

  it("by OpenSSH gets the program and the key with the user's consent, and is ready then", async function () {
    skipIfLacking(this, explainNoSsh());
    if (!machine) return;
    const shell = createRemoteShell(machine.host, machine.config);
    const { data } = await sender(shell);
    const key = await createFleetKey(join(data, "own"));
    const parts: (string | undefined)[] = [];
    const look = async (): Promise<void> => void parts.push((await findMissingPart(shell, key, signal))?.part);
    await look();
    await sendProgram(shell, PROGRAM, signal);
    await look();
    await sendKey(shell, join(data, "own"));
    await look();
    machine.run("rm .local/share/autogpt/fleet-key");
    assert.deepEqual(parts, ["program", "key", undefined]);
  });

  /** A sender whose machine by OpenSSH is ready. */
  async function readyMachine(): Promise<FleetUnderTest> {
    if (!machine) throw new Error(explainNoSsh());
    const sent = await sender(createRemoteShell(machine.host, machine.config));
    machine.run("rm -f .local/share/autogpt/fleet-key");
    await machine.installProgram();
    await sendKey(createRemoteShell(machine.host, machine.config), sent.data);
    await machine.useModels(server().baseUrl);
    return sent;
  }

  describe("by OpenSSH", () => {
    before(function () {
      skipIfLacking(this, explainNoSsh());
    });

    fleetEngineContract("another user's machine by OpenSSH", readyMachine);

    it("shows its model the picture that the command line has sent with a task", async () => {
      const found = await sendPicture(await readyMachine(), "--on", "ssh:box", "--ssh-config", machine?.config ?? "");
      assert.deepEqual(found, { code: 0, isShown: true, said: "It shows a square." });
    });

    it("has a run that goes through cut connections, whose log is read on from where it stopped", async () => {
      const { engine, workspace } = await readyMachine();
      const asked = (text: string): ServerAnswer => calling("ask_user", { question: text });
      server().plan(asked("Left or right?"), calling("task_complete", { reason: "Done." }));
      const { id } = await engine.submit({ task: "Choose.", folder: workspace, settings: {} }, signal);
      const types: string[] = [];
      const read = createLineReader();
      let isCut = false;
      for await (const event of engine.watch(id, "", signal)) {
        types.push(event.type === "stored" ? (read(event.line)?.type ?? "unreadable") : event.type);
        if (event.type !== "asks" || !event.question) continue;
        if (isCut) await engine.decide(event.question, { kind: "said", text: "left" }, signal);
        else await machine?.cut(true);
        isCut = true;
      }
      const events = types.filter((type) => !["connection", "asks", "delta"].includes(type));
      assert.deepEqual(
        {
          connection: types.includes("connection"),
          starts: events.filter((type) => type === "started").length,
          events,
        },
        {
          connection: true,
          starts: 1,
          events: [
            "started",
            "asked",
            "replied",
            "decided",
            "began",
            "ended",
            "asked",
            "replied",
            "decided",
            "began",
            "ended",
            "over",
          ],
        },
      );
    });

    it("says that its disk is full, loses nothing, and continues once there is room", async () => {
      const restore = await machine?.limitDisk(DISK_BYTES);
      const { engine, workspace } = await readyMachine();
      const asked = calling("ask_user", { question: "Left or right?" });
      const fill = calling("execute_shell", { command_line: "head -c 300000000 /dev/zero > fill.bin; echo filled" });
      server().plan(asked, fill, calling("task_complete", { reason: "Done." }));
      const { id } = await engine.submit({ task: "Choose.", folder: workspace, settings: {} }, signal);
      const follow = async (log: string, answer: "left" | undefined) => {
        const troubles: string[] = [];
        const seen = { log, troubles };
        try {
          for await (const event of engine.watch(id, log, signal)) {
            if (event.type === "stored") seen.log += `${event.line}\n`;
            if (event.type !== "asks" || !event.question) continue;
            if (answer === undefined) await machine?.fillDisk();
            await engine.decide(event.question, { kind: "said", text: "left" }, signal);
          }
        } catch (error) {
          troubles.push(error instanceof Error ? error.message : "");
        }
        return seen;
      };
      const full = await follow("", undefined);
      await machine?.freeDisk();
      const filled = await follow(full.log, "left");
      machine?.run("rm -f .local/share/autogpt/copies/*/*/fill.bin .local/share/autogpt/copies/*/*/*/fill.bin");
      const free = await follow(filled.log, "left");
      await restore?.();
      const read = createLineReader();
      const events = free.log.split("\n").map((line) => read(line));
      const isFull = (why: string): boolean => why.startsWith("box reports: The disk of that machine is full");
      assert.deepEqual(
        {
          full: full.troubles.map(isFull),
          filled: filled.troubles.map(isFull),
          free: free.troubles,
          answers: free.log.split("The user's answer: left").length > 1,
          began: events.filter((event) => event?.type === "began" && event.command === "execute_shell").length,
          last: events.findLast((event) => event !== undefined)?.type,
        },
        { full: [true], filled: [true], free: [], answers: true, began: 1, last: "over" },
      );
    });

    it("shows events and carries out answers quickly", async () => {
      const { engine, workspace } = await readyMachine();
      const questions = Array.from({ length: ANSWERS }, (_, at) => calling("ask_user", { question: `Color ${at}?` }));
      server().plan(...questions, calling("task_complete", { reason: "Done." }));
      const { id } = await engine.submit({ task: "Ask.", folder: workspace, settings: {} }, signal);
      const read = createLineReader();
      const [shown, answered]: [number[], number[]] = [[], []];
      let decidedMs = 0;
      for await (const event of engine.watch(id, "", signal)) {
        const now = Date.now();
        const stored = event.type === "stored" ? read(event.line) : undefined;
        if (stored && decidedMs > 0) shown.push(now - Date.parse(stored.at));
        if (stored?.type === "ended" && decidedMs > 0) answered.push(Date.parse(stored.at) - decidedMs);
        if (event.type !== "asks" || !event.question) continue;
        decidedMs = Date.now();
        await engine.decide(event.question, { kind: "said", text: "blue" }, signal);
      }
      const p95 = (values: readonly number[]): number =>
        values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? -1;
      const figures = `${p95(shown)} ms from an event to the watcher, ${p95(answered)} ms from an answer to its effect`;
      process.stderr.write(`p95 of ${shown.length} events and ${answered.length} answers: ${figures}\n`);
      assert.deepEqual({ shown: p95(shown) <= 300, answered: p95(answered) <= 500 }, { shown: true, answered: true });
    });
  });
});
