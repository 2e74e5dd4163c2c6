import assert from "node:assert/strict";
import { createHeadlessModels } from "../../../../src/headless/models.ts";
import { makeSecrets } from "../../../../src/runs/log/secrets.ts";
import { createWholeChange, type FileChange } from "../../../../src/runtime/review/read-patch.ts";
import { reviewChanges } from "../../../../src/runtime/review/review-changes.ts";
import { DEFAULT_SETTINGS } from "../../../../src/schema/read-settings.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import {
  type Answering,
  refusal,
  type SeenRequest,
  saying,
  serverForSuite,
} from "../../../support/fake-model-server.ts";
import { payFor } from "../../../support/paid-models.ts";

const server = serverForSuite();

/** A finding as the model writes it. */
const claim = (file: string, code: string, more: object = {}) => ({
  severity: "high",
  file,
  code,
  title: "Wrong",
  reason: "It is.",
  ...more,
});
const finding = (...claims: readonly object[]): Answering => saying(JSON.stringify({ findings: claims }));
const sentText = ({ body }: SeenRequest): string => body.messages.at(-1).content;

/** A file of many lines. */
const long = (file: string, lines: number): FileChange =>
  createWholeChange(
    file,
    Array.from({ length: lines }, (_, at) => `const value${at} = compute(${at}, "${file}");\n`).join(""),
  );

describe("a review of changes", () => {
  /** Reviews with a model of a server; the report, how far it got, and what was sent. */
  async function review(changes: readonly FileChange[], known: readonly string[] = []) {
    const model = { ...DEFAULT_SETTINGS.model, baseUrl: server().baseUrl, smart: "fake", contextWindow: 16_000 };
    const settings = { ...DEFAULT_SETTINGS, model };
    const { smart } = await createHeadlessModels(settings, async () => "a-test-key").createModelPair(settings);
    const before = server().requests.length;
    const progress: string[] = [];
    const report = await reviewChanges({
      ...{ changes, paid: payFor(smart), signal: new AbortController().signal },
      redact: makeSecrets(known, () => "abcdef").redact,
      reportProgress: (done, all) => progress.push(`${done}/${all}`),
    });
    const { findings, notes, ...rest } = report;
    return {
      ...rest,
      findings: findings.map(({ severity, file, line, title }) => `${severity} ${file}:${line} ${title}`),
      notes: notes.map(writeInEnglish),
      sent: server().requests.slice(before).map(sentText),
      progress,
    };
  }

  it("goes through long changes in parts, and shows each line in one of them", async () => {
    server().plan(finding());
    const { sent, progress, files, isIncomplete } = await review([
      long("a.ts", 300),
      long("b.ts", 300),
      long("c.ts", 20),
    ]);
    const lines = sent.flatMap((text) => text.match(/value\d+ = compute\(\d+, "[abc]\.ts"\)/g) ?? []);
    assert.deepEqual(
      {
        isInParts: sent.length > 1,
        lines: lines.length,
        once: new Set(lines).size,
        last: progress.at(-1),
        files,
        isIncomplete,
      },
      { isInParts: true, lines: 620, once: 620, last: `${sent.length}/${sent.length}`, files: 3, isIncomplete: false },
    );
  });

  it("has the worst findings first, each once, and says how many had no place", async () => {
    const changes = [createWholeChange("a.ts", "first();\nsecond();\n"), createWholeChange("b.ts", "third();\n")];
    server().plan(
      finding(
        claim("b.ts", "third()", { severity: "minor", title: "Small" }),
        claim("a.ts", "second()", { severity: "warning", title: "Middling" }),
        claim("a.ts", "second()", { severity: "critical" }),
        claim("a.ts", "second()", { severity: "high", title: "wrong" }),
        claim("a.ts", "fourth()"),
      ),
    );
    const { findings, notes, unplaced } = await review(changes);
    assert.deepEqual(
      { findings, notes, unplaced },
      {
        findings: ["high a.ts:2 Wrong", "medium a.ts:2 Middling", "low b.ts:1 Small"],
        notes: ["1 finding cited code that isn't in the changes, so it was dropped."],
        unplaced: 1,
      },
    );
  });

  it("keeps what was found where the model fails later, and says what wasn't reviewed", async () => {
    server().plan(finding(claim("a.ts", "value7 = compute")), refusal(401, "Wrong key."));
    const { findings, isIncomplete, notes } = await review([
      long("a.ts", 150),
      long("b.ts", 150),
      long("c.ts", 150),
      long("d.ts", 150),
    ]);
    assert.deepEqual(
      {
        findings,
        isIncomplete,
        missed: notes.some((note) => /^\d more files? (?:wasn't|weren't) reviewed\.$/.test(note)),
      },
      { findings: ["high a.ts:8 Wrong"], isIncomplete: true, missed: true },
    );
  });

  it("says which files it couldn't read, and is incomplete unless they only accompany the code", async () => {
    server().plan(finding());
    const seen = createWholeChange("a.ts", "first();\n");
    const unseen = (file: string, hidden: FileChange["hidden"]) => ({ ...seen, file, hunks: [], hidden }) as FileChange;
    const lock = unseen("package-lock.json", "generated");
    const reports = [
      await review([seen, lock, unseen("logo.png", "binary")]),
      await review([seen, lock, unseen("b.min.js", "generated"), unseen("c.py", "binary")]),
    ];
    assert.deepEqual(
      reports.map(({ isIncomplete, notes }) => ({ isIncomplete, notes })),
      [
        {
          isIncomplete: false,
          notes: [
            "Counts as generated, so its lines weren't read: package-lock.json.",
            "Isn't text, so it wasn't read: logo.png.",
          ],
        },
        {
          isIncomplete: true,
          notes: [
            "2 files count as generated, so their lines weren't read: package-lock.json, b.min.js.",
            "Isn't text, so it wasn't read: c.py.",
          ],
        },
      ],
    );
  });

  it("sends no secret, and still finds the line of one", async () => {
    const key = "my-own-key-0123456789";
    const pem = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEA7bq0uTz1\n".repeat(6)}-----END RSA PRIVATE KEY-----\n`;
    server().plan(finding(claim("a.ts", 'connect("[secret abcdef: API key]");', { line: 9 })));
    const { findings, sent, notes } = await review(
      [createWholeChange("a.ts", `start();\nconnect("${key}");\n`), createWholeChange("b.txt", pem)],
      [key],
    );
    assert.deepEqual(
      { findings, leaks: [key, "MIIEpAIB"].filter((secret) => sent.join().includes(secret)), notes },
      { findings: ["high a.ts:2 Wrong"], leaks: [], notes: ["May hold secrets, so it wasn't sent: b.txt."] },
    );
  });

  it("reads findings with other names for their fields, in a fence or alone in a list", async () => {
    const item = { path: "a.ts", snippet: "first()", message: "It fails. Always.", startLine: "1", severity: "Nit" };
    const answers = [`Here:\n\`\`\`json\n${JSON.stringify({ findings: [item] })}\n\`\`\``, JSON.stringify([item])];
    const found = [];
    for (const answer of answers) {
      server().plan(saying(answer));
      found.push((await review([createWholeChange("a.ts", "first();\n")])).findings);
    }
    assert.deepEqual(found, [["low a.ts:1 It fails."], ["low a.ts:1 It fails."]]);
  });

  const broken: readonly (readonly [string, string, readonly string[]])[] = [
    [
      "with the list of severities copied from the prompt",
      '{ "findings": [ { "severity": "high", "medium" or "low", "file": "a.ts", "code": "first();", "title": "Wrong" } ] }',
      ["medium a.ts:1 Wrong"],
    ],
    [
      "with quotes in code that aren't escaped, each of them",
      '```json\n{ "findings": [ { "file": "a.ts", "code": "second("x");", "title": "Wrong", "severity": "low" },\n { "file": "a.ts", "code": "first();", "reason": "It\'s \\"first\\".\\nYes." } ] }\n```',
      ['medium a.ts:1 It\'s "first".', "low a.ts:2 Wrong"],
    ],
    [
      "with code as a list of lines",
      '{ "findings": [ { "severity": "high", "file": "a.ts", "line": 1, "code": ["first();", "second(\\"x\\");"], "title": "Wrong" } ] }',
      ["high a.ts:1 Wrong"],
    ],
    [
      "with code in a template of JavaScript",
      '{ "findings": [ { "file": "a.ts", "code": `\n+ second("x");\n`, "title": "Wrong", "severity": "high" } ] }',
      ["high a.ts:2 Wrong"],
    ],
    ["as an empty list in a fence", "```json\n[]\n```", []],
  ];
  for (const [how, answer, expected] of broken)
    it(`reads an answer ${how}, without asking again`, async () => {
      server().plan(saying(answer), refusal(400, "No second answer."));
      const { findings, isIncomplete, sent } = await review([createWholeChange("a.ts", 'first();\nsecond("x");\n')]);
      assert.deepEqual(
        { findings, isIncomplete, requests: sent.length },
        { findings: expected, isIncomplete: false, requests: 1 },
      );
    });

  it("counts findings without code among those that have no place", async () => {
    server().plan(finding(claim("a.ts", "first()"), { file: "a.ts", title: "Wrong" }));
    const { findings, unplaced } = await review([createWholeChange("a.ts", "first();\n")]);
    assert.deepEqual({ findings, unplaced }, { findings: ["high a.ts:1 Wrong"], unplaced: 1 });
  });

  it("is incomplete where no finding of a list can be read, also when asked again", async () => {
    server().plan(saying('{ "findings": [ something is wrong ] }'));
    const { isIncomplete, sent } = await review([createWholeChange("a.ts", "first();\n")]);
    assert.deepEqual({ isIncomplete, requests: sent.length }, { isIncomplete: true, requests: 2 });
  });
});
