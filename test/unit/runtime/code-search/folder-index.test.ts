import assert from "node:assert/strict";
import { cp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EMBEDDING_TABLE } from "../../../../src/headless/workers.ts";
import { createTableEmbedder } from "../../../../src/memory/embedding/table-embedder.ts";
import type { TextVectors } from "../../../../src/runtime/code-search/code-index.ts";
import {
  FolderIndex,
  type FolderSettings,
  type UnsavedFile,
} from "../../../../src/runtime/code-search/folder-index.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant, type Tree } from "../../../support/trees.ts";

const TREE: Tree = {
  "src/budget.ts": "/** Ends a run that spends too much money. */\nexport class SpendingLimit {\n}\n",
  "src/colors.ts": "export function mixColors(one: string, other: string) {\n  return one + other;\n}\n",
  "docs/guide.md": "# Guide\n\nHow to paint.\n",
};
const NO_EXCLUDES: FolderSettings = { excludes: { files: {}, search: {} } };
const { signal } = new AbortController();

describe("the index of a folder", () => {
  const folder = tempFolders();

  async function planted(tree: Tree): Promise<string> {
    const root = await folder();
    await plant(root, tree);
    return root;
  }

  it("sees new, changed, renamed and deleted files, whether it's notified of them or looks at everything", async () => {
    const all: unknown[] = [];
    for (const isTold of [true, false]) {
      const root = await planted(TREE);
      const index = new FolderIndex(root, {});
      const foundAfter = (...paths: readonly string[]) => found(index, isTold ? paths : "everything");
      const seen = [await found(index, "everything")("colors")];
      await writeFile(join(root, "src/new.ts"), "export function mixMoreColors() {}\n");
      seen.push(await foundAfter("src/new.ts")("more"));
      await rename(join(root, "src/new.ts"), join(root, "src/renamed.ts"));
      await writeFile(join(root, "src/colors.ts"), "export function blend() {}\n");
      const changes = ["src/new.ts", "src/renamed.ts", "src/colors.ts"];
      seen.push(await foundAfter(...changes)("more"), await foundAfter()("blend"));
      await rm(join(root, "src"), { recursive: true });
      seen.push(await foundAfter("src")("more"), await foundAfter()("paint"));
      all.push(seen);
    }
    const expected = [["src/colors.ts"], ["src/new.ts"], ["src/renamed.ts"], ["src/colors.ts"], [], ["docs/guide.md"]];
    assert.deepEqual(all, [expected, expected]);
  });

  it("continues where a changed file can't be seen", async () => {
    const index = new FolderIndex(await planted(TREE), {});
    await found(index, "everything")("colors");
    // Its name is longer than any system takes, which fails as a folder does that may not be read.
    assert.deepEqual(await found(index, [`src/${"x".repeat(5_000)}.ts`])("colors"), ["src/colors.ts"]);
  });

  it("leaves out what git or the user ignores, secrets, links, and binary, generated and large files", async () => {
    const outside = await planted({ "zebra.ts": "zebra\n" });
    const root = await planted({
      ".gitignore": "dist/\n",
      ".autogptignore": "private/\n",
      "dist/zebra.js": "zebra\n",
      "private/zebra.ts": "zebra\n",
      ".env": "ZEBRA=zebra\n",
      "node_modules/zebra/index.js": "zebra\n",
      "zebra.min.js": "zebra\n",
      "generated.js": `zebra(${"1,".repeat(5000)})\n`,
      "data.json": `${"[1,\n".repeat(50_000)}"zebra"`,
      "binary.ts": Buffer.from([0, 1, 2, 3, ...Buffer.from("zebra"), 0]),
      "excluded/zebra.ts": "zebra\n",
      "zebra.ts": "zebra\n",
      linked: { link: outside },
      "linked.ts": { link: join(outside, "zebra.ts") },
    });
    const settings = { excludes: { files: {}, search: { excluded: true } } };
    const index = new FolderIndex(root, {});
    const asked = [await found(index, "everything", { settings })("zebra")];
    await makeLink(join(outside, "zebra.ts"), join(root, "later.ts"));
    const told = [
      "later.ts",
      "dist/zebra.js",
      ".env",
      "node_modules/zebra/index.js",
      "private/zebra.ts",
      "linked/zebra.ts",
    ];
    asked.push(await found(index, told, { settings })("zebra"));
    assert.deepEqual(asked, [["zebra.ts"], ["zebra.ts"]]);
  });

  it("reads files in other encodings, and those of editors before they are saved", async () => {
    const root = await planted({
      ...TREE,
      "utf16.ts": Buffer.from("\ufeff// Grüße an alle\nexport const greeting = 1;\n", "utf16le"),
      "latin.ts": Buffer.from("// Der Schlüssel für die Tür, größer als alle übrigen\n", "latin1"),
    });
    const index = new FolderIndex(root, {});
    const unsaved = [
      { path: "src/colors.ts", text: "// A penguin.\n" },
      { path: "src/.env", text: "penguin" },
    ];
    assert.deepEqual(
      [
        await found(index, "everything")("grüße"),
        await found(index, [])("schlüssel"),
        await found(index, [], { unsaved })("penguin"),
        await found(index, [], { unsaved })("string"),
        await found(index, [])("penguin"),
        await found(index, [])("string"),
      ],
      [["utf16.ts"], ["latin.ts"], ["src/colors.ts"], [], [], ["src/colors.ts"]],
    );
  });

  it("finds code in other words than its own with the table, also from what it kept", async () => {
    const root = await planted({
      "car.ts": "/** Drives an automobile along the road. */\nexport const drive = 1;\n",
      "cook.ts": "/** Boils the vegetables of a soup. */\nexport const boil = 1;\n",
      "money.ts": "/** Transfers an amount to a bank account. */\nexport const pay = 1;\n",
    });
    const embedder = await realTable();
    const file = join(await folder(), "kept.index");
    const ask = async (index: FolderIndex) => {
      const read = await update(index);
      const [best] = await index.search("which vehicle travels the highway?", 3);
      return [read, best?.path];
    };
    const first = new FolderIndex(root, { file, embedder });
    const asked = [await ask(first)];
    await first.store();
    asked.push(await ask(new FolderIndex(root, { file, embedder })), await ask(new FolderIndex(root, { file })));
    assert.deepEqual(asked, [
      [3, "car.ts"],
      [0, "car.ts"],
      [3, undefined],
    ]);
  });

  it("is kept on the disk, where only this user can read it, and reads no file again that is the same", async () => {
    const root = await planted(TREE);
    const file = join(await folder(), "kept.index");
    await built(root, file);
    const again = new FolderIndex(root, { file });
    const read = await update(again);
    assert.deepEqual(
      { read, found: await found(again, [])("colors"), mode: (await stat(file)).mode & 0o077 },
      { read: 0, found: ["src/colors.ts"], mode: process.platform === "win32" ? 0o066 : 0 },
    );
  });

  it("reads only what has changed since it was kept", async () => {
    const root = await planted(TREE);
    const file = join(await folder(), "kept.index");
    await built(root, file);
    await writeFile(join(root, "src/colors.ts"), "penguin\n");
    await rm(join(root, "docs/guide.md"));
    const again = new FolderIndex(root, { file });
    const read = await update(again);
    assert.deepEqual(
      [read, await found(again, [])("penguin"), await found(again, [])("mixColors paint"), again.figures.files],
      [1, ["src/colors.ts"], ["src/colors.ts"], 2],
    );
  });

  it("keeps the newest version of files that wait for the disk, however many they are", async () => {
    const long = (word: string) => `${word}\n\n`.repeat(400_000 / word.length);
    const root = await planted({ "a.ts": long("okapi"), "b.ts": long("quokka"), "c.ts": long("gnu") });
    const file = join(await folder(), "kept.index");
    const index = new FolderIndex(root, { file });
    await update(index);
    await writeFile(join(root, "a.ts"), "zebra\n");
    await rm(join(root, "b.ts"));
    await update(index);
    await index.store();
    const again = new FolderIndex(root, { file });
    const read = await update(again);
    const ask = found(again, []);
    assert.deepEqual(
      [read, await ask("zebra"), await ask("okapi"), await ask("quokka"), await ask("gnu")],
      [0, ["a.ts"], [], [], ["c.ts"]],
    );
  });

  it("is built again where the kept one is damaged, cut off, or that of another folder", async () => {
    const root = await planted(TREE);
    const [file, other] = [join(await folder(), "kept.index"), join(await folder(), "other.index")];
    await built(root, file);
    await built(await planted({ "src/budget.ts": "The spending of a stranger.\n" }), other);
    const [whole, foreign] = [await readFile(file), await readFile(other)];
    const flipped = Buffer.from(whole);
    flipped[whole.length - 9] = (whole.at(-9) ?? 0) ^ 1;
    const damaged = [
      flipped,
      whole.subarray(0, whole.length - 1),
      whole.subarray(0, 50),
      foreign,
      Buffer.alloc(99, 255),
    ];
    const results: unknown[] = [];
    for (const bytes of damaged) {
      await writeFile(file, bytes);
      const index = new FolderIndex(root, { file });
      results.push([await update(index), await found(index, [])("money")]);
    }
    assert.deepEqual(
      results,
      damaged.map(() => [3, ["src/budget.ts"]]),
    );
  });

  it("of a copy takes over what is known of its origin", async () => {
    const root = await planted(TREE);
    const file = join(await folder(), "kept.index");
    await built(root, file);
    const copy = await folder();
    await cp(root, copy, { recursive: true });
    await writeFile(join(copy, "src/colors.ts"), "export function penguin() {}\n");
    const index = new FolderIndex(copy, { seed: { root, file } });
    const read = await update(index);
    assert.deepEqual(
      [read, await found(index, [])("penguin"), await found(index, [])("money")],
      [1, ["src/colors.ts"], ["src/budget.ts"]],
    );
  });

  it("has the files next to the root where there are too many, and says so", async () => {
    const root = await planted({
      "yak.ts": "yak\n",
      "a/yak.ts": "yak\n",
      "a/b/yak.ts": "yak\n",
      "a/b/c/yak.ts": "yak\n",
    });
    const few = new FolderIndex(root, { limits: { files: 2, chars: 1000 } });
    const short = new FolderIndex(root, { limits: { files: 9, chars: 3 } });
    assert.deepEqual(
      [
        await found(few, "everything")("yak"),
        few.isPartial,
        (await found(short, "everything")("yak")).length,
        short.isPartial,
      ],
      [["a/yak.ts", "yak.ts"], true, 4, false],
    );
  });

  it("works where nothing can be kept, and leaves nothing half-written", async () => {
    const root = await planted(TREE);
    const home = await folder();
    await writeFile(join(home, "file"), "");
    const index = new FolderIndex(root, { file: join(home, "file", "kept.index") });
    await update(index);
    await assert.rejects(index.store());
    assert.deepEqual([await found(index, [])("money"), await readdir(home)], [["src/budget.ts"], ["file"]]);
  });
});

/** The table that ships. */
async function realTable(): Promise<TextVectors> {
  const embedder = createTableEmbedder(EMBEDDING_TABLE);
  const [vector] = await embedder.embed([""], signal);
  return { ...embedder, dimensions: vector?.length ?? 0 };
}

interface More {
  readonly settings?: FolderSettings;
  readonly unsaved?: readonly UnsavedFile[];
}

function update(
  index: FolderIndex,
  changes: readonly string[] | "everything" = "everything",
  { settings = NO_EXCLUDES, unsaved = [] }: More = {},
): Promise<number> {
  return index.update(changes, settings, unsaved, () => undefined, signal);
}

/** The paths that fit a query after changes, in order of names. */
function found(index: FolderIndex, changes: readonly string[] | "everything", more?: More) {
  return async (query: string): Promise<readonly string[]> => {
    await update(index, changes, more);
    return (await index.search(query, 10)).map(({ path }) => path).toSorted();
  };
}

/** Builds the index of a folder and keeps it in a file. */
async function built(root: string, file: string): Promise<void> {
  const index = new FolderIndex(root, { file });
  await update(index);
  await index.store();
}
