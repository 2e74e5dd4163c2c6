import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { createPolicyDisk } from "../../../../src/node/policy-disk.ts";
import { readShellFacts } from "../../../../src/safety/policy/shell-facts.ts";
import { makeLinkSync } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { judged, readerOf } from "../readers.ts";
import { CONTINUOUS, emptyDisk, request, runs } from "../support.ts";

/** Lines that ask in every mode by what they do, lines that read a secret on the way, and everyday lines. */
interface Lines {
  readonly asks: Readonly<Record<string, readonly string[]>>;
  readonly "reaches a secret": readonly string[];
  readonly ordinary: readonly string[];
  readonly powershell: { readonly asks: readonly string[]; readonly ordinary: readonly string[] };
}

const LINES: Lines = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "../../../fixtures/shell-every-mode.json"), "utf8"),
);

const quoted = (line: string): string => `'${line.replaceAll("'", "'\\''")}'`;

/** The same line behind other commands, in other shells, with other spellings of its name. */
const VARIATIONS: readonly ((line: string) => string)[] = [
  (line) => `true && ${line}`,
  (line) => `(${line}\n)`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `ls; ${line}`,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `f() { ${line}\n}; f`,
  (line) => `{ ${line}\n} 2>/dev/null`,
  (line) => `eval ${quoted(line)}`,
  (line) => `ls | while read x; do ${line}\ndone`,
  (line) => `nohup sh -c ${quoted(line)} &`,
];

/** The lines that continuous mode runs although a grant, too, is left. */
async function unasked(lines: readonly string[]): Promise<readonly string[]> {
  const verdicts = await Promise.all(
    lines.map(async (line) => [line, await judged(runs(line), { ...CONTINUOUS, grantLeft: 3 })] as const),
  );
  return verdicts.filter(([, verdict]) => verdict.startsWith("allow")).map(([line]) => line);
}

describe("lines that ask in every mode", () => {
  for (const [group, lines] of Object.entries(LINES.asks))
    it(`ask in continuous mode, however they are put: ${group}`, async () => {
      const varied = lines.map((line, at) => VARIATIONS[at % VARIATIONS.length]?.(line) ?? line);
      assert.deepEqual(await unasked([...lines, ...varied]), []);
    });

  it("are distinguished from everyday work", async () => {
    const run = new Set(await unasked(LINES.ordinary));
    assert.deepEqual(
      LINES.ordinary.filter((line) => !run.has(line)),
      [],
    );
  });

  it("ask in PowerShell, too, and everyday lines run", async () => {
    const place = { folder: "C:\\app", folders: ["C:\\app"], platform: "win32" } as const;
    const knowledge = { dialect: "powershell", reader: await readerOf("powershell") } as const;
    const { asks, ordinary } = LINES.powershell;
    const run: string[] = [];
    for (const line of [...asks, ...ordinary]) {
      const shell = await readShellFacts(line, knowledge, place, emptyDisk);
      const { folders, platform } = place;
      const verdict = await judged(runs(line), { ...CONTINUOUS, folders, platform, shell });
      if (verdict.startsWith("allow")) run.push(line);
    }
    assert.deepEqual(run, ordinary);
  });
});

describe("lines that read whole folders", () => {
  const tempFolder = tempFolders();

  async function reaching(lines: readonly string[], files: readonly string[]): Promise<readonly string[]> {
    const folder = fs.realpathSync(await tempFolder());
    for (const file of files) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.writeFileSync(path.join(folder, file), "x\n");
    }
    const place = { folder, folders: [folder], platform: process.platform } as const;
    const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
    const asked: string[] = [];
    for (const line of lines) {
      const shell = await readShellFacts(line, knowledge, place, createPolicyDisk());
      const verdict = await judged(runs(line), { ...CONTINUOUS, folders: [folder], shell });
      if (!verdict.startsWith("allow")) asked.push(line);
    }
    return asked;
  }

  it("ask in continuous mode where a secret is among the files", async () => {
    const lines = LINES["reaches a secret"];
    const asked = await reaching(lines, ["src/app.ts", "sub/.env", "sub/id_rsa"]);
    assert.deepEqual(
      lines.filter((line) => !asked.includes(line)),
      [],
    );
  });

  it("run where there is none", async () => {
    const lines = ["grep -rn foo .", "rg foo", "tar -czf dist.tgz src", "cp -r src backup", "find . | xargs cat"];
    assert.deepEqual(await reaching(lines, ["src/app.ts", "README.md"]), []);
  });

  it("run where their patterns leave the secret out", async () => {
    const lines = ["grep -r foo --include='*.ts' .", "find . -name '*.ts' -exec cat {} +", "grep -rn foo src"];
    assert.deepEqual(await reaching(lines, ["src/app.ts", "sub/.env"]), []);
  });
});

describe("lines that write through a link", () => {
  const tempFolder = tempFolders();

  it("ask in continuous mode where it leads outside", async () => {
    const around = fs.realpathSync(await tempFolder());
    const folder = path.join(around, "app");
    fs.mkdirSync(path.join(folder, "src"), { recursive: true });
    fs.mkdirSync(path.join(around, "other"));
    makeLinkSync("../other", path.join(folder, "link"));
    makeLinkSync("src", path.join(folder, "inner"));
    makeLinkSync("../other", path.join(folder, "c:link"));
    const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
    const verdicts: Record<string, string> = {};
    const absolute = `touch ${folder}/link/x`;
    for (const line of [
      "touch link/x",
      "cp a link",
      "echo x > link/y",
      "touch c:link/x",
      "touch src/../link/x",
      absolute,
      "touch inner/x",
    ]) {
      const shell = await readShellFacts(
        line,
        knowledge,
        { folder, folders: [folder], platform: process.platform },
        createPolicyDisk(),
      );
      verdicts[line] = await judged(runs(line), { ...CONTINUOUS, folders: [folder], shell });
    }
    assert.deepEqual(verdicts, {
      "touch link/x": "ask outside-workspace",
      "cp a link": "ask outside-workspace",
      "echo x > link/y": "ask outside-workspace",
      "touch c:link/x": "ask outside-workspace",
      "touch src/../link/x": "ask outside-workspace",
      [absolute]: "ask outside-workspace",
      "touch inner/x": "allow continuous",
    });
  });
});

describe("code that the agent runs", () => {
  const code = (text: string) => request("execute_python_code", { code: text }, { effect: "run" });
  const verdictOf = (text: string) => judged(code(text), CONTINUOUS);

  it("asks in continuous mode by what its text shows", async () => {
    assert.deepEqual(
      {
        outside: await verdictOf("open('/opt/x', 'w')"),
        above: await verdictOf("open('../x', 'w')"),
        home: await verdictOf("from pathlib import Path; print(Path.home())"),
        environment: await verdictOf("import os\nprint(os.environ)"),
        hidden: await verdictOf("import base64\nexec(base64.b64decode('eA=='))"),
        ordinary: await verdictOf("import json\nprint(json.load(open('data.json'))['a/b'])"),
        temporary: await verdictOf("open('/tmp/x', 'w')"),
        one: await verdictOf("import os\nprint(os.environ['CI'])"),
      },
      {
        outside: "ask outside-workspace",
        above: "ask outside-workspace",
        home: "ask outside-workspace",
        environment: "ask far-reaching",
        hidden: "ask far-reaching",
        ordinary: "allow continuous",
        temporary: "allow continuous",
        one: "allow continuous",
      },
    );
  });
});
