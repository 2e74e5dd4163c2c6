import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  MAX_PICTURE_BYTES,
  MOST_PICTURES,
  type PictureFormat,
  pictureEnding,
  pictureFormat,
} from "../../core/base/pictures.ts";
import { cutText, visible } from "../../core/base/text.ts";
import { fileBytes } from "../../plain-file.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { AttachedPicture } from "../../schema/run-values.ts";
import { sha256 } from "../../sha256.ts";
import { fail } from "../../texts/display-text.ts";
import { codeOf } from "../log/log-errors.ts";

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

/** Checks pictures by their bytes, whatever their names say. Throws a sentence about the first that can't be taken. */
export function checkedPictures(given: readonly GivenPicture[]): readonly CheckedPicture[] {
  if (given.length > MOST_PICTURES) fail("start.tooManyPictures", { count: MOST_PICTURES });
  return given.map(({ name: full, data }) => {
    const name = cutText(
      visible(full.replace(/^.*[\\/]/, ""))
        .replace(/\s+/g, " ")
        .trim(),
      LONGEST_NAME,
    );
    const format = pictureFormat(data) ?? fail("start.notAPicture", { name });
    if (data.length > MAX_PICTURE_BYTES)
      fail("start.pictureTooLarge", { name, megabytes: MAX_PICTURE_BYTES / 1_000_000 });
    return { picture: { name, file: fileName(data, format), ...format, bytes: data.length }, data };
  });
}

function fileName(data: Uint8Array, { mediaType }: PictureFormat): string {
  return `${sha256(data)}.${pictureEnding(mediaType)}`;
}

function folderIn(home: string): string {
  return join(home, "pictures");
}

/** Keeps pictures in a run's folder, before an event refers to them. The same picture is kept once. */
export async function keepPictures(
  home: string,
  checked: readonly CheckedPicture[],
): Promise<AttachedPicture[]> {
  if (checked.length > 0) await mkdir(folderIn(home), { recursive: true, mode: 0o700 });
  for (const { picture, data } of checked)
    await writeFile(join(folderIn(home), picture.file), data, { flag: "wx", mode: 0o600 }).catch(
      (error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      },
    );
  return checked.map(({ picture }) => picture);
}

const FILE = /^([0-9a-f]{64})\.(?:png|jpg|gif|webp)$/;

/** Path of a picture's file; undefined for a name that isn't one. */
function picturePath(home: string, file: string): string | undefined {
  return FILE.test(file) ? join(folderIn(home), file) : undefined;
}

/** A picture of a run; undefined when its file is gone, or no longer holds what was attached. */
export async function pictureBytes(home: string, file: string): Promise<Uint8Array | undefined> {
  const path = picturePath(home, file);
  const bytes = path && (await fileBytes(path).catch(() => undefined));
  return bytes && sha256(bytes) === FILE.exec(file)?.[1] ? bytes : undefined;
}

/** Copies the pictures that events refer to into the folder of another run. */
export async function copyPictures(from: string, to: string, events: readonly AgentEvent[]): Promise<void> {
  const attached = events.flatMap((event) =>
    event.type === "started" || event.type === "said" ? (event.attached ?? []) : [],
  );
  for (const picture of attached) {
    const data = await pictureBytes(from, picture.file);
    if (data) await keepPictures(to, [{ picture, data }]);
  }
}
