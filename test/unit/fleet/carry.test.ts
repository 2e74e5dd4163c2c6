import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, chmod, mkdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCarrier } from "../../../src/fleet/carrier.ts";
import { claimRun, fetchRun, readCarriedLog } from "../../../src/fleet/carry.ts";
import { unpackCopy } from "../../../src/fleet/copy-tree.ts";
import { openCarryGit } from "../../../src/fleet/run-ref.ts";
import { openCopy } from "../../../src/isolation/copy/copy-record.ts";
import { readLogText } from "../../../src/runs/log/read-log.ts";
import { loadRunOwner } from "../../../src/runs/store/machine.ts";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import { createUndoJournal } from "../../../src/runs/undo/journal.ts";
import { createPreImages } from "../../../src/runs/undo/pre-images.ts";
import type { AgentEventBody } from "../../../src/schema/events.ts";
import { changesOf } from "../../support/copies.ts";
import { begin, FLEET_RUN, type FleetMachine, homeOf, makeFleet, record, send } from "../../support/fleet-machines.ts";
import { git, writeFiles } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

const said: AgentEventBody = { type: "said", text: "Mind the secret kumquat.", by: "user" };

async function fleet(...names: readonly string[]): Promise<readonly [FleetMachine, FleetMachine, FleetMachine]> {
  const [one, two, three] = await makeFleet(await tempFolder(), names);
  assert.ok(one && two && three);
  return [one, two, three];
}

/** A run that machine A has begun and carried, with changes of each kind in its copy. */
async function movedRun() {
  const [sender, a, b] = await fleet("sender", "a", "b");
  await writeFiles(sender.workspace, {
    "untracked.txt": "mine\n",
    "note.txt": "one\ntwo\nTHREE\n",
    ".env": "KEY=kumquat",
  });
  const { task, notes } = await send(sender);
  const claimed = await claimRun(a.place, FLEET_RUN, "box a");
  const copy = await begin(a, claimed);
  const [root = ""] = copy.visible;
  writeFiles(root, {
    "note.txt": "one\nTWO\nTHREE\n",
    "deep/new.sh": "true\n",
    "ignored/big.txt": "ignored",
    "secret/.env": "KEY=kumquat",
  });
  await chmod(join(root, "deep/new.sh"), 0o755);
  await rm(join(root, "old.txt"));
  await symlink(join(root, "note.txt"), join(root, "link"));
  await record(a, claimed, 1, said);
  const carrier = await createCarrier(a.place, FLEET_RUN);
  await carrier.push();
  return { sender, a, b, claimed, carrier, task, notes };
}

describe("a run that moves", () => {
  it("can't start in a shallow clone whose history the repository lacks, and says how to get that", async () => {
    const [sender] = await fleet("sender", "a", "b");
    const top = await tempFolder();
    git(sender.workspace, "commit", "-q", "--allow-empty", "-m", "Second");
    git(top, "clone", "-q", "--depth", "1", `file://${sender.workspace}`, "shallow");
    git(top, "init", "-q", "--bare", "empty.git");
    const workspace = join(top, "shallow");
    const repository = { root: workspace, gitFolder: join(workspace, ".git") };
    const place = { ...sender.place, repository, remote: { address: join(top, "empty.git") } };
    const said = await send({ place, workspace }).then(String, (error: Error) => error.message);
    assert.equal(
      said,
      `The repository of ${workspace} is a shallow clone, whose history can't be sent. Fetch the rest of it with: git fetch --unshallow`,
    );
  });

  it("continues on another machine as it was, but for ignored files and secrets", async () => {
    const { b, task, notes } = await movedRun();
    const claimed = await claimRun(b.place, FLEET_RUN, "box b");
    const copy = await openCopy(join(b.place.data, "copies", FLEET_RUN));
    const [root = ""] = copy.visible;
    const owner = await loadRunOwner(b.place.data);
    const stored = await createRunStoreForHomes([join(claimed.workspace, ".autogpt")], owner).open(FLEET_RUN);
    const [first] = stored.events;
    assert.deepEqual(
      {
        claimed: { attempt: claimed.attempt, hasLog: claimed.hasLog, settings: claimed.task.settings },
        base: await readFile(join(claimed.workspace, "untracked.txt"), "utf8"),
        note: await readFile(join(root, "note.txt"), "utf8"),
        isExecutable: ((await stat(join(root, "deep/new.sh"))).mode & 0o111) !== 0,
        link: await readlink(join(root, "link")),
        changes: await changesOf(copy),
        left: claimed.notes.map((note) => (typeof note === "string" ? note : note.parameters?.files)),
        sent: notes.map((note) => (typeof note === "string" ? note : note.parameters?.files)),
        readOnly: stored.readOnly,
        events: stored.events.map(({ type }) => type),
        folder: first?.type === "started" && first.folder === claimed.workspace,
        last: stored.events.at(-1),
        task: claimed.task.task === task.task,
      },
      {
        claimed: { attempt: 2, hasLog: true, settings: { "run.maxSteps": 12 } },
        base: "mine\n",
        note: "one\nTWO\nTHREE\n",
        isExecutable: true,
        link: "note.txt",
        changes: {
          "deep/new.sh": "none → file",
          link: "none → link",
          "note.txt": "file → file",
          "old.txt": "file → none",
        },
        left: [["secret/.env"]],
        sent: [[".env"]],
        readOnly: undefined,
        events: ["started", "said", "resumed"],
        folder: true,
        last: {
          seq: 2,
          at: stored.events.at(-1)?.at,
          type: "resumed",
          reason: "continued on another machine",
          attempt: 2,
          machine: "box b",
        },
        task: true,
      },
    );
  });

  it("belongs to one machine: the one that was given up can't carry it any more, nor add to its log", async () => {
    const { a, b, claimed, carrier } = await movedRun();
    const taken = await claimRun(b.place, FLEET_RUN, "box b");
    await record(a, claimed, 2, said);
    const refused = await carrier.push().then(String, (error: Error) => error.name);
    const stale = (await readLogText(homeOf(claimed))).split("\n").at(-2);
    await writeFile(join(homeOf(taken), "run.jsonl"), `${await readLogText(homeOf(taken))}${stale}\n`);
    const owner = await loadRunOwner(b.place.data);
    assert.deepEqual(
      { refused, isWritten: owner.hasWritten(FLEET_RUN, await readLogText(homeOf(taken))) },
      { refused: "FleetTakenError", isWritten: false },
    );
  });

  it("stops where its commits were deleted from the repository, and says so", async () => {
    const { a, claimed, carrier } = await movedRun();
    git(a.place.remote?.address ?? "", "update-ref", "-d", `refs/autogpt/${FLEET_RUN}`);
    await record(a, claimed, 2, said);
    const refused = await carrier.push().then(String, (error: Error) => `${error.name}: ${error.message}`);
    assert.equal(
      refused,
      `FleetTakenError: The commits of the run ${FLEET_RUN} were deleted from the repository, so this machine has stopped working on it. Restore refs/autogpt/${FLEET_RUN} there, or send the task again.`,
    );
  });

  it("is claimed by one of two machines that want it at once", async () => {
    const [sender, a, b] = await fleet("sender", "a", "b");
    await send(sender);
    const claims = [a, b].map(({ place }, at) => claimRun(place, FLEET_RUN, `box ${at}`));
    const ends = await Promise.allSettled(claims);
    assert.deepEqual(
      {
        won: ends.filter(({ status }) => status === "fulfilled").length,
        lost: ends.flatMap((end) => (end.status === "rejected" ? [end.reason.name] : [])),
      },
      { won: 1, lost: ["FleetTakenError"] },
    );
  });

  it("declares a command that had begun interrupted, once it's claimed again", async () => {
    const { a, b, claimed, carrier } = await movedRun();
    await record(a, claimed, 2, { type: "began", step: 1, command: "write_note", args: {} });
    await carrier.push();
    const taken = await claimRun(b.place, FLEET_RUN, "box b");
    const last = JSON.parse((await readLogText(homeOf(taken))).trim().split("\n").at(-1) ?? "");
    assert.equal(last.reason, "continued after an interruption");
  });

  it("continues from what the same machine has, if it wrote more than was carried", async () => {
    const { a, claimed } = await movedRun();
    const copy = await openCopy(join(a.place.data, "copies", FLEET_RUN));
    await record(a, claimed, 2, said);
    writeFiles(copy.visible[0] ?? "", { "later.txt": "later\n" });
    const again = await claimRun(a.place, FLEET_RUN, "box a");
    const lines = (await readLogText(homeOf(again))).trim().split("\n");
    assert.deepEqual(
      {
        attempt: again.attempt,
        types: lines.map((line) => JSON.parse(line).type),
        later: (await changesOf(copy))["later.txt"],
      },
      { attempt: 3 - 1, types: ["started", "said", "said", "resumed"], later: "none → file" },
    );
  });

  it("begins cleanly where an attempt ended before anything was carried", async () => {
    const [sender, a, b] = await fleet("sender", "a", "b");
    await send(sender);
    await begin(a, await claimRun(a.place, FLEET_RUN, "box a"));
    await claimRun(b.place, FLEET_RUN, "box b");
    const again = await claimRun(a.place, FLEET_RUN, "box a");
    await begin(a, again);
    const owner = await loadRunOwner(a.place.data);
    const log = await readLogText(homeOf(again));
    assert.deepEqual(
      {
        attempt: again.attempt,
        hasLog: again.hasLog,
        lines: log.trim().split("\n").length,
        isWritten: owner.hasWritten(FLEET_RUN, log),
      },
      { attempt: 3, hasLog: false, lines: 1, isWritten: true },
    );
  });

  it("comes back to the sender's workspace for the ordinary review, also after the user has changed it", async () => {
    const { sender } = await movedRun();
    await writeFile(join(sender.workspace, "note.txt"), "ONE\ntwo\nTHREE\n");
    const fetched = await fetchRun(sender.place, FLEET_RUN, sender.workspace);
    const copy = await openCopy(join(sender.place.data, "copies", FLEET_RUN));
    const owner = await loadRunOwner(sender.place.data);
    const stored = await createRunStoreForHomes([join(sender.workspace, ".autogpt")], owner).open(FLEET_RUN);
    assert.deepEqual(
      {
        fetched: { attempt: fetched.attempt, machine: fetched.machine, hasLog: fetched.hasLog },
        origin: copy.folders.map(({ origin }) => origin === sender.workspace),
        changes: Object.keys(await changesOf(copy)),
        readOnly: stored.readOnly,
        status: git(sender.workspace, "status", "--porcelain").trim().split("\n"),
      },
      {
        fetched: { attempt: 1, machine: "box a", hasLog: true },
        origin: [true],
        changes: ["deep/new.sh", "link", "note.txt", "old.txt"],
        readOnly: undefined,
        status: ["M note.txt", "?? .env", "?? untracked.txt"],
      },
    );
  });

  it("travels encrypted: neither its task nor its log can be read by whoever keeps the commits", async () => {
    const { claimed, sender } = await movedRun();
    const top = join(sender.workspace, "../../origin.git");
    const objects = git(top, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)");
    const contents = objects
      .trim()
      .split("\n")
      .map((line) => git(top, "cat-file", line.endsWith("tree") ? "-p" : "-p", line.split(" ")[0] ?? ""));
    const whole = contents.join("\n");
    const found = ["kumquat", "Tidy the notes", "box a", "run.maxSteps", "Ada <", claimed.workspace].filter((text) =>
      whole.replaceAll(/^(?:author|committer) .*$/gm, "").includes(text),
    );
    assert.deepEqual({ found, isThere: whole.includes("TWO") }, { found: [], isThere: true });
  });
});

describe("what travels with a run", () => {
  it("is its undo, for the files of the copy that the other machine has", async () => {
    const { a, b, claimed, carrier } = await movedRun();
    const seal = (await loadRunOwner(a.place.data)).createSeal(FLEET_RUN);
    const home = homeOf(claimed);
    const copy = await openCopy(join(a.place.data, "copies", FLEET_RUN));
    const path = join(copy.visible[0] ?? "", "note.txt");
    const journal = createUndoJournal(home, createPreImages(home, 1e9), undefined, seal);
    const change = await journal.begin({ by: "step", step: 1, files: [{ path }] });
    await writeFile(path, "changed\n");
    await journal.settle(change, [path]);
    await carrier.push();
    const taken = await claimRun(b.place, FLEET_RUN, "box b");
    const kept = createPreImages(homeOf(taken), 1e9);
    const sealOfB = (await loadRunOwner(b.place.data)).createSeal(FLEET_RUN);
    const [first, last] = await createUndoJournal(homeOf(taken), kept, undefined, sealOfB).read();
    const there = (await openCopy(join(b.place.data, "copies", FLEET_RUN))).visible[0] ?? "";
    const was = first && "files" in first ? first.files[0]?.was : undefined;
    assert.deepEqual(
      {
        paths: [first, last].map((line) => line && ("files" in line ? line.files : line.now)[0]?.path),
        was: was?.kind === "file" && (await kept.read(was.hash)).toString(),
      },
      { paths: [join(there, "note.txt"), join(there, "note.txt")], was: "one\nTWO\nTHREE\n" },
    );
  });

  it("is its log, line by line as it was written, also for those who only follow it", async () => {
    const { sender, claimed } = await movedRun();
    assert.equal(`${(await readCarriedLog(sender.place, FLEET_RUN)).join("\n")}\n`, await readLogText(homeOf(claimed)));
  });
});

describe("a run that can't move", () => {
  const said = (act: Promise<unknown>): Promise<string> =>
    act.then(
      () => "nothing was refused",
      (error: Error) => error.message.split(/[:,(] |\. |\.$/)[0] ?? "",
    );

  it("says in one sentence what to do", async () => {
    const { sender, a, b } = await movedRun();
    const other = (await makeFleet(await tempFolder(), ["x"]))[0];
    assert.ok(other);
    const wrongKey = { ...b.place, key: other.place.key };
    const nowhere = { ...b.place, remote: { address: join(await tempFolder(), "none.git") } };
    const outside = await tempFolder();
    assert.deepEqual(
      {
        wrongKey: await said(claimRun(wrongKey, FLEET_RUN, "x")),
        nowhere: await said(claimRun(nowhere, FLEET_RUN, "x")),
        unknown: await said(claimRun(b.place, "20260102_030405_scribe_0a1c", "x")),
        badRun: await said(claimRun(b.place, "../x", "x")),
        exists: await said(send(sender)),
        worksHere: await said(fetchRun(a.place, FLEET_RUN, a.workspace)),
        noRepository: await said(fetchRun(b.place, FLEET_RUN, outside)),
        notClaimed: await said(createCarrier(sender.place, FLEET_RUN)),
      },
      {
        wrongKey: "What was carried for this run can't be read",
        nowhere: `The repository at ${nowhere.remote.address} can't be reached`,
        unknown: "There is no run 20260102_030405_scribe_0a1c in this repository",
        badRun: '"../x" isn\'t the ID of a run',
        exists: `There is a run ${FLEET_RUN} in this repository already`,
        worksHere: "This machine works on the run itself",
        noRepository: `${outside} isn't in a git repository`,
        notClaimed: "This run works on another machine",
      },
    );
  });

  it("isn't continued from an older state than this machine has seen", async () => {
    const { a, claimed, carrier, sender } = await movedRun();
    const origin = join(sender.workspace, "../../origin.git");
    const before = git(origin, "rev-parse", `refs/autogpt/${FLEET_RUN}`).trim();
    await record(a, claimed, 2, said2);
    await carrier.push();
    git(origin, "update-ref", `refs/autogpt/${FLEET_RUN}`, before);
    assert.match(await said(claimRun(a.place, FLEET_RUN, "a")), /^The repository has an older state/);
  });

  it("isn't continued from an older state under a newer claim, nor before an attempt that has asked", async () => {
    const { a, b, claimed, carrier, sender } = await movedRun();
    const origin = join(sender.workspace, "../../origin.git");
    const ref = `refs/autogpt/${FLEET_RUN}`;
    const before = git(origin, "rev-parse", ref).trim();
    await record(a, claimed, 2, said2);
    await carrier.push();
    const older = await said(claimRun(b.place, FLEET_RUN, "b", 2));
    await claimRun(b.place, FLEET_RUN, "b");
    git(origin, "read-tree", ref);
    const state = git(origin, "rev-parse", `${before}:state`).trim();
    git(origin, "update-index", "--cacheinfo", `100644,${state},state`);
    const tree = git(origin, "write-tree").trim();
    git(origin, "update-ref", ref, git(origin, "commit-tree", tree, "-p", ref, "-m", "x").trim());
    const mixed = await said(claimRun(a.place, FLEET_RUN, "a"));
    assert.deepEqual(
      { older, mixed },
      {
        older: `The repository has an older state of the run ${FLEET_RUN} than this machine has seen`,
        mixed: `What was carried for the run ${FLEET_RUN} is damaged`,
      },
    );
  });

  it("removes nothing behind a link, even if its tree has a link and a folder of one name", async () => {
    const [sender, a] = await fleet("sender", "a", "b");
    const elsewhere = await tempFolder();
    writeFiles(elsewhere, { "kept.txt": "kept" });
    await symlink(elsewhere, join(sender.workspace, "link"));
    const { task } = await send(sender);
    const copy = await begin(a, await claimRun(a.place, FLEET_RUN, "box a"));
    const blob = git(a.workspace, "rev-parse", `${task.base}:note.txt`).trim();
    const folder = makeTree(a.workspace, `100644 blob ${blob}\tkept.txt\n`);
    const listed = git(a.workspace, "ls-tree", task.base);
    const tree = makeTree(a.workspace, `${listed}040000 tree ${folder}\tlink\n`);
    const openGit = await openCarryGit(a.place);
    const refused = await said(unpackCopy(a.place, openGit, { base: task.base, tree, copy }));
    assert.deepEqual(
      { refused, kept: await readFile(join(elsewhere, "kept.txt"), "utf8") },
      { refused: 'The carried files have a name that no copy may have ("link/kept.txt")', kept: "kept" },
    );
  });

  it("isn't laid out if its tree, its claim or its state was changed without the key", async () => {
    const { b, sender } = await movedRun();
    const origin = join(sender.workspace, "../../origin.git");
    const ref = `refs/autogpt/${FLEET_RUN}`;
    const right = git(origin, "rev-parse", ref).trim();
    const forge = (name: string, content: string): void => {
      const path = join(origin, "forged");
      git(origin, "read-tree", right);
      writeFiles(origin, { forged: content });
      const blob = git(origin, "hash-object", "-w", path).trim();
      git(origin, "update-index", "--add", "--cacheinfo", `100644,${blob},${name}`);
      const tree = git(origin, "write-tree").trim();
      git(origin, "update-ref", ref, git(origin, "commit-tree", tree, "-p", right, "-m", "x").trim());
    };
    const found: Record<string, string> = {};
    for (const name of ["task", "attempt", "state"]) {
      forge(name, '{"attempt":9,"machine":"x","seal":"00000000000000000000000000000000"}\n');
      found[name] = await said(claimRun(b.place, FLEET_RUN, "b"));
    }
    assert.deepEqual(found, {
      task: "What was carried for this run can't be read",
      attempt: `What was carried for the run ${FLEET_RUN} is damaged`,
      state: `What was carried for the run ${FLEET_RUN} is damaged`,
    });
  });

  it("says that submodules and files of Git LFS don't travel", async () => {
    const [sender] = await fleet("sender", "a", "b");
    writeFiles(sender.workspace, { ".gitmodules": '[submodule "x"]\n', ".gitattributes": "*.bin filter=lfs\n" });
    const { notes } = await send(sender);
    assert.deepEqual(
      notes.map((note) => (typeof note === "string" ? note : note.code)),
      ["fleet.submodules", "fleet.lfs"],
    );
  });

  it("isn't continued with lines in its log that no machine wrote in its turn", async () => {
    const { b, claimed, carrier } = await movedRun();
    await appendFile(join(homeOf(claimed), "run.jsonl"), '{"seq":2,"type":"granted","count":100}\n');
    await carrier.push();
    assert.match(await said(claimRun(b.place, FLEET_RUN, "b")), /^The log of the run .* has lines that no machine/);
  });

  it("says that a part of it is missing in the repository", async () => {
    const { b, sender } = await movedRun();
    await readCarriedLog(b.place, FLEET_RUN);
    const { remote: _, ...place } = b.place;
    const ref = `refs/autogpt/${FLEET_RUN}`;
    git(b.workspace, "update-ref", ref, git(join(sender.workspace, "../../origin.git"), "rev-parse", ref).trim());
    const blobs = git(b.workspace, "ls-tree", "--name-only", `${ref}:run`).trim().split("\n");
    for (const blob of blobs)
      await rm(join(b.workspace, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });
    assert.match(await said(claimRun(place, FLEET_RUN, "b")), /^A part of the run is missing in the repository/);
  });

  it("stays claimable if the repository refuses it, or if there's no room for its copy", async () => {
    const { b, sender } = await movedRun();
    const origin = join(sender.workspace, "../../origin.git");
    git(origin, "config", "receive.hideRefs", "refs/autogpt");
    const refused = await said(claimRun(b.place, FLEET_RUN, "b"));
    git(origin, "config", "--unset", "receive.hideRefs");
    const full = await said(claimRun({ ...b.place, quotaBytes: 1 }, FLEET_RUN, "b"));
    const { attempt, hasLog } = await claimRun(b.place, FLEET_RUN, "b");
    assert.deepEqual(
      { refused: /doesn't take the run/.test(refused), full: /would take more than/.test(full), attempt, hasLog },
      { refused: true, full: true, attempt: 3, hasLog: true },
    );
  });

  it("stays where the machines can't keep it", async () => {
    const { b } = await movedRun();
    const place = join(b.place.data, "fleet/places", FLEET_RUN);
    await claimRun(b.place, FLEET_RUN, "b");
    await rm(join(place, ".autogpt"), { recursive: true });
    await mkdir(join(b.place.data, "elsewhere"));
    await symlink(join(b.place.data, "elsewhere"), join(place, ".autogpt"));
    assert.match(await said(claimRun(b.place, FLEET_RUN, "b")), /^Runs can't be kept in/);
  });
});

function makeTree(folder: string, entries: string): string {
  return execFileSync("git", ["mktree"], { cwd: folder, input: entries, encoding: "utf8" }).trim();
}

const said2: AgentEventBody = { type: "said", text: "More.", by: "user" };
