import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { ApprovalRequest } from "../../../../src/core/ports/approver.ts";
import { CONSIDERATIONS, judge } from "../../../../src/safety/policy/policy.ts";
import { readDeny, readRules } from "../../../../src/safety/policy/rules.ts";
import type { PolicyContext } from "../../../../src/safety/policy/verdict.ts";
import { contextFor } from "../readers.ts";
import { CONTINUOUS, context, reads, request, runs, writes } from "../support.ts";

const REPOSITORY = path.join(import.meta.dirname, "../../../..");
const FILE = "/home/u/app/src/a.ts";
const MANY = Array.from({ length: 1000 }, (_, at) => ({ path: `${FILE}${at}`, how: "write" as const }));
const UNTRUSTED = [{ kind: "web", name: "https://example.com/" }] as const;
const ALLOWED = readRules([{ command: "*", action: "allow" }]);

/** A call that one row decides although a later row would decide otherwise. */
interface Scenario {
  readonly decidedBy: string;
  readonly request: ApprovalRequest;
  readonly context?: Partial<PolicyContext>;
  readonly verdict: string;
  readonly reason?: string;
}

const finish = request("task_complete", {}, { effect: "finish" });
const publishes = { publishes: true, hosts: ["x.com"] };

/** A command line whose request also has what other commands have, so that several rows have something to say. */
function runsWith(
  line: string,
  more: Partial<ApprovalRequest["prepared"]>,
  args: object = {},
): ApprovalRequest {
  return request("execute_shell", { command_line: line, ...args }, { effect: "run", shell: line, ...more });
}

const outside = [{ path: "/etc/passwd", how: "read" }] as const;
const excluded = { by: "agent", name: "notes.txt" } as const;
const unreadable = { kind: "unreadable", why: "It uses arithmetic." } as const;

const SCENARIOS: readonly Scenario[] = [
  {
    decidedBy: "untrusted-workspace",
    request: writes(FILE),
    context: { trustedWorkspace: false, mode: "plan" },
    verdict: "refuse untrusted-workspace",
  },
  { decidedBy: "plan-ready", request: finish, context: { mode: "plan" }, verdict: "allow plan-ready" },
  {
    decidedBy: "plan-first",
    request: request("write_to_file", {}, { effect: "write", touches: MANY }),
    context: { mode: "plan" },
    verdict: "refuse plan-first",
  },
  { decidedBy: "too-much", request: runsWith("rm -rf /", { touches: MANY }), verdict: "ask too-much" },
  {
    decidedBy: "destructive",
    request: runs("rm -rf /"),
    context: { deny: readDeny(["execute_shell"]) },
    verdict: "refuse destructive",
  },
  {
    decidedBy: "refused-by-rule",
    request: { ...writes(FILE), approved: true },
    context: { deny: readDeny(["write_to_file"]) },
    verdict: "refuse approval.deny[0]",
  },
  {
    decidedBy: "approved-by-user",
    request: { ...writes("/home/u/app/.env"), approved: true },
    verdict: "allow your change of the arguments",
  },
  { decidedBy: "protected-file", request: reads("/home/v/.env"), verdict: "ask sensitive-file" },
  {
    decidedBy: "outside-workspace",
    request: runsWith('rm -rf "$X"', { touches: outside }),
    verdict: "ask outside-workspace",
  },
  { decidedBy: "doubtful-line", request: runs('rm -rf "$X"; cp .env x'), verdict: "ask doubtful-line" },
  {
    decidedBy: "protected-in-line",
    request: runsWith("cp .env x", {}, { code: "open('.npmrc')" }),
    verdict: "ask sensitive-file",
    reason: "It names .env, which may hold secrets.",
  },
  {
    decidedBy: "protected-in-code",
    request: runsWith("make", {}, { code: "open('.npmrc')" }),
    context: { shell: { line: "make", reading: unreadable, ignored: excluded } },
    verdict: "ask sensitive-file",
  },
  {
    decidedBy: "out-of-bounds",
    request: runs("cat notes.txt"),
    context: { shell: { line: "cat notes.txt", reading: unreadable, ignored: excluded } },
    verdict: "ask out-of-bounds",
  },
  {
    decidedBy: "unreadable-line",
    request: runs("$CMD"),
    context: { untrusted: UNTRUSTED },
    verdict: "ask unreadable-line",
  },
  {
    decidedBy: "untrusted-text",
    request: runs("make"),
    context: { untrusted: UNTRUSTED, tampered: ".envrc appeared" },
    verdict: "ask untrusted-text",
  },
  {
    decidedBy: "control-files-changed",
    request: runs("make"),
    context: { tampered: ".envrc appeared", claimed: { path: "a", by: "Other" } },
    verdict: "ask control-files-changed",
  },
  {
    decidedBy: "claimed-file",
    request: writes(FILE),
    context: { claimed: { path: "a", by: "Other" }, rules: ALLOWED },
    verdict: "ask claimed-file",
  },
  {
    decidedBy: "user-rule",
    request: request("send_tweet", {}, { effect: "network", ...publishes }),
    context: { rules: ALLOWED },
    verdict: "allow approval.rules[0]",
  },
  {
    decidedBy: "user-rule",
    request: request("do_nothing"),
    context: { rules: readRules([{ command: "do_nothing", action: "ask" }]) },
    verdict: "ask approval.rules[0]",
  },
  {
    decidedBy: "user-rule",
    request: reads(FILE),
    context: { rules: readRules([{ command: "read_file", action: "ask" }]) },
    verdict: "ask approval.rules[0]",
  },
  { decidedBy: "publishes", request: request("x", {}, publishes), verdict: "ask publishes" },
  { decidedBy: "no-effect", request: request("do_nothing"), context: CONTINUOUS, verdict: "allow no-effect" },
  { decidedBy: "reads", request: reads(FILE), context: CONTINUOUS, verdict: "allow reads" },
  {
    decidedBy: "far-reaching",
    request: runs("npm config set a b"),
    context: { sandbox: "trusted" },
    verdict: "ask far-reaching",
  },
  {
    decidedBy: "saved-line",
    request: runs("ls"),
    context: { savedLine: "ls", readOnlyShell: true },
    verdict: "allow taught",
  },
  {
    decidedBy: "saved-line",
    request: runs("touch /opt/x"),
    context: { savedLine: "touch /opt/x" },
    verdict: "allow taught",
  },
  {
    decidedBy: "read-only-shell",
    request: runs("ls"),
    context: { readOnlyShell: true, sandbox: "trusted" },
    verdict: "allow read-only-shell",
  },
  {
    decidedBy: "sandbox",
    request: runs("make"),
    context: { ...CONTINUOUS, sandbox: "trusted" },
    verdict: "allow sandbox",
  },
  {
    decidedBy: "writes-outside",
    request: runs("touch /opt/x"),
    context: CONTINUOUS,
    verdict: "ask outside-workspace",
  },
  {
    decidedBy: "continuous",
    request: writes(FILE),
    context: { ...CONTINUOUS, grantLeft: 1 },
    verdict: "allow continuous",
  },
  { decidedBy: "grant", request: writes(FILE), context: { grantLeft: 1 }, verdict: "allow grant" },
  { decidedBy: "effect", request: writes(FILE), verdict: "ask writes" },
];

/** Neighbors that no call can satisfy both, so that their order doesn't matter. */
const DISJOINT: readonly string[] = [
  "untrusted-workspace, plan-ready",
  "no-effect, reads",
  "reads, far-reaching",
  "far-reaching, saved-line",
  "sandbox, writes-outside",
];

/** The scenarios whose verdict differs from the expected one under some rows. */
async function wrongUnder(rows: typeof CONSIDERATIONS): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { decidedBy, request: asked, context: more = {}, ...expected } of SCENARIOS) {
    const { verdict, rule, reason } = judge(asked, await contextFor(asked, more), rows);
    const isRight =
      `${verdict} ${rule}` === expected.verdict &&
      (expected.reason === undefined || reason === expected.reason);
    if (!isRight) wrong.push(`${decidedBy}: ${verdict} ${rule}`);
  }
  return wrong;
}

describe("the policy's list", () => {
  it("decides each call by the first row that has something to say", async () => {
    assert.deepEqual(await wrongUnder(CONSIDERATIONS), []);
  });

  for (const [at, { name }] of CONSIDERATIONS.entries()) {
    it(`needs ${name}`, async () => {
      const wrong = await wrongUnder(CONSIDERATIONS.toSpliced(at, 1));
      assert.ok(
        wrong.some((one) => one.startsWith(`${name}:`)),
        "No scenario notices when the row is missing.",
      );
    });

    const next = CONSIDERATIONS[at + 1];
    if (next === undefined || DISJOINT.includes(`${name}, ${next.name}`)) continue;
    it(`has ${name} before ${next.name}`, async () => {
      const row = CONSIDERATIONS[at];
      const swapped = row ? CONSIDERATIONS.toSpliced(at, 2, next, row) : [];
      assert.notDeepEqual(await wrongUnder(swapped), []);
    });
  }

  it("names each row once, with a reason for its position and the file that decides", () => {
    const names = CONSIDERATIONS.map(({ name }) => name);
    const missing = CONSIDERATIONS.filter(({ file }) => !fs.existsSync(path.join(REPOSITORY, file)));
    assert.deepEqual(
      {
        isUnique: new Set(names).size === names.length,
        withoutReason: CONSIDERATIONS.filter(({ why }) => why.length < 20),
        withoutFile: missing.map(({ name }) => name),
      },
      { isUnique: true, withoutReason: [], withoutFile: [] },
    );
  });

  it("asks, naming itself, when a row fails", () => {
    const broken = { ...context(), folders: undefined as unknown as string[] };
    const { verdict, rule, sensitive, file } = judge(writes(FILE), broken);
    assert.deepEqual(
      { verdict, rule, sensitive, file },
      { verdict: "ask", rule: "policy-error", sensitive: true, file: "src/safety/policy/policy.ts" },
    );
  });
});
