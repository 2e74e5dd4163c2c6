import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { findLockHolder, takeProcessLock } from "../../../../src/node/processes/process-lock.ts";
import { claimDraft, isTakeOverPending, RunLease, requestRun } from "../../../../src/runs/log/run-lease.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

const seal = (text: string): string => createHash("sha256").update(`key ${text}`).digest("hex");
const LOCKS = { take: takeProcessLock, findHolder: findLockHolder };

/** The lease of a run that works until it's handed over. */
async function workingLease(home: string) {
  const lease = new RunLease(home, seal, { locks: LOCKS, kind: "editor" });
  const said: string[] = [];
  let isGoing = true;
  lease.keepWhile(
    () => isGoing,
    async (why) => {
      said.push(why);
      isGoing = false;
      return "half an answer";
    },
  );
  await lease.runExclusively(async () => undefined);
  return { lease, said };
}

describe("the lease of a run", function () {
  this.timeout(30_000);

  it("is given up when another process asks for the run, with what was typed and not sent", async () => {
    const home = await tempFolder();
    const { said } = await workingLease(home);
    await requestRun(home, seal, { findHolder: findLockHolder, signal: new AbortController().signal });
    const pending = [await isTakeOverPending(home, seal)];
    const draft = await claimDraft(home, seal);
    pending.push(await isTakeOverPending(home, seal));
    assert.deepEqual(
      { said, draft, pending, again: await claimDraft(home, seal), left: await readdir(home) },
      { said: ["asked"], draft: "half an answer", pending: [true, false], again: "", left: [] },
    );
  });

  it("isn't given up for a request that no process of the user wrote", async () => {
    const home = await tempFolder();
    const { lease, said } = await workingLease(home);
    const owner = JSON.parse(await readFile(join(home, "owner.json"), "utf8")) as Record<string, string>;
    const { seal: ownSeal, ...holder } = owner;
    const forged = [
      { request: JSON.stringify({ token: holder.token }), seal: "0".repeat(64) },
      { request: JSON.stringify(holder), seal: ownSeal },
      { request: JSON.stringify({ token: holder.token, draft: "rm -rf" }), seal: ownSeal },
    ];
    const drafts: string[] = [];
    for (const request of forged) {
      await writeFile(join(home, "take-over.json"), JSON.stringify(request));
      await wait(2_500);
      drafts.push(await claimDraft(home, seal));
    }
    await lease.close();
    assert.deepEqual({ said, drafts }, { said: [], drafts: ["", "", ""] });
  });

  it("stays where it is if the request is canceled before it's answered", async () => {
    const home = await tempFolder();
    const stop = new AbortController();
    const lock = await takeProcessLock(join(home, "owner.json"), seal);
    setTimeout(() => stop.abort(new Error("Canceled.")), 300);
    const asking = requestRun(home, seal, { findHolder: findLockHolder, signal: stop.signal });
    const said = await asking.catch((error: Error) => error.message);
    const left = await readdir(home);
    if ("token" in lock) await lock.release();
    assert.deepEqual({ said, left }, { said: "Canceled.", left: ["owner.json"] });
  });
});
