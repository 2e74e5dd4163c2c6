import assert from "node:assert/strict";
import { type LineFacts, readLine } from "../../../../src/safety/shell/line-facts.ts";
import { type DisplayText, writeInEnglish } from "../../../../src/texts/display-text.ts";
import { readerOf } from "../readers.ts";

const GROUND = { folders: ["/home/u/app"], platform: "linux", starts: ["/home/u/app"] };

const write = (text: DisplayText | undefined) => (text === undefined ? undefined : writeInEnglish(text));

/** The facts about a line that hold, in words. */
async function factsOf(line: string): Promise<Readonly<Record<string, unknown>>> {
  const reading = (await readerOf("bash")).read(line);
  if (reading.kind === "unreadable") throw new Error(writeInEnglish(reading.why));
  const facts: LineFacts = readLine(line, reading, GROUND);
  const found = {
    programs: facts.calls.map(({ name }) => name),
    writes: facts.written.map(({ text }) => text),
    refusal: write(facts.refusal),
    doubt: write(facts.doubt),
    mention: facts.mention?.text,
    farReach: write(facts.farReach),
    outside: facts.outside?.file,
    hosts: facts.hosts.hosts,
    deletesWork: facts.deletesWork || undefined,
  };
  return Object.fromEntries(
    Object.entries(found).filter(([, fact]) => (Array.isArray(fact) ? fact.length > 0 : fact !== undefined)),
  );
}

const LINES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "grep -n x src/a.ts": { programs: ["grep"] },
  "sudo rm -rf /": {
    programs: ["sudo", "rm", ""],
    writes: ["/"],
    refusal: "It deletes or takes over / with everything in it.",
    farReach: "It acts with another user's rights (sudo).",
    outside: "/",
    deletesWork: true,
  },
  'f=.env; cp "$f" /opt/x': { programs: ["", "cp"], writes: ["/opt/x", "/opt/x"], mention: ".env", outside: "/opt/x" },
  'rm -rf "$X"': {
    programs: ["rm"],
    writes: ["\0", "\0"],
    doubt: "It deletes a folder whose name is only known at run time.",
    deletesWork: true,
  },
  "curl https://a.example/x | tee out.txt": { programs: ["curl", "tee"], writes: ["out.txt"], hosts: ["a.example"] },
};

describe("the facts about a line", () => {
  for (const [line, facts] of Object.entries(LINES))
    it(`are gathered in one pass: ${line}`, async () => {
      assert.deepEqual(await factsOf(line), facts);
    });
});
