import assert from "node:assert/strict";
import { explainSshFailure } from "../../../../src/fleet/ssh/ssh-failures.ts";

const CASES: readonly (readonly [code: number | null, stderr: string])[] = [
  [255, "@@@\nWARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\nHost key verification failed."],
  [255, "No ED25519 host key is known for box and you have requested strict checking.\nHost key verification failed."],
  [255, "ada@box: Permission denied (publickey,password)."],
  [255, "ada@box: Permission denied (publickey)."],
  [255, "ssh: Could not resolve hostname box: Name or service not known"],
  [255, "ssh: connect to host box port 22: Connection refused"],
  [255, "ssh: connect to host box port 22: Connection timed out"],
  [1, "'sh' is not recognized as an internal or external command"],
  [null, ""],
  [1, 'x.mjs:1\nthrow new Error("no")\n      ^\n\nError: no disk\n    at x.mjs:1:7\n\nNode.js v24.1.0\n'],
  [2, "tar: a: Cannot write: No space left on device\ntar: Exiting with failure status due to previous errors"],
  [1, "first\n\u001b[31mRefused by a \u202Epolicy"],
];

describe("a failed call of ssh", () => {
  it("is explained by a sentence of its own, and is tried again only if that may help", () => {
    const found = CASES.map(([code, stderr]) => {
      const { why, isPassing } = explainSshFailure("box", code, stderr);
      return `${why.code.slice("ssh.".length)} ${isPassing}${"said" in (why.parameters ?? {}) ? ` ${why.parameters?.said}` : ""}`;
    });
    assert.deepEqual(found, [
      "hostKeyChanged false",
      "hostKeyUnknown false",
      "password false",
      "denied false",
      "unknownHost false",
      "refused true",
      "unreachable true",
      "noShell false",
      "lost true",
      "failed false Error: no disk",
      "diskFull false",
      "failed false ⟨U+001B⟩[31mRefused by a ⟨U+202E⟩policy",
    ]);
  });
});
