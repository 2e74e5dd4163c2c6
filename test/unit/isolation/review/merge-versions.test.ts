import assert from "node:assert/strict";
import { sha256 } from "../../../../src/disk/sha256.ts";
import {
  type MergeVerdict,
  mergeVersions,
  type ThreeVersions,
  takeTheirsWhole,
} from "../../../../src/isolation/review/merge-versions.ts";
import { MISSING, type Version } from "../../../../src/isolation/review/versions.ts";
import { displayText, writeInEnglish } from "../../../../src/texts/display-text.ts";

function file(text: string, mode = 0o644): Version {
  const content = Buffer.from(text);
  return { state: { kind: "file", hash: sha256(content), bytes: content.length, mode }, content };
}

/** A file that is too large to be held in memory. */
function huge(text: string): Version {
  return { state: file(text).state };
}

const FOLDER: Version = { state: { kind: "folder" } };
const LINK: Version = { state: { kind: "link", to: "there" } };
const PIPE: Version = { state: { kind: "other", why: "It's a pipe." } };

/** Twice so many lines take too long to compare with as many others. */
const MANY = 8_000;
const NEW = 0o666 & ~process.umask();
const NEW_PROGRAM = NEW | ((NEW & 0o444) >> 2);

/** A verdict in a line: the result, then what is written, with its permission bits, or why it isn't. */
function inShort(verdict: MergeVerdict | undefined): string {
  if (!verdict || verdict.result === "same") return verdict?.result ?? "none";
  if ("why" in verdict)
    return [verdict.result, writeInEnglish(verdict.why), ...("content" in verdict ? [verdict.content] : [])].join(" ");
  const { result, target, content } = verdict;
  if (target.kind !== "file") return `${result} ${JSON.stringify(target)}`;
  if (content) assert.deepEqual([target.hash, target.bytes], [sha256(content), content.length]);
  return `${result} ${target.mode.toString(8)} ${content ?? "huge"}`;
}

const tooLong = `conflict ${writeInEnglish(displayText("isolation.why.tooLong"))}`;
const why = (code: "deletedHere" | "deletedThere" | "folder" | "otherKind" | "binary") =>
  `conflict ${writeInEnglish(displayText(`isolation.why.${code}`))}`;

type Case = readonly [base: Version, mine: Version, theirs: Version, verdict: string];

function versionsOf([base, mine, theirs]: Case): ThreeVersions {
  return { base, mine, theirs };
}

describe("a file of which there are three versions", () => {
  const cases: Readonly<Record<string, readonly Case[]>> = {
    "stays as it is where the run has changed nothing that the workspace doesn't have": [
      [file("a"), file("a"), file("a"), "same"],
      [file("a"), file("user"), file("a", 0o600), "same"],
      [file("a"), file("both"), file("both"), "same"],
      [file("a"), MISSING, FOLDER, "same"],
      [LINK, MISSING, LINK, "same"],
      [file("a", 0o755), file("user"), file("a"), "same"],
    ],
    "is taken from the run where the workspace hasn't changed it": [
      [file("a"), file("a"), file("run"), "taken 644 run"],
      [file("a"), file("a"), huge("run"), "taken 644 huge"],
      [file("a"), file("a", 0o600), file("a", 0o777), "taken 700 a"],
      [file("a", 0o755), file("a", 0o755), file("a"), "taken 644 a"],
      [file("a"), file("a"), LINK, 'taken {"kind":"link","to":"there"}'],
      [file("a"), file("a"), MISSING, 'taken {"kind":"missing"}'],
      [file("a"), file("a"), FOLDER, 'taken {"kind":"missing"}'],
      [MISSING, MISSING, file("run"), `taken ${NEW.toString(8)} run`],
      [MISSING, MISSING, file("run", 0o700), `taken ${NEW_PROGRAM.toString(8)} run`],
    ],
    "has the changes of both sides": [
      [file("1\n2\n3\n"), file("user\n2\n3\n"), file("1\n2\nrun\n"), "merged 644 user\n2\nrun\n"],
      [file("1\n2\n3\n"), file("user\n2\n3\n"), file("1\n2\nrun\n", 0o755), "merged 755 user\n2\nrun\n"],
      [file("a"), file("a", 0o755), file("run"), "merged 755 run"],
      [file("a", 0o755), file("a"), huge("run"), "merged 644 huge"],
      [file("a"), file("user"), file("a", 0o755), "taken 755 user"],
      [file("a"), huge("user"), file("a", 0o755), "taken 755 huge"],
      [file("a", 0o755), file("user", 0o755), file("a"), "taken 644 user"],
      [file("a"), file("both"), file("both", 0o755), "taken 755 both"],
      [MISSING, file("both"), file("both", 0o755), "taken 755 both"],
      [MISSING, file("both", 0o755), file("both"), "same"],
    ],
    "is a conflict where there is no result with both": [
      [file("a"), MISSING, file("run"), why("deletedHere")],
      [file("a"), file("user"), MISSING, why("deletedThere")],
      [file("a"), LINK, MISSING, why("deletedThere")],
      [file("a"), FOLDER, file("run"), why("folder")],
      [file("a"), LINK, file("run"), why("otherKind")],
      [file("a"), file("user"), LINK, why("otherKind")],
      [file("a"), PIPE, file("run"), "conflict It's a pipe."],
      [file("a"), file("user"), file("run\0"), why("binary")],
      [file("a"), file("user\0"), file("run"), why("binary")],
      [file("a\0"), file("user"), file("run"), why("binary")],
      [file("a"), huge("user"), file("run"), tooLong],
      [file("0\n1\n".repeat(MANY)), file("2\n3\n".repeat(MANY)), file("4\n5\n".repeat(MANY)), tooLong],
      [file("a"), file("user"), huge("run"), tooLong],
      [huge("a"), file("user"), file("run"), tooLong],
      ...[file("a\n"), MISSING].map(
        (base): Case => [
          base,
          file("user\n"),
          file("run\n"),
          `conflict ${writeInEnglish(displayText("isolation.why.bothChanged", { count: 1 }))} <<<<<<< workspace\nuser\n=======\nrun\n>>>>>>> isolated run\n`,
        ],
      ),
    ],
    "is refused if the run has made something else of it": [[file("a"), file("a"), PIPE, "refused It's a pipe."]],
  };
  for (const [what, all] of Object.entries(cases))
    it(what, () => {
      assert.deepEqual(
        all.map((one) => inShort(mergeVersions(versionsOf(one)))),
        all.map(([, , , verdict]) => verdict),
      );
    });

  it("is taken from the run as a whole, except where something else is in the way", () => {
    const all: readonly Case[] = [
      [file("a"), file("user", 0o755), file("run"), "taken 644 run"],
      [file("a"), MISSING, file("run"), `taken ${NEW.toString(8)} run`],
      [file("a"), LINK, MISSING, 'taken {"kind":"missing"}'],
      [file("a"), file("user"), FOLDER, 'taken {"kind":"missing"}'],
      [file("a"), FOLDER, file("run"), "none"],
      [file("a"), PIPE, file("run"), "none"],
      [file("a"), file("user"), PIPE, "none"],
    ];
    assert.deepEqual(
      all.map((one) => inShort(takeTheirsWhole(versionsOf(one)))),
      all.map(([, , , verdict]) => verdict),
    );
  });
});
