import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../../src/disk/sha256.ts";
import { checkPictures, keepPictures, readPicture } from "../../../../src/runs/store/run-pictures.ts";
import { PICTURES } from "../../../support/picture-files.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const PNG = Buffer.from(PICTURES.png, "base64");

/** A run's folder with files among its pictures, each under the hash of its bytes. */
async function runWith(...files: readonly (readonly [Uint8Array, string])[]) {
  const home = await tempFolder();
  await mkdir(join(home, "pictures"));
  const names = files.map(([bytes, ending]) => `${sha256(bytes)}.${ending}`);
  for (const [index, name] of names.entries()) await writeFile(join(home, "pictures", name), files[index]?.[0] ?? "");
  return { home, names };
}

/** A PNG file that claims a size. */
function pngOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const refusalOf = (name: string, data: Uint8Array) => {
  try {
    return checkPictures([{ name, data }]).map(({ picture }) => picture.name);
  } catch (error) {
    return String(error);
  }
};

describe("the pictures of a run", () => {
  it("can't be anything but a picture of the type that the file is named for, whoever put it there", async () => {
    const { home, names } = await runWith(
      [PNG, "png"],
      [PNG, "jpg"],
      [Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "png"],
      [Buffer.concat([PNG, Buffer.alloc(5_000_000)]), "png"],
      [pngOf(60_000, 60_000), "png"],
    );
    const tricks = ["../run.jsonl", `../pictures/${names[0]}`, `${names[0]}\n`, "__proto__", ""];
    const read = [...names, ...tricks].map((name) => readPicture(home, name));
    assert.deepEqual(
      (await Promise.all(read)).map((bytes) => bytes !== undefined),
      [true, ...Array.from({ length: 4 + tricks.length }, () => false)],
    );
  });

  it("aren't read or written through a link", async () => {
    const { home, names } = await runWith([PNG, "png"]);
    const elsewhere = await tempFolder();
    await rename(join(home, "pictures"), join(elsewhere, "kept"));
    await makeLink(join(elsewhere, "kept"), join(home, "pictures"));
    const gif = checkPictures([{ name: "a.gif", data: Buffer.from(PICTURES.gif, "base64") }]);
    await assert.rejects(keepPictures(home, gif), { name: "DisplayError" });
    const other = await runWith();
    await makeLink(join(elsewhere, "kept", names[0] ?? ""), join(other.home, "pictures", names[0] ?? ""));
    assert.deepEqual(
      [
        await readPicture(home, names[0] ?? ""),
        await readPicture(other.home, names[0] ?? ""),
        await readdir(join(elsewhere, "kept")),
      ],
      [undefined, undefined, names],
    );
  });

  it("replace what is left of them after a crash, and a link in their place", async () => {
    const { home } = await runWith();
    const [png, gif] = checkPictures([
      { name: "a.png", data: PNG },
      { name: "b.gif", data: Buffer.from(PICTURES.gif, "base64") },
    ]);
    assert.ok(png && gif);
    const secret = join(home, "secret");
    await writeFile(secret, "untouched");
    await writeFile(join(home, "pictures", png.picture.file), PNG.subarray(0, 20));
    await makeLink(secret, join(home, "pictures", gif.picture.file));
    await keepPictures(home, [png, gif, png]);
    assert.deepEqual(
      {
        png: Buffer.from((await readPicture(home, png.picture.file)) ?? []),
        gif: await readPicture(home, gif.picture.file).then((bytes) => bytes?.length),
        files: (await readdir(join(home, "pictures"))).length,
        secret: await readFile(secret, "utf8"),
      },
      { png: PNG, gif: gif.data.length, files: 2, secret: "untouched" },
    );
  });

  it("have plain names, and aren't taken if they would fill the memory of whoever draws them", () => {
    assert.deepEqual(
      [
        refusalOf("..\\x/a\nb\u202e.png", PNG),
        refusalOf("bomb.png", pngOf(60_000, 60_000)),
        refusalOf("page.png", Buffer.from("<!doctype html>")),
      ],
      [
        ["a b⟨U+202E⟩.png"],
        "DisplayError: bomb.png has more than 100 megapixels. Attach a smaller version.",
        "DisplayError: page.png isn't a PNG, JPEG, GIF or WebP picture. Convert it, or attach another one.",
      ],
    );
  });
});
