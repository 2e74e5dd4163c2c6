import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  getPictureExtension,
  isHuge,
  MAX_PICTURE_BYTES,
  MAX_PICTURE_PIXELS,
  MOST_PICTURES,
  type PictureFormat,
  readPictureFormat,
} from "../../core/base/pictures.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import { listEventPictures } from "../../core/commands/outcome.ts";
import { readFileBytes } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { AttachedPicture } from "../../schema/run-values.ts";
import { DisplayError, fail } from "../../texts/display-text.ts";
import { findFolderProblem } from "./run-folder.ts";

/** A picture that the user attaches, with its content. */
export interface GivenPicture {
  readonly name: string;
  readonly data: Uint8Array;
}

/** A picture that was checked and can be kept. */
export interface CheckedPicture {
  readonly picture: AttachedPicture;
  readonly data: Uint8Array;
}

const LONGEST_NAME = 80;

/** Checks pictures by their bytes, whatever their names say. Throws a sentence about the first one that can't be accepted. */
export function checkPictures(given: readonly GivenPicture[]): readonly CheckedPicture[] {
  if (given.length > MOST_PICTURES) fail("start.tooManyPictures", { count: MOST_PICTURES });
  return given.map(({ name: full, data }) => {
    const name = cutText(
      escapeInvisible(full.replace(/^.*[\\/]/, ""))
        .replace(/\s+/g, " ")
        .trim(),
      LONGEST_NAME,
    );
    const format = readPictureFormat(data) ?? fail("start.notAPicture", { name });
    if (data.length > MAX_PICTURE_BYTES)
      fail("start.pictureTooLarge", { name, megabytes: MAX_PICTURE_BYTES / 1_000_000 });
    if (isHuge(format)) fail("start.pictureHuge", { name, megapixels: MAX_PICTURE_PIXELS / 1_000_000 });
    return { picture: { name, file: createFileName(data, format), ...format, bytes: data.length }, data };
  });
}

function createFileName(data: Uint8Array, { mediaType }: PictureFormat): string {
  return `${sha256(data)}.${getPictureExtension(mediaType)}`;
}

function getPicturesFolder(home: string): string {
  return join(home, "pictures");
}

/** Stores pictures in a run's folder before an event refers to them. The same picture is stored once. */
export async function keepPictures(home: string, checked: readonly CheckedPicture[]): Promise<AttachedPicture[]> {
  if (checked.length > 0) await mkdir(getPicturesFolder(home), { recursive: true, mode: 0o700 });
  for (const { picture, data } of checked)
    if (!(await readPicture(home, picture.file))) await writeWhole(home, picture.file, data);
  return checked.map(({ picture }) => picture);
}

/** Replaces anything in the place of a picture: a partial file, or a link. */
async function writeWhole(home: string, file: string, data: Uint8Array): Promise<void> {
  const problem = await findFolderProblem(getPicturesFolder(home));
  if (problem) throw new DisplayError(problem);
  await replaceFile(join(getPicturesFolder(home), file), data, { private: true });
}

const FILE = /^[0-9a-f]{64}\.(?:png|jpg|gif|webp)$/;

/** Path of a picture's file; undefined for a name that isn't a picture's. */
export function findPicturePath(home: string, file: string): string | undefined {
  return FILE.test(file) ? join(getPicturesFolder(home), file) : undefined;
}

/** A picture of a run; undefined if its file is gone or has other content than the attached one: a repository may have put it there. */
export async function readPicture(home: string, file: string): Promise<Uint8Array | undefined> {
  const path = findPicturePath(home, file);
  if (path === undefined || (await findFolderProblem(getPicturesFolder(home)))) return undefined;
  const size = await lstat(path).then(
    (found) => found.size,
    () => Number.POSITIVE_INFINITY,
  );
  const bytes = size <= MAX_PICTURE_BYTES ? await readFileBytes(path).catch(() => undefined) : undefined;
  const format = bytes && readPictureFormat(bytes);
  return format && !isHuge(format) && createFileName(bytes, format) === file ? bytes : undefined;
}

/** Copies the pictures that events refer to into the folder of another run. */
export async function copyPictures(from: string, to: string, events: readonly AgentEvent[]): Promise<void> {
  for (const picture of events.flatMap(listEventPictures)) {
    const data = await readPicture(from, picture.file);
    if (data) await keepPictures(to, [{ picture, data }]);
  }
}
