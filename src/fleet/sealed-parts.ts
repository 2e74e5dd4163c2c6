import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import { readBlobs } from "../node/git/blobs.ts";
import { writeBlob } from "../node/git/objects.ts";
import type { CarriedPart, GrowingFile } from "../schema/fleet/tasks.ts";
import { fail } from "../texts/display-text.ts";
import type { FleetKey } from "./key.ts";
import type { CarryPlace } from "./run-ref.ts";

const compress = promisify<Buffer, Buffer>(deflate);
const expand = promisify<Buffer, { readonly maxOutputLength: number }, Buffer>(inflate);

/** No log is longer. */
const MOST_BYTES = 400 * 1024 * 1024;
/** Blobs with more can't be read at once. */
const MOST_PART_BYTES = 48 * 1024 * 1024;
/** With more parts, a growing file is written again as a whole. */
const MOST_PARTS = 50;

export const NOTHING_CARRIED: GrowingFile = { bytes: 0, parts: [] };

/** Contents of a run in git, compressed and encrypted. */
export interface SealedParts {
  write(bytes: Buffer): Promise<CarriedPart>;
  /** Throws a sentence for a part that is gone, damaged or of another run. */
  readAll(parts: readonly CarriedPart[]): Promise<readonly Buffer[]>;
  /** The file with what was added to it since; all of it if its beginning has changed. */
  extend(before: GrowingFile, content: Buffer, hasGrown: boolean): Promise<GrowingFile>;
}

/** The parts for one purpose. */
export function createSealedParts({ key, repository }: CarryPlace, purpose: string): SealedParts {
  const write = async (bytes: Buffer): Promise<CarriedPart> => {
    const sealed = key.encrypt(purpose, await compress(bytes));
    return { blob: await writeBlob(repository, sealed), bytes: sealed.length };
  };
  return {
    write,
    readAll: async (parts) => {
      const held = parts.map(({ blob, bytes }) => ({ blob, bytes, repository, isExecutable: false }));
      const found = await readBlobs(held);
      return Promise.all(
        parts.map(({ blob }) => openPart(key, purpose, found.get(blob) ?? fail("fleet.objectsGone", { blob }))),
      );
    },
    extend: async (before, content, hasGrown) => {
      if (hasGrown && before.bytes === content.length) return before;
      const isAdded = hasGrown && before.bytes < content.length && before.parts.length < MOST_PARTS;
      const parts: CarriedPart[] = isAdded ? [...before.parts] : [];
      for (let at = isAdded ? before.bytes : 0; at < content.length; at += MOST_PART_BYTES)
        parts.push(await write(content.subarray(at, at + MOST_PART_BYTES)));
      return { bytes: content.length, parts };
    },
  };
}

async function openPart(key: FleetKey, purpose: string, bytes: Buffer): Promise<Buffer> {
  const packed = key.decrypt(purpose, bytes);
  return expand(packed, { maxOutputLength: MOST_BYTES }).catch(() => fail("fleet.notDecrypted"));
}
