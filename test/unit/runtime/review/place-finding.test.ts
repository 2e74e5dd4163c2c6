import assert from "node:assert/strict";
import { type ClaimedFinding, placeFinding } from "../../../../src/runtime/review/place-finding.ts";
import { createWholeChange, type FileChange, readPatch } from "../../../../src/runtime/review/read-patch.ts";

const PATCH = `diff --git a/src/shop/basket.ts b/src/shop/basket.ts
index 111..222 100644
--- a/src/shop/basket.ts
+++ b/src/shop/basket.ts
@@ -10,8 +10,9 @@ export class Basket {
   add(item: Item): void {
-    if (item.count < 1) throw new RangeError("count");
     this.items.push(item);
+    return null;
   }
 
   total(): number {
-    return sum(this.items);
+    const price = this.items.map((one) => one.price);
+    return price.reduce((all, one) => all + one);
   }
@@ -40,3 +41,4 @@ export class Basket {
   clear(): void {
+    return null;
     this.items.length = 0;
   }
diff --git a/src/old.ts b/src/old.ts
deleted file mode 100644
index 333..000
--- a/src/old.ts
+++ /dev/null
@@ -1,2 +0,0 @@
-export const formerly = "important";
-export const other = 2;
diff --git a/lib/names.ts b/lib/people.ts
similarity index 90%
rename from lib/names.ts
rename to lib/people.ts
index 444..555 100644
--- a/lib/names.ts
+++ b/lib/people.ts
@@ -1,2 +1,2 @@
-export const first = "Ada";
+export const first = "Ada\u200b";
 export const last = "Lovelace";
`;

/** Where a finding is placed that cites the code so, as `file:line-endLine`. */
async function place(cited: Partial<ClaimedFinding>, more: readonly FileChange[] = []): Promise<string | undefined> {
  const changes = [...(await readPatch(Buffer.from(PATCH).toString("latin1"))), ...more];
  const claim = { severity: "high", file: "src/shop/basket.ts", code: "", title: "Wrong", reason: "It is." } as const;
  const found = placeFinding({ ...claim, ...cited }, changes);
  return found && `${found.file}:${found.line}-${found.endLine}`;
}

describe("a finding's place", () => {
  const places: readonly (readonly [string, Partial<ClaimedFinding>, string | undefined])[] = [
    [
      "is the line that it quotes, whatever number it names",
      { line: 900, code: "    this.items.push(item);" },
      "src/shop/basket.ts:11-11",
    ],
    ["is the nearest of several lines of its text", { line: 39, code: "return null;" }, "src/shop/basket.ts:42-42"],
    ["is the first of them without a number", { code: "return null;" }, "src/shop/basket.ts:12-12"],
    [
      "spans the lines that it quotes, also if it leaves some out",
      { code: "total(): number {\n...\nreturn price.reduce((all, one) => all + one);" },
      "src/shop/basket.ts:15-17",
    ],
    [
      "is found by a quote with marks, numbers, other blanks and a fence",
      { code: "```\n 16 + const price=this.items.map( (one) => one.price )\n```" },
      "src/shop/basket.ts:16-16",
    ],
    [
      "spans the lines that it quotes in a single one",
      { code: "+ const price = this.items.map((one) => one.price); return price.reduce((all, one) => all + one); }" },
      "src/shop/basket.ts:16-18",
    ],
    [
      "is found by a quote with a small mistake",
      { code: "const prices = this.item.map((one) => one.price);" },
      "src/shop/basket.ts:16-16",
    ],
    [
      "of a removed line is where it was",
      { line: 10, code: 'if (item.count < 1) throw new RangeError("count");' },
      "src/shop/basket.ts:11-11",
    ],
    ["doesn't exist for a file that is gone", { file: "src/old.ts", code: 'formerly = "important"' }, undefined],
    [
      "doesn't exist for a file that hasn't changed",
      { file: "src/shop/shelf.ts", code: "this.items.push(item);" },
      undefined,
    ],
    [
      "doesn't exist for code that isn't there",
      { line: 11, code: "await this.save(item, { force: true });" },
      undefined,
    ],
    ["doesn't exist for a quote that says nothing", { line: 13, code: "}" }, undefined],
    ["doesn't exist without a quote", { line: 11 }, undefined],
    [
      "is found by the end of its file's path",
      { file: "basket.ts", code: "this.items.push(item)" },
      "src/shop/basket.ts:11-11",
    ],
    [
      "is found by a path of git",
      { file: "b/src/shop/basket.ts", code: "this.items.push(item)" },
      "src/shop/basket.ts:11-11",
    ],
    ["is found by the old name of its file", { file: "lib/names.ts", code: "export const last" }, "lib/people.ts:2-2"],
    [
      "is found by a quote with hidden characters as the prompt shows them",
      { file: "lib/people.ts", code: 'first = "Ada⟨U+200B⟩"' },
      "lib/people.ts:1-1",
    ],
  ];
  for (const [name, cited, expected] of places)
    it(name, async () => {
      assert.equal(await place(cited), expected);
    });

  it("isn't guessed where several files end alike", async () => {
    const other = createWholeChange("src/other/basket.ts", "this.items.push(item);\n");
    assert.equal(await place({ file: "basket.ts", code: "this.items.push(item)" }, [other]), undefined);
  });
});
