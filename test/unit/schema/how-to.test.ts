import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PAGES = join(ROOT, "docs/how-to");

/** A piece of code of a page, and its place. */
interface Piece {
  readonly page: string;
  readonly file: string;
  /** How it is placed, and the text that this refers to; absent for a new file. */
  readonly where?: string;
  readonly mark?: string;
  readonly code: string;
}

/** The comment with the place of a piece, which ends at the next such comment or with its block. */
const PLACE = /^\/\/ (\S+\.ts)(?: \(new\)|, (before|after|in place of) `(.+)`)\n/m;

function piecesOf(page: string, text: string): readonly Piece[] {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].flatMap(([, block = ""]) => {
    const [start = "", ...parts] = block.split(PLACE);
    assert.equal(start, "", `${page} has code without its place: ${block}`);
    return Array.from({ length: parts.length / 4 }, (_, index): Piece => {
      const [file = "", where, mark, code = ""] = parts.slice(index * 4, index * 4 + 4);
      return { page, file, code, ...(where === undefined || mark === undefined ? {} : { where, mark }) };
    });
  });
}

/** The files that a page leaves to its reader: the rows of its table of questions. */
function leftPlaces(text: string): readonly string[] {
  return [...text.matchAll(/^\| `(\S+\.ts)` \| .*\?.* \|$/gm)].map(([, file = ""]) => file);
}

async function paste(folder: string, { page, file, where, mark = "", code }: Piece): Promise<void> {
  const path = join(folder, file);
  if (where === undefined) return writeFile(path, code, { flag: "wx" });
  const [before = "", after, more] = (await readFile(path, "utf8")).split(mark);
  assert.ok(after !== undefined && more === undefined, `${page}: ${file} must have this once: ${mark}`);
  const parts = { before: [code, mark], after: [`${mark}\n`, code], "in place of": [code] }[where] ?? [];
  await writeFile(path, [before, ...parts, after].join(""));
}

describe("the code on the pages in docs/how-to", function () {
  this.timeout(180_000);
  const tempFolder = tempFolders();

  it("compiles where the page puts it, but for the places that the page leaves to its reader", async () => {
    const folder = await tempFolder();
    const names = (await readdir(PAGES)).filter((name) => name.endsWith(".md"));
    const texts = await Promise.all(names.map((name) => readFile(join(PAGES, name), "utf8")));
    const pieces = texts.flatMap((text, index) => piecesOf(names[index] ?? "", text));
    const left = texts.flatMap(leftPlaces);
    await cp(join(ROOT, "src"), join(folder, "src"), { recursive: true });
    for (const part of ["test/support", "test/contract"])
      await cp(join(ROOT, part), join(folder, part), { recursive: true });
    await makeLink(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
    for (const { file } of pieces.filter((piece) => piece.file.startsWith("test/"))) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await cp(join(ROOT, file), join(folder, file));
    }
    for (const piece of pieces) await paste(folder, piece);
    const errors = await compile(folder, [...pieces.map(({ file }) => file), ...left]);
    const files = new Set(errors.map((error) => error.slice(0, error.indexOf("("))));
    assert.deepEqual([...files].toSorted(), left.toSorted(), errors.join("\n"));
    assert.equal(new Set(pieces.map(({ page }) => page)).size, 6);
  });
});

/** Errors in files and in what these import. */
async function compile(folder: string, files: readonly string[]): Promise<readonly string[]> {
  const { compilerOptions } = JSON.parse(await readFile(join(ROOT, "tsconfig.json"), "utf8"));
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [...new Set(files)] }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", ".", "--pretty", "false"], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }));
  return stdout.split(/\n(?=\S)/).filter((line) => line !== "");
}
