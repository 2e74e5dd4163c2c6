import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runInDesktop } from "../../host/desktop.ts";
import { skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("the integration tests in a desktop VS Code", () => {
  before(() => {
    skipWithout("files as POSIX has them");
  });

  /** Runs an executable in place of VS Code; what it was given, and how it ended. */
  async function run(body: string, more: { trust?: true; silence?: Promise<void> } = {}) {
    const folder = await tempFolder();
    const [program, out] = [join(folder, "code"), join(folder, "out")];
    await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$TEST_X" "$@" >'${out}'\n${body}\n`, {
      mode: 0o755,
    });
    const end = await runInDesktop(program, {
      tests: "/tests.cjs",
      extensions: ["/one", "/two"],
      workspace: "/ws",
      env: { TEST_X: "x" },
      silence: new Promise(() => undefined),
      picture: "",
      ...more,
    });
    const given = (await readFile(out, "utf8").catch(() => "")).split("\n");
    return { end, given };
  }

  const WANTED = [
    "x",
    "--extensionDevelopmentPath=/one",
    "--extensionDevelopmentPath=/two",
    "--extensionTestsPath=/tests.cjs",
    "/ws",
  ];

  it("end with its code, and only those that need trust have it", async () => {
    const ends = [];
    for (const [body, more] of [
      ["exit 0", {}],
      ["exit 3", {}],
      ["exit 3", { trust: true }],
    ] as const) {
      const { end, given } = await run(body, more);
      const missing = WANTED.filter((argument) => !given.includes(argument));
      ends.push({ end, missing, isTrusted: !given.includes("--disable-workspace-trust") });
    }
    assert.deepEqual(ends, [
      { end: { code: 0 }, missing: [], isTrusted: false },
      { end: { code: 3 }, missing: [], isTrusted: false },
      { end: { code: 3 }, missing: [], isTrusted: true },
    ]);
  });

  it("end a VS Code that says nothing", async () => {
    const silent = { trouble: "Nothing happened for too long." };
    const silence = Promise.resolve();
    assert.deepEqual(
      [(await run("sleep 600", { silence })).end, (await run("sleep 600", { silence, trust: true })).end],
      [silent, silent],
    );
  });
});
