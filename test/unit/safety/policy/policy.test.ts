import assert from "node:assert/strict";
import type { ApprovalRequest } from "../../../../src/core/ports/approver.ts";
import { judge } from "../../../../src/safety/policy/policy.ts";
import { readRules } from "../../../../src/safety/policy/rules.ts";
import type { PolicyContext } from "../../../../src/safety/policy/verdict.ts";
import { judged } from "../readers.ts";
import { browses, CONTINUOUS, context, reads, request, runs, writes } from "../support.ts";

const file = "/home/u/app/src/a.ts";
const untrusted = [{ kind: "web", name: "https://example.com/" }] as const;

/** Verdicts on several requests in one context. */
function all(requests: readonly ApprovalRequest[], more: Partial<PolicyContext> = {}): Promise<string[]> {
  return Promise.all(requests.map((one) => judged(one, more)));
}

describe("policy", () => {
  it("allows what touches nothing, what reads inside the workspace and the end of the run, and asks about the rest", async () => {
    const finish = request("task_complete", {}, { effect: "finish" });
    const requests = [request("do_nothing"), reads(file), writes(file), runs("make"), browses("a.org"), finish];
    assert.deepEqual(await all(requests), [
      "allow no-effect",
      "allow reads",
      "ask writes",
      "ask programs",
      "ask network",
      "allow finish",
    ]);
  });

  it("lets lines that only read run where the user wants that", async () => {
    const lines = [runs("git log --oneline | head -5"), runs("git log --output=x"), runs("ls; make")];
    assert.deepEqual(
      [await all(lines, { readOnlyShell: true }), await all(lines)],
      [
        ["allow read-only-shell", "ask programs", "ask programs"],
        ["ask programs", "ask programs", "ask programs"],
      ],
    );
  });
});

describe("policy with a grant or in continuous mode", () => {
  const protectedOnes = [
    writes("/home/u/app/.git/config"),
    reads("/home/u/app/.env"),
    reads("/etc/passwd"),
    runs("cat .env"),
    runs("echo x > .git/hooks/pre-commit"),
    runs("$CMD"),
  ];
  const asked = [
    "ask sensitive-file",
    "ask sensitive-file",
    "ask outside-workspace",
    "ask sensitive-file",
    "ask sensitive-file",
    "ask unreadable-line",
  ];

  for (const [rule, mode] of [
    ["grant", { grantLeft: 1 }],
    ["continuous", CONTINUOUS],
  ] as const) {
    it(`says yes by ${rule}, but never to what is protected, outside or unreadable`, async () => {
      assert.deepEqual(await all([writes(file), runs("make"), ...protectedOnes], mode), [
        `allow ${rule}`,
        `allow ${rule}`,
        ...asked,
      ]);
    });
  }

  it("asks about every line where none can be read", () => {
    assert.equal(judge(runs("ls"), context(CONTINUOUS)).rule, "unreadable-line");
  });
});

describe("policy once untrusted text was read", () => {
  it("asks in an ordinary mode before anything leaves the machine", async () => {
    const requests = [browses("known.org"), runs("make"), runs("git status"), writes(file), reads(file)];
    assert.deepEqual(await all(requests, { untrusted, grantLeft: 3, hosts: ["known.org"], readOnlyShell: true }), [
      "ask untrusted-text",
      "ask untrusted-text",
      "allow read-only-shell",
      "allow grant",
      "allow reads",
    ]);
  });

  it("asks in continuous mode only before a new host", async () => {
    const known = [browses("known.org"), runs("make"), runs("curl https://known.org/a")];
    const fresh = [browses("new.org"), runs("curl new.org"), runs("curl $X")];
    assert.deepEqual(await all([...known, ...fresh], { ...CONTINUOUS, untrusted, hosts: ["known.org"] }), [
      ...Array(3).fill("allow continuous"),
      ...Array(3).fill("ask untrusted-text"),
    ]);
  });

  it("does not ask about lines that the sandbox keeps off the network", async () => {
    const verdicts = await all([runs("make"), runs("rm a")], { untrusted, sandbox: "trusted" });
    assert.deepEqual(verdicts, ["allow sandbox", "ask programs"]);
  });

  it("asks even where a rule or a saved line would have allowed it", async () => {
    const rules = readRules([{ command: "execute_shell", prefix: "npm test", action: "allow" }]);
    const verdict = await judged(runs("npm test"), { untrusted, rules, savedLine: "npm test" });
    assert.equal(verdict, "ask untrusted-text");
  });
});

describe("policy at its edges", () => {
  it("refuses everything that acts in a workspace that is not trusted", async () => {
    const requests = [request("do_nothing"), reads(file), writes(file)];
    assert.deepEqual(await all(requests, { ...CONTINUOUS, trustedWorkspace: false }), [
      "allow no-effect",
      "refuse untrusted-workspace",
      "refuse untrusted-workspace",
    ]);
  });

  it("allows what the user approved by changing it, unless it is refused", async () => {
    const approved = [writes("/home/u/app/.env"), runs("rm -rf /")].map((one) => ({
      ...one,
      approved: true,
    }));
    assert.deepEqual(await all(approved), ["allow your change of the arguments", "refuse destructive"]);
  });

  it("asks in every mode before something is published, unless a rule of the user's allows it", async () => {
    const post = request("send_tweet", {}, { effect: "network", hosts: ["x.com"], publishes: true });
    const rules = readRules([{ command: "send_tweet", action: "allow" }]);
    assert.deepEqual(
      [await all([post], CONTINUOUS), await all([post], { rules })],
      [["ask publishes"], ["allow approval.rules[0]"]],
    );
  });

  it("asks when it breaks itself", () => {
    const broken = { ...context(), folders: undefined as unknown as string[] };
    assert.equal(judge(writes(file), broken).rule, "policy-error");
  });

  it("asks about more than it can check", async () => {
    const touches = Array.from({ length: 1000 }, (_, at) => ({
      path: `${file}${at}`,
      how: "write" as const,
    }));
    const many = request("move_file", {}, { effect: "write", touches });
    const long = writes(`/home/u/app/${"a".repeat(40_000)}`);
    assert.deepEqual(await all([many, long], CONTINUOUS), ["ask too-much", "ask sensitive-file"]);
  });
});
