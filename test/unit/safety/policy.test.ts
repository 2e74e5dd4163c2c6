import assert from "node:assert/strict";
import { judge } from "../../../src/safety/policy.ts";
import type { Verdict } from "../../../src/safety/verdict.ts";
import { browses, CONTINUOUS, context, reads, request, runs, writes } from "./support.ts";

const short = ({ verdict, rule }: Verdict): string => `${verdict} ${rule}`;
const file = "/home/u/app/src/a.ts";

describe("policy", () => {
  it("allows what touches nothing and what reads inside the workspace, and asks about the rest", () => {
    const all = [request("do_nothing"), reads(file), writes(file), runs("make"), browses("example.com")];
    const finish = request("task_complete", {}, { effect: "finish" });
    assert.deepEqual(
      [...all, finish].map((one) => short(judge(one, context()))),
      ["allow no-effect", "allow reads", "ask writes", "ask programs", "ask network", "ask finish"],
    );
  });

  it("lets a grant and continuous mode say yes, but never to a protected file or one outside", () => {
    const requests = [
      writes(file),
      writes("/home/u/app/.git/config"),
      reads("/home/u/app/.env"),
      reads("/etc/passwd"),
    ];
    const rows = [context({ grantLeft: 1 }), context(CONTINUOUS)].map((one) =>
      requests.map((asked) => short(judge(asked, one))),
    );
    const never = ["ask sensitive-file", "ask sensitive-file", "ask outside-workspace"];
    assert.deepEqual(rows, [
      ["allow grant", ...never],
      ["allow continuous", ...never],
    ]);
  });

  it("refuses destructive command lines in every mode, even one the user put there", () => {
    const lines = [
      "rm -rf /",
      "sudo rm -fr ~",
      "rm -r -- /home/u/app",
      ":(){ :|:& };:",
      "dd if=x of=/dev/sda",
      "mkfs.ext4 /dev/sdb",
    ];
    const verdicts = lines.map((line) => judge({ ...runs(line), approved: true }, context(CONTINUOUS)));
    assert.deepEqual(verdicts.map(short), Array(lines.length).fill("refuse destructive"));
  });
});

describe("policy once untrusted text was read", () => {
  it("asks in an ordinary mode before anything leaves the machine once untrusted text was read", () => {
    const untrusted = [{ kind: "web", name: "https://example.com/" }] as const;
    const tainted = context({ untrusted, grantLeft: 3, hosts: ["known.org"] });
    const requests = [browses("known.org"), runs("make"), writes(file)];
    assert.deepEqual(
      requests.map((one) => short(judge(one, tainted))),
      ["ask untrusted-text", "ask untrusted-text", "allow grant"],
    );
  });

  it("asks in continuous mode only before a new host once untrusted text was read", () => {
    const untrusted = [{ kind: "web", name: "https://example.com/" }] as const;
    const tainted = context({ ...CONTINUOUS, untrusted, hosts: ["known.org"] });
    assert.deepEqual(
      [browses("known.org"), browses("new.org"), runs("make")].map((one) => short(judge(one, tainted))),
      ["allow continuous", "ask untrusted-text", "allow continuous"],
    );
  });
});

describe("policy at its edges", () => {
  it("refuses everything that acts in a workspace that is not trusted", () => {
    const untrusted = context({ ...CONTINUOUS, trustedWorkspace: false });
    assert.deepEqual(
      [request("do_nothing"), reads(file), writes(file)].map((one) => short(judge(one, untrusted))),
      ["allow no-effect", "refuse untrusted-workspace", "refuse untrusted-workspace"],
    );
  });

  it("allows what the user approved by changing it", () => {
    assert.deepEqual(
      short(judge({ ...writes("/home/u/app/.env"), approved: true }, context())),
      "allow your change of the arguments",
    );
  });

  it("asks when it breaks itself", () => {
    const broken = { ...context(), folders: undefined as unknown as string[] };
    assert.equal(short(judge(writes(file), broken)), "ask policy-error");
  });
});
