import assert from "node:assert/strict";
import { readShellFacts } from "../../../../src/safety/policy/shell-facts.ts";
import { readerOf } from "../readers.ts";
import { emptyDisk } from "../support.ts";

/** The lines that count as only reading. */
async function findReading(lines: readonly string[]): Promise<readonly string[]> {
  const place = { folder: "/home/u/app", folders: ["/home/u/app"], platform: "linux" } as const;
  const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
  const found: string[] = [];
  for (const line of lines) {
    const { notReadOnly } = await readShellFacts(line, knowledge, place, emptyDisk);
    if (notReadOnly === undefined) found.push(line);
  }
  return found;
}

describe("settings before a line that only reads", () => {
  it("are harmless where they choose a language, a time zone, colors or no pager", async () => {
    const lines = [
      ...["LC_ALL=C sort data.csv", "LANG=C LC_ALL=en_US.UTF-8 ls -la", "NO_COLOR=1 git status", "TZ=UTC date"],
      ...["GIT_PAGER=cat git log -3", "PAGER= git diff", "env LC_ALL=C sort data.csv", "ls | LC_ALL=C sort | uniq -c"],
      "TZ=Europe/Berlin date",
    ];
    assert.deepEqual(await findReading(lines), lines);
  });

  it("ask where they could do more, and the line after them is still read", async () => {
    const lines = [
      ...["GIT_PAGER=sh git log", "PAGER=./x git log", "GIT_EXTERNAL_DIFF=./x git diff", "LD_PRELOAD=./x ls"],
      ...["PATH=. ls", "LC_ALL=../x ls", "TZ=/etc/passwd date", "TZ=../x date", "BASH_ENV=x ls", "X=1 ls"],
      ...["LC_ALL=C", "LC_ALL=C; cat .env", "LC_ALL=$(cat .env) ls", "LC_ALL=C cat .env", "LC_ALL=C touch x"],
      ...["env", "env LC_ALL=C", "env -i ls", "env LC_ALL=C X=1 ls", "env -S 'cat .env'", "env LC_ALL=C sh -c ls"],
      ...["env LC_ALL=C cat .env", "LC_ALL=C env", "LC_ALL=C if true; then ls; fi", "LC_ALL=C sort -o x data.csv"],
    ];
    assert.deepEqual(await findReading(lines), []);
  });
});

describe("names that a line only prints", () => {
  it("may come from anywhere, but never run", async () => {
    const lines = [
      ...["cat names.txt | xargs echo", "ls | xargs -n1 echo", "ls | xargs -I{} echo {}", "find . -exec echo {} \\;"],
      ...[
        "ls | xargs -I echo echo x",
        "ls | xargs -I c echo x",
        "cat names.txt | xargs -I{} {}",
        "ls | xargs echo | xargs cat",
      ],
      ...["ls | xargs -I{} echo {} > x", "ls | xargs -I '' echo x"],
    ];
    assert.deepEqual(await findReading(lines), lines.slice(0, 4));
  });
});
