import {
  isHuge,
  MAX_PICTURE_BYTES,
  MAX_PICTURE_PIXELS,
  MAX_PICTURE_SIDE,
  MOST_PICTURES,
  readPictureFormat,
} from "../../core/base/pictures.ts";
import type { ComposerPicture } from "../../schema/saved-panel.ts";
import { t } from "../../texts/language.ts";
import { addAnnouncement, type Panel } from "../app/panel-state.ts";

/** Larger files aren't decoded. */
const MAX_FILE_BYTES = 50_000_000;
/** Quality of a picture that is written as JPEG, from 0 to 1. */
const JPEG_QUALITY = 0.85;

/** Filters pasted, dropped or picked files for possible pictures. */
export function filterPictureFiles(files: Iterable<File> | null | undefined): readonly File[] {
  return [...(files ?? [])].filter(({ type }) => type.startsWith("image/"));
}

/** Adds pictures to the composer, and scales down large ones. Shows a sentence for those that can't be attached. */
export async function attachPictures(panel: Panel, files: readonly File[]): Promise<void> {
  const room = MOST_PICTURES - (panel.state.composer.pictures?.length ?? 0);
  const problems = files.length > room ? [t("start.tooManyPictures", { count: MOST_PICTURES })] : [];
  for (const file of files.slice(0, Math.max(0, room))) {
    const read = await readPicture(file).catch(() => t("start.pictureBroken", { name: getPictureName(file) }));
    if (typeof read === "string") problems.push(read);
    else
      panel.update((state) => ({
        ...state,
        composer: { ...state.composer, pictures: [...(state.composer.pictures ?? []), read] },
      }));
  }
  const count = panel.state.composer.pictures?.length ?? 0;
  const text = problems.join(" ");
  panel.update((state) =>
    text === ""
      ? addAnnouncement(state, t("start.pictureAttached", { count }))
      : { ...state, notice: { text, kind: "error" } },
  );
  if (count > 0) panel.send({ type: "askSight" });
}

/** Removes one picture from the composer, by index. */
export function removeComposerPicture(
  pictures: readonly ComposerPicture[] = [],
  index: number,
): readonly ComposerPicture[] {
  return pictures.toSpliced(index, 1);
}

/** Screenshots on the clipboard have no name of their own. */
function getPictureName({ name, type }: File): string {
  return name === "" ? `picture.${type.slice("image/".length)}` : name;
}

/** Reads a picture for sending; returns a sentence if it can't be sent. */
async function readPicture(file: File): Promise<ComposerPicture | string> {
  const name = getPictureName(file);
  if (file.size > MAX_FILE_BYTES) return t("start.pictureTooLarge", { name, megabytes: MAX_FILE_BYTES / 1_000_000 });
  const format = readPictureFormat(new Uint8Array(await file.arrayBuffer()));
  if (!format) return t("start.notAPicture", { name });
  if (isHuge(format)) return t("start.pictureHuge", { name, megapixels: MAX_PICTURE_PIXELS / 1_000_000 });
  const { mediaType, width, height } = format;
  const isSmall = Math.max(width, height) <= MAX_PICTURE_SIDE && file.size <= MAX_PICTURE_BYTES;
  if (isSmall) return { name, mediaType, width, height, bytes: file.size, data: await encodeBase64(file) };
  const scaled = await scalePictureDown(file);
  if (scaled.blob.size > MAX_PICTURE_BYTES)
    return t("start.pictureTooLarge", { name, megabytes: MAX_PICTURE_BYTES / 1_000_000 });
  const { blob, ...size } = scaled;
  return {
    name,
    mediaType: blob.type,
    ...size,
    bytes: blob.size,
    data: await encodeBase64(blob),
    scaled: true,
  };
}

/** Scales a picture to fit the limits: as PNG if the original is one and the result is small enough, otherwise as JPEG. */
async function scalePictureDown(
  file: File,
): Promise<{ readonly blob: Blob; readonly width: number; readonly height: number }> {
  const bitmap = await createImageBitmap(file);
  const share = Math.min(1, MAX_PICTURE_SIDE / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * share));
  const height = Math.max(1, Math.round(bitmap.height * share));
  const canvas = new OffscreenCanvas(width, height);
  const drawing = canvas.getContext("2d");
  if (!drawing) throw new TypeError();
  drawing.imageSmoothingQuality = "high";
  drawing.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const png = file.type === "image/png" ? await canvas.convertToBlob({ type: "image/png" }) : undefined;
  if (png && png.size <= MAX_PICTURE_BYTES) return { blob: png, width, height };
  return { blob: await canvas.convertToBlob({ type: "image/jpeg", quality: JPEG_QUALITY }), width, height };
}

async function encodeBase64(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(blob);
  return (await promise).replace(/^[^,]*,/, "");
}
