import assert from "node:assert/strict";
import { createAllowRules, readDeny, readRules } from "../../../../src/safety/policy/rules.ts";
import { judged } from "../readers.ts";
import { CONTINUOUS, request, runs, writes } from "../support.ts";

const shell = "execute_shell";
const file = "/home/u/app/src/a.ts";

/** The verdicts on command lines under some rules. */
function lines(rules: readonly unknown[], ...asked: readonly string[]): Promise<string[]> {
  return Promise.all(asked.map((line) => judged(runs(line), { rules: readRules(rules) })));
}

describe("rules about command lines", () => {
  it("compare word by word, so a longer word is no longer command", async () => {
    const rules = [{ command: shell, prefix: "npm test", action: "allow" }];
    assert.deepEqual(await lines(rules, "npm test", "npm test -- --watch", "npm  'test'", "npm testx", "npm"), [
      ...Array(3).fill("allow approval.rules[0]"),
      ...Array(2).fill("ask programs"),
    ]);
  });

  it("allow a line only when every command in it is allowed and nothing is written or nested", async () => {
    const rules = [{ command: shell, prefix: "npm test", action: "allow" }];
    const more = ["npm test; rm x", "npm test > log", "npm test $(id)", "A=1 npm test", "npm test &", "npm test *"];
    assert.deepEqual(await lines(rules, ...more), Array(6).fill("ask programs"));
  });

  it("refuse a line when any command in it is refused, however it is hidden", async () => {
    const rules = [{ command: shell, prefix: "git push", action: "refuse" }];
    const hidden = [
      "git push",
      "ls; git push",
      "echo $(git push)",
      "sudo git push",
      "bash -c 'git push'",
      "g\\it push",
      "git --no-pager push",
      "git -C sub -c a.b=c push origin",
    ];
    assert.deepEqual(await lines(rules, ...hidden), Array(8).fill("refuse approval.rules[0]"));
  });

  it("keep an exact one to its own arguments", async () => {
    const rules = [{ command: shell, exact: "git push", action: "refuse" }];
    assert.deepEqual(
      await lines([...rules, { command: shell, action: "allow" }], "git push --dry-run", "git -P push"),
      ["allow approval.rules[1]", "refuse approval.rules[0]"],
    );
  });

  it("take the first rule that is about a line", async () => {
    const rules = [
      { command: shell, exact: "git push --dry-run", action: "allow" },
      { command: shell, glob: "git push*", action: "refuse" },
      { command: shell, action: "allow" },
    ];
    assert.deepEqual(await lines(rules, "git push --dry-run", "git push origin", "make"), [
      "allow approval.rules[0]",
      "refuse approval.rules[1]",
      "allow approval.rules[2]",
    ]);
  });

  it("hold the stricter of two that contradict each other, wherever it is", async () => {
    const rules = [
      { command: shell, prefix: "make", action: "allow" },
      { command: shell, prefix: "make", action: "refuse" },
    ];
    assert.deepEqual(await lines(rules, "make"), ["refuse approval.rules[1]"]);
  });
});

describe("rules about typed lines", () => {
  const tests = (line: string) => request("run_tests", {}, { effect: "run", shell: line });
  const rule = (more: object) => readRules([{ command: shell, prefix: "npm test", ...more }]);

  it("hold for the same line of a test run, by any of their patterns", async () => {
    const deny = readDeny(["execute_shell(npm test*)"]);
    const named = readRules([{ command: shell, argument: "command_line", exact: "npm test", action: "refuse" }]);
    assert.deepEqual(
      await Promise.all([
        judged(tests("npm test"), { rules: rule({ action: "allow" }) }),
        judged(tests("npm test"), { ...CONTINUOUS, rules: rule({ action: "refuse" }) }),
        judged(tests("npm test"), { ...CONTINUOUS, deny }),
        judged(tests("npm test"), { ...CONTINUOUS, rules: named }),
        judged(tests("make test"), { rules: rule({ action: "allow" }) }),
      ]),
      [
        "allow approval.rules[0]",
        "refuse approval.rules[0]",
        "refuse approval.deny[0]",
        "refuse approval.rules[0]",
        "ask programs",
      ],
    );
  });

  it("don't hold for other commands", async () => {
    const popen = request("execute_shell_popen", { command_line: "npm test" }, { effect: "run", shell: "npm test" });
    assert.equal(await judged(popen, { rules: rule({ action: "allow" }) }), "ask programs");
  });
});

describe("rules about files and arguments", () => {
  it("allow a scope of paths, and nothing beside it", async () => {
    const rules = readRules([{ command: "write_to_file", path: "src/**/*.ts", action: "allow" }]);
    const asked = [file, "/home/u/app/src/b/c.ts", "/home/u/app/src/a.js", "/home/u/app/lib/a.ts"];
    assert.deepEqual(await Promise.all(asked.map((path) => judged(writes(path), { rules }))), [
      "allow approval.rules[0]",
      "allow approval.rules[0]",
      "ask writes",
      "ask writes",
    ]);
  });

  it("refuse what is in a scope in any case of letters, and the deletion of what holds it", async () => {
    const deny = readDeny(["*(src/generated)"]);
    const touches = [{ path: "/home/u/app/src", how: "delete" as const }];
    const all = [
      writes("/home/u/app/src/Generated/a.ts"),
      request("delete_file", {}, { effect: "write", touches }),
      writes("/home/u/app/src/generate.ts"),
    ];
    assert.deepEqual(await Promise.all(all.map((one) => judged(one, { ...CONTINUOUS, deny }))), [
      "refuse approval.deny[0]",
      "refuse approval.deny[0]",
      "allow continuous",
    ]);
  });

  it("refuse a name in any Unicode form, however the rule has it, and allow only the very name", async () => {
    const [nfc, nfd] = ["é/ü.txt".normalize("NFC"), "é/ü.txt".normalize("NFD")];
    const verdicts = [];
    for (const rule of [nfc, nfd])
      for (const name of [nfc, nfd])
        verdicts.push(
          await judged(writes(`/home/u/app/${name}`), {
            ...CONTINUOUS,
            rules: readRules([{ command: "write_to_file", path: rule, action: "refuse" }]),
          }),
          await judged(request("write_to_file", { filename: name }, { effect: "write" }), {
            ...CONTINUOUS,
            rules: readRules([{ command: "write_to_file", argument: "filename", glob: rule, action: "refuse" }]),
          }),
          await judged(writes(`/home/u/app/${name}`), {
            rules: readRules([{ command: "write_to_file", path: rule, action: "allow" }]),
          }),
        );
    const refused = "refuse approval.rules[0]";
    assert.deepEqual(verdicts, [
      ...[refused, refused, "allow approval.rules[0]"],
      ...[refused, refused, "ask writes"],
      ...[refused, refused, "ask writes"],
      ...[refused, refused, "allow approval.rules[0]"],
    ]);
  });

  it("compare a named argument", async () => {
    const rules = readRules([{ command: "*", argument: "url", glob: "https://docs.*", action: "allow" }]);
    const asks = (url: string) => judged(request("browse_website", { url }, { effect: "network" }), { rules });
    assert.deepEqual(
      [await asks("https://docs.a.org/x"), await asks("https://evil.org/?https://docs.")],
      ["allow approval.rules[0]", "ask network"],
    );
  });

  it("know a file by its folder's name, too, where several folders are open", async () => {
    const asks = (rule: object, filename: string, path: string) => {
      const touches = [{ path, how: "write" as const }];
      const rules = readRules([{ command: "write_to_file", argument: "filename", ...rule }]);
      const folders = ["/home/u/app", "/home/u/lib"];
      return judged(request("write_to_file", { filename }, { effect: "write", touches }), { rules, folders });
    };
    const docs = { prefix: "docs/", action: "allow" };
    assert.deepEqual(
      {
        allowedInItsOwn: await asks(docs, "docs/a.md", "/home/u/app/docs/a.md"),
        notInAnother: await asks(docs, "docs/a.md", "/home/u/lib/docs/a.md"),
        refusedByName: await asks({ prefix: "lib/", action: "refuse" }, "b.md", "/home/u/lib/b.md"),
        ownRefusedByName: await asks({ prefix: "app/", action: "refuse" }, "b.md", "/home/u/app/b.md"),
      },
      {
        allowedInItsOwn: "allow approval.rules[0]",
        notInAnother: "ask writes",
        refusedByName: "refuse approval.rules[0]",
        ownRefusedByName: "refuse approval.rules[0]",
      },
    );
  });

  it("know a file by its links, however long its name is spelled", async () => {
    const named = async (action: string, prefix: string, filename: string) => {
      const touches = [{ path: "/home/u/app/lib/a.md", via: ["/home/u/app/docs/a.md"], how: "write" as const }];
      const rules = readRules([{ command: "write_to_file", argument: "filename", prefix, action }]);
      return judged(request("write_to_file", { filename }, { effect: "write", touches }), {
        rules,
        folders: ["/home/u/app"],
      });
    };
    const long = `docs/${"./".repeat(5_000)}a.md`;
    assert.deepEqual(
      {
        allowed: await named("allow", "docs/", long),
        refused: await named("refuse", "lib/", long),
        short: await named("allow", "docs/", "docs/a.md"),
      },
      { allowed: "ask writes", refused: "refuse approval.rules[0]", short: "ask writes" },
    );
  });

  it("say yes to whole commands from a command line of ours", async () => {
    assert.equal(
      await judged(writes(file), { rules: createAllowRules(["write_to_file"]) }),
      "allow --yes-to write_to_file",
    );
  });
});

describe("rules that cannot be read", () => {
  const BROKEN = [
    "npm test",
    null,
    [],
    {},
    { command: "a b", action: "allow" },
    { command: "*", action: "yes" },
    { command: "*", action: "allow", regex: ".*" },
    { command: "*", action: "allow", exact: "a", glob: "b" },
    { command: "*", action: "allow", glob: "" },
    { command: "*", action: "allow", prefix: 5 },
    { command: "*", action: "allow", argument: "url" },
    { command: "*", action: "allow", glob: "*".repeat(500) },
  ];

  it("ask about all that they may have been about, with a sentence", () => {
    const read = BROKEN.map((rule) => readRules([rule])[0]);
    assert.deepEqual(
      read.map((rule) => [rule?.action, /^[A-Z"].*\.$/.test(rule?.problem ?? "")]),
      BROKEN.map(() => ["ask", true]),
    );
  });

  it("do so in continuous mode, too, and as deny patterns", async () => {
    const rules = readRules(["nonsense"]);
    const deny = readDeny(["a b c"]);
    assert.deepEqual(
      [await judged(writes(file), { ...CONTINUOUS, rules }), await judged(writes(file), { ...CONTINUOUS, deny })],
      ["ask approval.rules[0]", "ask approval.deny[0]"],
    );
  });
});
