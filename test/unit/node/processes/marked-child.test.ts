import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { skipWithout } from "../../../support/skips.ts";

const STARTS = `
import { once } from "node:events";
import { startMarked } from ${JSON.stringify(new URL("../../../../src/node/processes/marked-child.ts", import.meta.url))};
const program = { name: "sh", path: "/bin/sh", createArgs: (line) => ["-c", line] };
const { child, streams } = startMarked({ program, env: process.env, secrets: [] }, "ls -l /proc/self/fd", "/");
streams[0].pipe(process.stdout);
await once(child, "close");
`;

describe("a started command line", () => {
  it("gets no files that whoever started us left open", () => {
    skipWithout("Linux");
    const started = 'exec 200</usr 203</etc; exec "$1" --input-type=module -e "$2"';
    const { stdout, stderr } = spawnSync("bash", ["-c", started, "bash", process.execPath, STARTS], {
      encoding: "utf8",
    });
    assert.match(stdout, / 1 -> /, stderr);
    assert.doesNotMatch(stdout, /-> \/(?:usr|etc)$/m);
  });
});
