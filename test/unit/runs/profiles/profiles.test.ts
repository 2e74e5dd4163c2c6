import assert from "node:assert/strict";
import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { stringify } from "yaml";
import { readBudget, readProfileYaml, writeProfileYaml } from "../../../../src/runs/profiles/profile-yaml.ts";
import { createProfiles, readProfile } from "../../../../src/runs/profiles/profiles.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

function isMap(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const ANN = { name: "Ann", role: "a roofer", goals: ["Find the leak", "Mend it"], budgetUsd: 1.5 };

describe("a profile in YAML", () => {
  it("is read in the classic form", () => {
    const text = 'ai_goals:\n- Find the leak\n- Mend it\nai_name: Ann\nai_role: "a roofer"\napi_budget: $1.50\n';
    assert.deepEqual(readProfileYaml(text, "f"), ANN);
  });

  it("is read with what it has, a byte order mark and odd values included", () => {
    assert.deepEqual(
      readProfileYaml("\uFEFFai_name: 007\nai_role:\nai_goals: [1, null, ' ', {a: b}, x]\napi_budget: none", "f"),
      { name: "007", role: "", goals: ["1", "a: b", "x"] },
    );
  });

  const WORKING = "strategy: React\ncommands: [read_file, git]\nmodel: gpt-5-mini@openai\n";

  it("may name its strategy, its commands and its model", () => {
    assert.deepEqual(readProfileYaml(`ai_name: Ann\n${WORKING}`, "f"), {
      ...{ name: "Ann", role: "", goals: [] },
      ...{ strategy: "react", commands: ["read_file", "git"], model: "gpt-5-mini@openai" },
    });
  });

  it("is written with them, and without those that it no longer has", () => {
    const named = { ...ANN, strategy: "tasks", commands: ["read_file"], model: "gpt-5" } as const;
    const written = writeProfileYaml(named, "# mine\nai_name: Ann\n");

    const rewritten = writeProfileYaml(ANN, written);

    assert.deepEqual(
      [readProfileYaml(written, "f"), readProfileYaml(rewritten, "f"), rewritten.startsWith("# mine\n")],
      [named, ANN, true],
    );
  });

  it("has a problem where its strategy or its commands can't be meant", () => {
    const problems = ["strategy: reakt", "strategy: [a]", "commands: { read_file: true }"].map((line) => {
      try {
        return readProfileYaml(`ai_name: Ann\n${line}\n`, "f");
      } catch (error) {
        return String(error);
      }
    });
    assert.deepEqual(problems, [
      'Error: "strategy" in f names none. Did you mean react?',
      'Error: "strategy" in f names none. There are: autogpt, react, tasks.',
      'Error: "commands" in f isn\'t a list of names. Write each name on its own line, after "- ".',
    ]);
  });

  const goals: readonly [string, string, readonly string[]][] = [
    [
      "with a colon, which YAML takes for a field",
      "\n- Find: the bug\n- Then: fix it",
      ["Find: the bug", "Then: fix it"],
    ],
    ["with a colon at the end", "\n- Find:\n- Fix", ["Find", "Fix"]],
    ["with a number after a colon", "\n- Upgrade to: 1.10", ["Upgrade to: 1.10"]],
    ["as fields of their own", "\n- name: Find the bug\n- goal: Fix it", ["Find the bug", "Fix it"]],
    ["with several fields", "\n- name: Speed\n  description: Be fast", ["name: Speed, description: Be fast"]],
    ["as a numbered mapping", "\n  1: Find the bug\n  2: Fix it", ["Find the bug", "Fix it"]],
    ["as a mapping", "\n  Find: the bug\n  Fix: it", ["Find: the bug", "Fix: it"]],
    ["as lists in a list", "\n- - Find the bug\n  - Fix it", ["Find the bug", "Fix it"]],
    ["beyond the fifth, as part of the fifth", "[1, 2, 3, 4, 5, 6, 7]", ["1", "2", "3", "4", "5; 6; 7"]],
  ];
  for (const [name, yaml, expected] of goals)
    it(`keeps goals ${name}`, () =>
      assert.deepEqual(readProfileYaml(`ai_name: a\nai_goals: ${yaml}\n`, "f").goals, expected));

  it("loses no word of any goal", () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    const goal = fc.oneof(word, fc.dictionary(word, word, { minKeys: 1, maxKeys: 3 }), fc.array(word));
    fc.assert(
      fc.property(fc.array(goal, { maxLength: 8 }), (listed) => {
        const read = readProfileYaml(stringify({ ai_name: "a", ai_goals: listed }), "f").goals.join(" ");
        const words = JSON.stringify(listed.map((one) => (isMap(one) ? Object.values(one) : one))).match(/[a-z]+/g);
        assert.deepEqual(
          (words ?? []).filter((one) => !read.includes(one)),
          [],
        );
      }),
    );
  });

  const budgets = [
    [1.5, 1.5],
    ["$1.50", 1.5],
    ["$ 2", 2],
    [" 3 ", 3],
    [0, 0],
    [-1, 0],
    ["", 0],
    ["lots", 0],
    [null, 0],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 0],
  ] as const;
  for (const [value, usd] of budgets) {
    it(`takes ${JSON.stringify(value)} for a budget of ${usd} dollars`, () => assert.equal(readBudget(value), usd));
  }
});

describe("a file that is no profile", () => {
  const bad: [string, RegExp][] = [
    ["ai_name: [", /^f isn't valid YAML: .+\. Fix it, or remove the file\.$/],
    ["- a\n- b", /^f has no fields like "ai_name: \.\.\."/],
    ["just text", /^f has no fields/],
    ["", /^f names no agent\. Give it an "ai_name"/],
    ["other: 1", /^f names no agent/],
    ["ai_name: a\nai_goals: one", /^"ai_goals" in f isn't a list/],
    ["a: &a [x]\nb: *a\nai_name: x", /./],
  ];
  for (const [text, expected] of bad) {
    it(`is refused with a sentence: ${JSON.stringify(text)}`, () =>
      assert.throws(() => readProfileYaml(text, "f"), { message: expected }));
  }
});

describe("writing a profile", () => {
  it("gives a file that is read the same", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1 })
      .map((written) => written.trim())
      .filter((written) => written !== "");
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 5 }), (name, role, goals) => {
        assert.deepEqual(readProfileYaml(writeProfileYaml({ name, role, goals }), "f"), {
          name,
          role,
          goals,
        });
      }),
    );
  });

  it("keeps comments and further fields of the file it replaces", () => {
    const before = "# mine\nai_name: Old # the name\nmood: glad\n";
    assert.equal(
      writeProfileYaml(ANN, before),
      "# mine\nai_name: Ann # the name\nmood: glad\nai_role: a roofer\nai_goals:\n  - Find the leak\n  - Mend it\napi_budget: 1.5\n",
    );
  });

  it("replaces a file that cannot be read", () => {
    assert.deepEqual(readProfileYaml(writeProfileYaml(ANN, "ai_name: ["), "f"), ANN);
  });
});

describe("the stored profiles", () => {
  it("are none where there is no folder", async () => {
    const profiles = createProfiles(await tempFolder());
    assert.deepEqual([await profiles.list(), await profiles.findLastUsed()], [[], undefined]);
  });

  it("are kept under their names, the last used one first", async () => {
    const home = await tempFolder();
    const profiles = createProfiles(home);
    const path = await profiles.save(ANN);
    await profiles.save({ ...ANN, name: "Bob" });
    await utimes(path, 0, 0);
    const before = (await profiles.list()).map(({ slug }) => slug);
    await profiles.save(ANN);
    assert.deepEqual(
      [path, before, (await profiles.findLastUsed())?.profile],
      [join(home, "profiles/ann.yaml"), ["bob", "ann"], ANN],
    );
  });

  it("list a bad file with its problem, and pass it over", async () => {
    const home = await tempFolder();
    const profiles = createProfiles(home);
    await profiles.save(ANN);
    await writeFile(join(home, "profiles/bad.yml"), "ai_name: [");
    await writeFile(join(home, "profiles/notes.txt"), "no profile");
    await mkdir(join(home, "profiles/folder.yaml"));
    const listed = await profiles.list();
    assert.deepEqual(
      [
        listed
          .filter(({ problem }) => problem)
          .map(({ slug }) => slug)
          .sort(),
        listed.length,
        (await profiles.findLastUsed())?.slug,
      ],
      [["bad", "folder"], 3, "ann"],
    );
  });
});

describe("a profile by its path", () => {
  it("is read, and a missing or huge one is refused with a sentence", async () => {
    const home = await tempFolder();
    const path = await createProfiles(home).save(ANN);
    await writeFile(join(home, "huge.yaml"), " ".repeat(70_000));
    assert.deepEqual(await readProfile(path), ANN);
    await assert.rejects(readProfile(join(home, "none.yaml")), /^Error: There's no profile .+none\.yaml\./);
    await assert.rejects(readProfile(join(home, "huge.yaml")), /is too large for a profile \(over 64 kB\)/);
  });

  it("is not rewritten when nothing has changed", async () => {
    const profiles = createProfiles(await tempFolder());
    const path = await profiles.save(ANN);
    const commented = `# by hand\n${await readFile(path, "utf8")}`;
    await writeFile(path, commented);
    await profiles.save(ANN);
    assert.equal(await readFile(path, "utf8"), commented);
  });
});
