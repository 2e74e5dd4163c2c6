import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTaskParts, writeCarried } from "../../../src/fleet/carried.ts";
import { createCarrier } from "../../../src/fleet/carrier.ts";
import { claimRun } from "../../../src/fleet/carry.ts";
import { moveRunRef, openCarryGit } from "../../../src/fleet/run-ref.ts";
import { type SignatureRole, signWithSsh } from "../../../src/fleet/signatures.ts";
import type { Submitted } from "../../../src/fleet/submit.ts";
import { begin, FLEET_RUN, type FleetMachine, makeFleet, send } from "../../support/fleet-machines.ts";
import { git } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

const OTHER_RUN = "20260102_030405_other_9f9f";
const UNSIGNED =
  "box doesn't work on this task of Ada: it has no signature of a person who may submit. They are in fleet/allowed_signers of its data folder, with the namespace autogpt-submit.";
const DAMAGED = `What was carried for the run ${FLEET_RUN} is damaged, or was changed without the key. Nothing was laid out; send the task again.`;

/** A sender with an SSH key, and a machine that works for them alone. */
async function fleet() {
  const top = await tempFolder();
  const [sender, box] = await makeFleet(top, ["ann", "box"]);
  assert.ok(sender && box);
  const signers = join(box.place.data, "fleet", "allowed_signers");
  for (const { place } of [sender, box]) await mkdir(join(place.data, "fleet"), { recursive: true });
  const allow = async (data: string, options: string): Promise<void> => {
    const path = join(data, "fleet", "signing-key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
    await appendFile(signers, `ada ${options}${await readFile(`${path}.pub`, "utf8")}`);
  };
  await allow(sender.place.data, 'namespaces="autogpt-submit" ');
  const claim = (): Promise<string> =>
    claimRun(box.place, FLEET_RUN, "box").then(
      ({ attempt }) => `attempt ${attempt}`,
      (error: Error) => error.message,
    );
  return { top, sender, box, signers, allow, claim };
}

type Fleet = Awaited<ReturnType<typeof fleet>>;

/** Puts another task in the place of one that was sent, as whoever has the fleet key and may push could. */
async function replaceTask({ place }: FleetMachine, { task, commit }: Submitted, content: object): Promise<void> {
  const carry = await openCarryGit(place);
  const taskPart = await createTaskParts(place, task.run).write(Buffer.from(JSON.stringify(content)));
  const made = { task, taskPart, attempt: 0, machine: "", parents: [task.base] };
  await moveRunRef(place, carry, task.run, { from: commit, to: await writeCarried(place, made) });
}

async function sign({ place }: FleetMachine, task: object, role: SignatureRole = "submit") {
  const text = JSON.stringify(task);
  return { version: 2, task: text, signature: await signWithSsh(place.data, role, text) };
}

/** A person who has the fleet key, and perhaps an SSH key. */
async function stranger(team: Fleet, options?: string): Promise<FleetMachine> {
  const data = join(team.top, "stranger");
  await mkdir(join(data, "fleet"), { recursive: true });
  if (options !== undefined) await team.allow(data, options);
  return { ...team.sender, place: { ...team.sender.place, data } };
}

/** Sends a task, and replaces it by what a function makes of it. */
async function resend(team: Fleet, change: (task: Submitted["task"]) => Promise<object>): Promise<void> {
  const sent = await send(team.sender);
  await replaceTask(team.sender, sent, await change(sent.task));
}

const ATTACKS: Readonly<Record<string, readonly [(team: Fleet) => Promise<unknown>, string]>> = {
  "without a signature": [async (team) => send(await stranger(team)), UNSIGNED],
  "in the form of an earlier version, without a signature": [(team) => resend(team, async (task) => task), UNSIGNED],
  "signed by an unknown key": [
    async (team) => {
      const known = await readFile(team.signers, "utf8");
      const machine = await stranger(team, "");
      await writeFile(team.signers, known);
      return send(machine);
    },
    UNSIGNED,
  ],
  "signed by a person who may only decide": [
    async (team) => send(await stranger(team, 'namespaces="autogpt-decide" ')),
    UNSIGNED,
  ],
  "signed as a decision": [(team) => resend(team, (task) => sign(team.sender, task, "decide")), UNSIGNED],
  "signed with a revoked key": [
    async ({ sender, box }) => {
      const key = await readFile(join(sender.place.data, "fleet", "signing-key.pub"));
      await writeFile(join(box.place.data, "fleet", "revoked_signers"), key);
      return send(sender);
    },
    UNSIGNED,
  ],
  "with other words than were signed": [
    (team) =>
      resend(team, async (task) => {
        const signed = await sign(team.sender, task);
        return { ...signed, task: signed.task.replace("Tidy", "Remove") };
      }),
    UNSIGNED,
  ],
  "with another base than was signed": [
    (team) =>
      resend(team, async (task) => {
        const signed = await sign(team.sender, task);
        return {
          ...signed,
          task: signed.task.replace(task.base, git(team.sender.workspace, "rev-parse", "HEAD^{tree}").trim()),
        };
      }),
    UNSIGNED,
  ],
  "with the signed task of another run": [
    (team) => resend(team, (task) => sign(team.sender, { ...task, run: OTHER_RUN })),
    DAMAGED,
  ],
  "of a newer version": [
    (team) => resend(team, async (task) => ({ ...(await sign(team.sender, task)), version: 3 })),
    "A newer version of AutoGPT sent this task. Update AutoGPT on this machine; the task stays where it is.",
  ],
  "as something else": [(team) => resend(team, async () => ({ version: 2, task: "{}" })), DAMAGED],
};

describe("a task for a machine that names who may submit", () => {
  it("is taken if one of them has signed it, at its first attempt and at each later one", async () => {
    const { sender, box, claim } = await fleet();
    await send(sender);
    const claimed = await claimRun(box.place, FLEET_RUN, "box");
    await begin(box, claimed);
    const carrier = await createCarrier(box.place, FLEET_RUN);
    await carrier.push();
    await carrier.close();
    const second = await claim();
    const key = await readFile(join(sender.place.data, "fleet", "signing-key.pub"));
    await writeFile(join(box.place.data, "fleet", "revoked_signers"), key);
    assert.deepEqual(
      { first: claimed.attempt, second, revoked: await claim() },
      { first: 1, second: "attempt 2", revoked: UNSIGNED },
    );
  });

  for (const [name, [attack, why]] of Object.entries(ATTACKS))
    it(`isn't begun if it comes ${name}`, async () => {
      const team = await fleet();
      await attack(team);
      const said = await team.claim();
      const { data } = team.box.place;
      assert.deepEqual(
        { said, places: existsSync(join(data, "fleet", "places")), claims: existsSync(join(data, "fleet", "runs")) },
        { said: why, places: false, claims: false },
      );
    });

  it("isn't begun through another repository than it was signed for", async () => {
    const { top, sender, box } = await fleet();
    await send(sender);
    const address = join(top, "other.git");
    git(top, "clone", "-q", "--mirror", "origin.git", address);
    await assert.rejects(claimRun({ ...box.place, remote: { address } }, FLEET_RUN, "box"), {
      message: `box doesn't work on this task of Ada: it was signed for another repository than ${address}. Send it through that one, or name the other one with --repository.`,
    });
  });

  it("needs no signature where no signers are named, also in the form of an earlier version", async () => {
    const team = await fleet();
    await writeFile(team.signers, "");
    const empty = await (await resend(team, async (task) => task), team.claim());
    const [, other] = await makeFleet(await tempFolder(), ["ann", "box"]);
    assert.ok(other);
    const sent = await send(other);
    await replaceTask(other, sent, sent.task);
    const { attempt } = await claimRun(other.place, FLEET_RUN, "box");
    assert.deepEqual({ empty, attempt }, { empty: UNSIGNED, attempt: 1 });
  });
});
