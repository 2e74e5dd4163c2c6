import assert from "node:assert/strict";
import type { Disk } from "../../../../src/core/ports/disk.ts";
import { type SavedRule, type SavedRuleStore, SavedRules } from "../../../../src/safety/policy/saved-rules.ts";
import type { ShellScript } from "../../../../src/safety/shell/script.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { readerOf } from "../readers.ts";
import { emptyDisk } from "../support.ts";

const app = "/home/u/app";

/** A disk of files that a test can change. */
function diskOf(files: Record<string, string>): Disk {
  return { ...emptyDisk, hash: async (path) => files[path], readText: async (path) => files[path] };
}

function store(): SavedRuleStore {
  let kept: readonly SavedRule[] = [];
  return {
    list: () => kept,
    async save(rules) {
      kept = rules;
    },
  };
}

async function script(line: string): Promise<ShellScript> {
  const reading = (await readerOf("bash")).read(line);
  if (reading.kind === "unreadable") throw new Error(writeInEnglish(reading.why));
  return reading;
}

/** Teaches a line, lets the files change, and tells whether it may still run. */
async function holdsAfter(
  line: string,
  files: Record<string, string>,
  change: (files: Record<string, string>) => void,
  asked = line,
): Promise<boolean> {
  const rules = new SavedRules(store(), diskOf(files));
  await rules.save(await script(line), app);
  change(files);
  return (await rules.match(await script(asked), app)) !== undefined;
}

describe("a saved command line", () => {
  const packageJson = `{"scripts":{"test":"node test/run.mjs"}}`;
  const files = () => ({
    [`${app}/package.json`]: packageJson,
    [`${app}/test/run.mjs`]: "1",
    [`${app}/build.sh`]: "make",
    [`${app}/src/a.ts`]: "a",
    [`${app}/other.mk`]: "all:",
    [`${app}/load.mjs`]: "1",
    [`${app}/vite.other.ts`]: "1",
    [`${app}/node_modules/.bin/eslint`]: "1",
  });

  it("may run again as long as what it runs is the same", async () => {
    const edit = (all: Record<string, string>) => {
      all[`${app}/src/a.ts`] = "b";
    };
    assert.equal(await holdsAfter("npm test", files(), edit, "npm  'test'"), true);
  });

  for (const [line, path] of [
    ["npm test", "package.json"],
    ["npm test", "test/run.mjs"],
    ["npm test", ".npmrc"],
    ["./build.sh", "build.sh"],
    ["bash build.sh --fast", "build.sh"],
    ["make all", "Makefile"],
    ["cd pkg && npm test", "pkg/package.json"],
    ["npm --prefix pkg test", "pkg/package.json"],
    ["npm test -w=pkg", "pkg/package.json"],
    ["make -C pkg", "pkg/Makefile"],
    ["make -fother.mk", "other.mk"],
    ["node --import ./load.mjs test/run.mjs", "load.mjs"],
    ["npx vitest --config=vite.other.ts", "vite.other.ts"],
    ["npx eslint .", "node_modules/.bin/eslint"],
  ] as const) {
    it(`is void once ${path} has changed: ${line}`, async () => {
      const edit = (all: Record<string, string>) => {
        all[`${app}/${path}`] = "changed";
      };
      assert.equal(await holdsAfter(line, files(), edit), false);
    });
  }

  it("holds in its own folder only, and for no other line", async () => {
    const rules = new SavedRules(store(), diskOf(files()));
    await rules.save(await script("npm test"), app);
    const found = [
      await rules.match(await script("npm test"), "/home/u/other"),
      await rules.match(await script("npm test x"), app),
      await rules.match(await script("npm test; make"), app),
      await rules.match(await script("npm test > log"), app),
    ];
    assert.deepEqual(found, Array(4).fill(undefined));
  });

  it("means the same commands, joined and negated in the same way", async () => {
    const rules = new SavedRules(store(), diskOf(files()));
    await rules.save(await script("npm test && npm publish"), app);
    const asked = ["npm test&&npm  publish", "npm test; npm publish", "npm test || npm publish"].concat(
      "! npm test && npm publish",
      "npm test\nnpm publish",
      "if npm test; then npm publish; fi",
      "for a in b; do npm test && npm publish; done",
    );
    const found = await Promise.all(asked.map(async (line) => rules.match(await script(line), app)));
    assert.deepEqual(
      found.map((rule) => rule !== undefined),
      [true, ...Array(asked.length - 1).fill(false)],
    );
  });

  it("is kept once beside the others, wherever its output goes", async () => {
    const rules = new SavedRules(store(), diskOf(files()));
    for (const line of ["npm test 2>/dev/null", "npm test", "npm test 2>&1", "node test/run.mjs"])
      await rules.save(await script(line), app);
    const kept = rules.all.map(({ line }) => line);
    await rules.forget({ folder: app, line: kept[0] ?? "" });
    assert.deepEqual([kept.length, rules.all.map(({ line }) => line)], [2, kept.slice(1)]);
  });

  it("can be forgotten", async () => {
    const rules = new SavedRules(store(), diskOf(files()));
    await rules.forget(await rules.save(await script("npm test"), app));
    assert.deepEqual(rules.all, []);
  });

  it("is none where a line should be looked at each time", async () => {
    const rules = new SavedRules(store(), emptyDisk);
    const lines = ["rm -rf build", "npm test $X", "cat *", "ls | head", "echo $(id)", "git push", "make > log"];
    const saved = await Promise.all(lines.map(async (line) => rules.save(await script(line), app).catch(() => "no")));
    assert.deepEqual(saved, Array(lines.length).fill("no"));
  });
});
