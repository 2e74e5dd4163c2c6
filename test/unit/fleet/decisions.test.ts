import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkDecision, createBinding, type DecisionPlace, signDecision } from "../../../src/fleet/decision.ts";
import { createFleetKey, exportFleetKey, importFleetKey } from "../../../src/fleet/key.ts";
import { checkSshSignature, signWithSsh } from "../../../src/fleet/signatures.ts";
import type { FleetBinding, FleetDecision } from "../../../src/schema/fleet/decisions.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

const NOW = Date.parse("2026-03-04T05:06:07Z");
const HOUR = 3_600_000;
const RUN = "20260304_050607_tidy_0a1b";
const YES = { kind: "approved" } as const;

function makeBinding(command = "rm -rf build", attempt = 2, run = RUN): FleetBinding {
  const call = { name: "execute_shell", args: { command_line: command } };
  const prepared = { effect: "run", shell: command, cwd: "/work" };
  const request = { step: 3, proposal: { kind: "proposal", call }, prepared, hash: "1".repeat(64) };
  // Only these fields of a request are hashed.
  return createBinding(run, attempt, { kind: "proposal", request: request as never }, { nowMs: NOW, id: "q1" });
}

/** Two machines with one key: the run is on the first, a person with an SSH key on the second. */
async function fleet() {
  const [worker, person] = [await tempFolder(), await tempFolder()];
  const key = await createFleetKey(worker);
  await importFleetKey(person, await exportFleetKey(worker));
  const signers = join(worker, "fleet", "allowed_signers");
  for (const folder of [worker, person]) await mkdir(join(folder, "fleet"), { recursive: true });
  const allow = async (data: string, name: string, options: string): Promise<void> => {
    const path = join(data, "fleet", "signing-key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path]);
    await appendFile(signers, `${name} ${options}${await readFile(`${path}.pub`, "utf8")}`);
  };
  await allow(person, "ada", 'namespaces="autogpt-decide" ');
  const place = (data: string, nowMs = NOW + HOUR): DecisionPlace => ({ data, key, nowMs });
  const sign = (binding = makeBinding(), answer: FleetDecision["answer"] = YES, nowMs = NOW + HOUR) =>
    signDecision(binding, answer, place(person, nowMs));
  return { worker, person, key, signers, allow, place, sign };
}

type Fleet = Awaited<ReturnType<typeof fleet>>;

/** Changes the signed text of a decision, and keeps seal and signature. */
function edit(text: string, change: (decision: string) => string): string {
  const signed = JSON.parse(text);
  return JSON.stringify({ ...signed, text: change(signed.text) });
}

/** Signs what no honest program writes, with the real keys. */
async function forge({ person, key }: Fleet, decision: object, purpose = `decision ${RUN} 2`): Promise<string> {
  const text = JSON.stringify(decision);
  const signature = await signWithSsh(person, "decide", text);
  return JSON.stringify({ text, seal: key.createSeal(purpose)(text), signature });
}

const honest = (more: object = {}) => ({ version: 1, binding: makeBinding(), decidedMs: NOW, answer: YES, ...more });

const ATTACKS: Readonly<Record<string, (team: Fleet) => Promise<string>>> = {
  "for another run": ({ sign }) => sign(makeBinding(undefined, 2, "20260304_050607_other_9f9f")),
  "for an earlier attempt": ({ sign }) => sign(makeBinding(undefined, 1)),
  "for another command": ({ sign }) => sign(makeBinding("rm -rf /")),
  "for another question": ({ sign }) => sign({ ...makeBinding(), id: "q2" }),
  "with an expiry far ahead": ({ sign }) => sign({ ...makeBinding(), expiresMs: NOW + 1e12 }),
  "from an hour ahead": ({ sign }) => sign(undefined, YES, NOW + 2 * HOUR),
  "sealed for another attempt": (team) => forge(team, honest(), `decision ${RUN} 1`),
  "sealed for another purpose": (team) => forge(team, honest(), "claim"),
  "of another version": (team) => forge(team, honest({ version: 2 })),
  "with an unknown answer": (team) => forge(team, honest({ answer: { kind: "always" } })),
  "with a rejection that became an approval": async ({ sign }) =>
    edit(await sign(undefined, { kind: "rejected", reason: "no" }), (text) =>
      text.replace(/"answer":.*/, '"answer":{"kind":"approved"}}'),
    ),
  "with other words": async ({ sign }) =>
    edit(await sign(undefined, { kind: "said", text: "leave it" }), (text) => text.replace("leave it", "delete it")),
  "cut off": async ({ sign }) => (await sign()).slice(0, -20),
  "of a megabyte": async ({ sign }) => sign(undefined, { kind: "said", text: "x".repeat(1_000_000) }),
  "that is no decision": async () => "yes",
  "of another fleet": async ({ person }) => {
    const key = await createFleetKey(await tempFolder());
    return signDecision(makeBinding(), YES, { data: person, key, nowMs: NOW });
  },
  "without a signature": async ({ sign }) => JSON.stringify({ ...JSON.parse(await sign()), signature: undefined }),
  "with the signature of another text": async ({ sign }) => {
    const { signature } = JSON.parse(await sign(undefined, { kind: "rejected", reason: "" }));
    return JSON.stringify({ ...JSON.parse(await sign()), signature });
  },
  "signed by an unknown key": async ({ key }) => {
    const data = await tempFolder();
    await mkdir(join(data, "fleet"));
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(data, "fleet", "signing-key")]);
    return signDecision(makeBinding(), YES, { data, key, nowMs: NOW });
  },
  "signed by a person who may only send tasks": async ({ key, allow }) => {
    const data = await tempFolder();
    await mkdir(join(data, "fleet"));
    await allow(data, "bob", 'namespaces="autogpt-submit" ');
    return signDecision(makeBinding(), YES, { data, key, nowMs: NOW });
  },
  "signed as a task": async ({ person, key }) => {
    const text = JSON.stringify(honest());
    const signature = await signWithSsh(person, "submit", text);
    return JSON.stringify({ text, seal: key.createSeal(`decision ${RUN} 2`)(text), signature });
  },
  "signed with a revoked key": async ({ worker, person, sign }) => {
    const text = await sign();
    await writeFile(join(worker, "fleet", "revoked_signers"), await readFile(join(person, "fleet", "signing-key.pub")));
    return text;
  },
};

describe("a decision about a run in another place", () => {
  it("counts if everything fits, names who signed it, and counts once", async () => {
    const { worker, place, sign } = await fleet();
    const text = await sign(undefined, { kind: "rejected", reason: "Keep it." });
    const first = await checkDecision(text, makeBinding(), place(worker));
    const second = await checkDecision(text, makeBinding(), place(worker));
    assert.deepEqual(
      { first, second: second.ok },
      { first: { ok: true, answer: { kind: "rejected", reason: "Keep it." }, by: "ada" }, second: false },
    );
  });

  for (const [name, attack] of Object.entries(ATTACKS))
    it(`changes nothing if it comes ${name}`, async () => {
      const team = await fleet();
      const checked = await checkDecision(await attack(team), makeBinding(), team.place(team.worker));
      assert.deepEqual(
        {
          ok: checked.ok,
          isSaid: !checked.ok && writeInEnglish(checked.why).length > 20,
          used: await readdir(join(team.worker, "fleet", "decisions")).catch(() => []),
        },
        { ok: false, isSaid: true, used: [] },
      );
    });

  it("changes nothing after its expiry, though it was made in time", async () => {
    const { worker, place, sign } = await fleet();
    const late = await checkDecision(await sign(), makeBinding(), place(worker, NOW + 73 * HOUR));
    assert.equal(
      !late.ok && writeInEnglish(late.why),
      "The answer came too late. The run asks again; answer the new question.",
    );
  });

  it("is the first one if two people answer at once", async () => {
    const { worker, place, sign } = await fleet();
    const texts = [await sign(), await sign(undefined, { kind: "rejected", reason: "no" })];
    const both = await Promise.all(texts.map((text) => checkDecision(text, makeBinding(), place(worker))));
    assert.deepEqual(both.map(({ ok }) => ok).toSorted(), [false, true]);
  });

  it("needs no signature where no signers are named, and none counts where they can't be read", async () => {
    const { worker, place, sign, signers, person } = await fleet();
    const unsigned = JSON.stringify({ ...JSON.parse(await sign()), signature: undefined });
    const without = await checkDecision(unsigned, makeBinding(), place(person));
    await writeFile(signers, "");
    const empty = await checkDecision(await sign(), makeBinding(), place(worker));
    const unneeded = await checkSshSignature(person, "decide", { text: "x", signature: undefined });
    assert.deepEqual(
      { without, empty: empty.ok, unneeded },
      { without: { ok: true, answer: YES }, empty: false, unneeded: { kind: "unneeded" } },
    );
  });
});
