import assert from "node:assert/strict";
import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createPreImages, deleteWithBackup } from "../../../../src/runs/undo/pre-images.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("pre-images", () => {
  it("bring a file back as it was, content and mode", async () => {
    const [run, work] = [await tempFolder(), await tempFolder()];
    const path = join(work, "a");
    const bytes = Buffer.from([0, 255, 10, 13]);
    await writeFile(path, bytes);
    await chmod(path, 0o755);
    const images = createPreImages(run);
    const image = await images.keep(path);
    await rm(path);
    await images.restore(image, path);
    assert.deepEqual(
      [await readFile(path), (await stat(path)).mode & 0o777, image.bytes, await images.read(image.hash)],
      [bytes, process.platform === "win32" ? 0o666 : 0o755, 4, bytes],
    );
  });

  it("keep the same content once, for its owner alone", async () => {
    const [run, work] = [await tempFolder(), await tempFolder()];
    await writeFile(join(work, "a"), "same");
    await writeFile(join(work, "b"), "same");
    const images = createPreImages(run);
    const hashes = [await images.keep(join(work, "a")), await images.keep(join(work, "b"))].map(({ hash }) => hash);
    const kept = await readdir(join(run, "pre-images"));
    const mode = (await stat(join(run, "pre-images", kept[0] ?? ""))).mode & 0o777;
    assert.deepEqual([hashes, process.platform === "win32" || mode === 0o600], [[kept[0], kept[0]], true]);
  });

  it("stay within their quota, and say so", async () => {
    const [run, work] = [await tempFolder(), await tempFolder()];
    await writeFile(join(work, "a"), "x".repeat(60));
    await writeFile(join(work, "b"), "y".repeat(60));
    const images = createPreImages(run, 100);
    await images.keep(join(work, "a"));
    await assert.rejects(images.keep(join(work, "b")), /^Error: There's no space to keep .+b for undo/);
    assert.equal((await readdir(join(run, "pre-images"))).length, 1);
  });

  it("count what is kept already once, and what an earlier program kept as well", async () => {
    const [run, work] = [await tempFolder(), await tempFolder()];
    for (const name of ["a", "b"]) await writeFile(join(work, name), "x".repeat(60));
    await writeFile(join(work, "c"), "y".repeat(60));
    const images = createPreImages(run, 150);
    for (const name of ["a", "b", "a"]) await images.keep(join(work, name));
    await images.keep(join(work, "c"));
    await writeFile(join(work, "d"), "z".repeat(60));
    await assert.rejects(images.keep(join(work, "d")));
    await assert.rejects(createPreImages(run, 150).keep(join(work, "d")));
  });
});

describe("pre-images that cannot be restored", () => {
  it("never overwrite a file that is there now", async () => {
    const [run, work] = [await tempFolder(), await tempFolder()];
    const path = join(work, "a");
    await writeFile(path, "old");
    const images = createPreImages(run);
    const image = await images.keep(path);
    await writeFile(path, "new");
    await assert.rejects(images.restore(image, path));
    assert.equal(await readFile(path, "utf8"), "new");
  });

  it("say so when a kept file is gone, or was never one", async () => {
    const images = createPreImages(await tempFolder());
    await assert.rejects(images.read("0".repeat(64)), {
      message: "The kept content of the file is gone, so the file can't be restored.",
    });
    await assert.rejects(images.read("../../etc/passwd"), {
      message: '"../../etc/passwd" isn\'t a kept file.',
    });
  });
});

describe("taking a file away", () => {
  it("keeps what it held, and says so without a hash", async () => {
    const [run, work] = [await tempFolder(), await tempFolder()];
    const path = join(work, "a");
    await writeFile(path, "precious");
    const told = await deleteWithBackup(path, createPreImages(run));
    assert.match(told, /^Its content is kept with the run, so it can be undone\.$/);
    const [kept = ""] = await readdir(join(run, "pre-images"));
    assert.deepEqual([await readdir(work), await readFile(join(run, "pre-images", kept), "utf8")], [[], "precious"]);
  });
});
