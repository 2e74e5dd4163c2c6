import assert from "node:assert/strict";
import type { ApprovalRequest, Approver, DecisionRecord } from "../../../../src/core/ports/approver.ts";
import { Grants } from "../../../../src/safety/policy/grants.ts";
import type { PolicySettings, PolicyState } from "../../../../src/safety/policy/policy-state.ts";
import { unattendedApprover, wrapApproverWithPolicy } from "../../../../src/safety/policy/with-policy.ts";
import { Provenance } from "../../../../src/safety/provenance/provenance.ts";
import { displayText } from "../../../../src/texts/display-text.ts";
import { readerOf } from "../readers.ts";
import { emptyDisk, reads, request, runs, writes } from "../support.ts";

const { signal } = new AbortController();
const file = "/home/u/app/a.ts";
const NO_SETTINGS: PolicySettings = { rules: [], deny: [], readOnlyShell: false, allowHosts: [] };

function state(settings: Partial<PolicySettings> = {}): PolicyState {
  return {
    grants: new Grants(),
    provenance: new Provenance(),
    platform: "linux",
    getSettings: () => ({ ...NO_SETTINGS, ...settings }),
    listFolders: () => ["/home/u/app"],
    isTrusted: () => true,
  };
}

/** A user who says the same each time, and notes what was asked. */
function user(decided: DecisionRecord): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return {
    asked,
    async decide(asking) {
      asked.push(asking);
      return decided;
    },
  };
}

const YES: DecisionRecord = { decision: { allow: true }, by: "user", reason: "approved" };
const NO: DecisionRecord = { decision: { allow: false, feedback: "no" }, by: "user", reason: "refused" };

describe("withPolicy", () => {
  it("has a line that only reads run without git's programs, unless the user approves it or has saved it", async () => {
    const disk = { ...emptyDisk, resolveRealPaths: async (path: string) => [path] };
    const shell = async () => ({ dialect: "bash", reader: await readerOf("bash") }) as const;
    const always = [{ command: "execute_shell", prefix: "git", action: "allow" }];
    const held: unknown[] = [];
    for (const [line, settings, continuous] of [
      ["git log", { readOnlyShell: true }, 0],
      ["git log", {}, 3],
      ["ls", {}, 3],
      ["git push", {}, 3],
      ["git log", {}, 0],
      ["git log", { rules: always }, 3],
    ] as const) {
      const mine = { ...state(settings), lines: { disk, loadShellLanguage: shell } };
      mine.grants.startContinuous(continuous);
      const decided = await wrapApproverWithPolicy(user(YES), mine).decide(runs(line), signal);
      held.push(decided === "again" ? decided : [decided.rule, decided.harmlessIn]);
    }
    assert.deepEqual(held, [
      ["read-only-shell", ["/home/u/app"]],
      ["continuous", ["/home/u/app"]],
      ["continuous", []],
      ["continuous", undefined],
      ["programs", undefined],
      ["approval.rules[0]", undefined],
    ]);
  });

  it("asks about lines until the user has approved one that names what a sandboxed line has changed", async () => {
    const end = user(YES);
    const tampering = {
      what: "/home/u/app/sub/.envrc appeared" as string | undefined,
      accept: () => (tampering.what = undefined),
    };
    const rules = [{ command: "execute_shell", prefix: "ls", action: "allow" }];
    const approver = wrapApproverWithPolicy(end, { ...state({ rules }), findTampering: () => tampering });
    const python = request("execute_python_code", {}, { effect: "run" });
    await approver.decide(python, signal);
    await approver.decide(reads(file), signal);
    await approver.decide(python, signal);
    assert.deepEqual(
      end.asked.map(({ why }) => why?.rule),
      ["control-files-changed", "programs"],
    );
  });

  it("asks before a program that wouldn't see the agent's changes, once for each of them", async () => {
    const end = user(YES);
    const unsaved = { paths: ["/home/u/app/a.ts"], leave: () => (unsaved.paths = []) };
    const rules = [{ command: "*", action: "allow" }];
    const approver = wrapApproverWithPolicy(end, { ...state({ rules }), getUnsavedChanges: () => unsaved });
    const python = request("execute_python_code", {}, { effect: "run" });
    await approver.decide(writes(file), signal);
    await approver.decide(python, signal);
    await approver.decide(python, signal);
    assert.deepEqual(
      end.asked.map(({ why }) => why?.rule),
      ["unsaved-changes"],
    );
  });

  it("asks the user with the reason, and not at all where nothing needs approval", async () => {
    const end = user(YES);
    const approver = wrapApproverWithPolicy(end, state());
    await approver.decide(reads(file), signal);
    await approver.decide(writes(file), signal);
    assert.deepEqual(
      end.asked.map(({ why }) => why),
      [
        {
          rule: "writes",
          reason: "It changes files.",
          text: { code: "safety.effect.write" },
          sensitive: false,
          sources: [],
        },
      ],
    );
  });

  it("names untrusted text only where it changes the decision, and asks about all that it asked about before", async () => {
    const end = user(YES);
    const mine = state();
    const page = { kind: "web", name: "https://a.org/" } as const;
    mine.provenance.add(page);
    const asked = {
      edit: writes(file),
      secret: writes("/home/u/app/.env"),
      program: runs("npm test"),
      host: request("browse_website", {}, { effect: "network", hosts: ["b.org"] }),
    };
    for (const one of Object.values(asked)) await wrapApproverWithPolicy(end, mine).decide(one, signal);
    assert.deepEqual(
      Object.fromEntries(
        Object.keys(asked).map((name, at) => [
          name,
          [end.asked[at]?.why?.rule, end.asked[at]?.why?.reason, end.asked[at]?.why?.sources.length],
        ]),
      ),
      {
        edit: ["writes", "It changes files.", 0],
        secret: ["sensitive-file", "This file may hold secrets.", 1],
        program: ["unreadable-line", "Command lines can't be analyzed here, so each one needs approval.", 1],
        host: ["untrusted-text", "It would contact b.org.", 1],
      },
    );
  });

  it("warns of untrusted text once a run, where it's why the user is asked", async () => {
    const end = user(YES);
    const mine = state();
    mine.provenance.add({ kind: "web", name: "https://a.org/" });
    const approver = wrapApproverWithPolicy(end, mine);
    const host = request("browse_website", {}, { effect: "network", hosts: ["b.org"] });
    const steps = [writes("/home/u/app/.env"), host, host, { ...host, proposal: { ...host.proposal } }];
    for (const [at, one] of steps.entries()) await approver.decide({ ...one, step: Math.min(at + 1, 3) }, signal);
    assert.deepEqual(
      end.asked.map(({ why }) => [why?.rule, why?.influence?.code]),
      [
        ["sensitive-file", undefined],
        ["untrusted-text", "safety.readFrom.web"],
        ["untrusted-text", undefined],
        ["untrusted-text", undefined],
      ],
    );
  });

  it("knows the host of a page only once a question named it, and for that command alone", async () => {
    const mine = state();
    const page = request("browse_website", {}, { effect: "network", hosts: ["b.org"] });
    const sends = request("call_api", {}, { effect: "network", hosts: ["b.org"] });
    const asked = async (one: ApprovalRequest): Promise<boolean> => {
      const end = user(YES);
      await wrapApproverWithPolicy(end, mine).decide(one, signal);
      return end.asked.length > 0;
    };
    await asked(page);
    mine.provenance.add({ kind: "web", name: "https://b.org/" });
    mine.grants.startContinuous(9);
    assert.deepEqual(
      [await asked(page), await asked(page), await asked(sends), await asked(sends)],
      [true, false, true, false],
    );
  });

  it("logs why it asked, with the untrusted text", async () => {
    const mine = state();
    mine.provenance.add({ kind: "agent", name: "Tester" });
    const asking = request("browse_website", {}, { effect: "network", hosts: ["b.org"] });
    const decided = await wrapApproverWithPolicy(user(YES), mine).decide(asking, signal);
    assert.equal(
      decided !== "again" && decided.reason,
      'approved; it asked because: It would contact b.org. Influenced by 1 untrusted source: agent "Tester".',
    );
  });

  it("counts the waiting command as the first of a grant, and asks again when the grant is used up", async () => {
    const end = user(YES);
    const mine = state();
    const approver = wrapApproverWithPolicy(end, mine);
    mine.grants.grantNext(3);
    await approver.decide({ ...writes("/home/u/app/.env"), step: 0 }, signal);
    mine.grants.grantNext(2);
    const by: unknown[] = [];
    for (let step = 1; step <= 3; step++) {
      const decided = await approver.decide({ ...writes(file), step }, signal);
      by.push(decided === "again" ? decided : decided.by);
    }
    assert.deepEqual(
      [end.asked.map(({ step }) => step), by],
      [
        [0, 3],
        ["grant", "grant", "user"],
      ],
    );
  });

  it("ends a grant at a refusal, a question and a sensitive command", async () => {
    const left: number[] = [];
    for (const [asked, answer] of [
      [request("ask_user"), YES],
      [writes("/home/u/app/.npmrc"), YES],
      [request("write_to_file", { contents: "secret" }, { effect: "write" }), NO],
    ] as const) {
      const mine = state({
        rules: [{ command: "*", argument: "contents", prefix: "secret", action: "ask" }],
      });
      mine.grants.grantNext(5);
      await wrapApproverWithPolicy(user(answer), mine).decide(asked, signal);
      left.push(mine.grants.left);
    }
    assert.deepEqual(left, [0, 0, 0]);
  });
});

describe("withPolicy when it does not ask the user", () => {
  it("refuses with a sentence for the model what a rule refuses", async () => {
    const decided = await wrapApproverWithPolicy(user(YES), state({ deny: ["write_to_file(src/**)"] })).decide(
      writes("/home/u/app/src/a.ts"),
      signal,
    );
    assert.deepEqual(decided, {
      decision: {
        allow: false,
        feedback: `The rule approval.deny[0] refuses write_to_file where the path matches "src/**". (rule: approval.deny[0]) Nothing was done, and asking again won't help. Try another approach.`,
      },
      by: "rule",
      rule: "approval.deny[0]",
      reason: 'The rule approval.deny[0] refuses write_to_file where the path matches "src/**".',
      text: displayText("safety.line.ruleRefuses", {
        rule: "approval.deny[0]",
        calls: displayText("safety.line.whereMatching", {
          command: "write_to_file",
          value: displayText("safety.line.thePath"),
          text: '"src/**"',
        }),
      }),
    });
  });

  it("asks when the settings cannot be read, and refuses when no one is there", async () => {
    const broken: PolicyState = {
      ...state(),
      getSettings: () => {
        throw new Error("The settings are broken.");
      },
    };
    const decided = await wrapApproverWithPolicy(unattendedApprover, broken).decide(reads(file), signal);
    assert.equal(decided !== "again" && !decided.decision.allow && decided.rule, "policy-error");
  });
});

describe("a decision, explained", () => {
  const settings = {
    rules: [
      { command: "write_to_file", path: "src/**", action: "allow" },
      { command: "write_to_file", path: "docs/**", action: "refuse" },
    ],
  };

  it("names the rule that allowed, refused or asked, on the card and in the log", async () => {
    const end = user(YES);
    const approver = wrapApproverWithPolicy(end, state(settings));
    const told: unknown[] = [];
    for (const path of ["src/a.ts", "docs/a.md", "a.ts", ".env"]) {
      const decided = await approver.decide(writes(`/home/u/app/${path}`), signal);
      if (decided !== "again") told.push([decided.decision.allow, decided.by, decided.rule, decided.reason]);
    }
    assert.deepEqual(
      [told, end.asked.map(({ why }) => why?.rule)],
      [
        [
          [
            true,
            "rule",
            "approval.rules[0]",
            'The rule approval.rules[0] allows write_to_file where the path matches "src/**".',
          ],
          [
            false,
            "rule",
            "approval.rules[1]",
            'The rule approval.rules[1] refuses write_to_file where the path matches "docs/**".',
          ],
          [true, "user", "writes", "approved; it asked because: It changes files."],
          [true, "user", "sensitive-file", "approved; it asked because: This file may hold secrets."],
        ],
        ["writes", "sensitive-file"],
      ],
    );
  });
});
