/** Small pictures of 5 x 3 pixels, one of each kind, in base64. */
export const PICTURES = {
  png: "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAIAAADUVFKvAAAAFElEQVR4nGM8ISfHgASYGFABOh8AMCIBCrIPekkAAAAASUVORK5CYII=",
  gif: "R0lGODdhBQADAIEAAMgeHgAAAAAAAAAAACwAAAAABQADAAAICAABCBxIsGBAADs=",
  jpeg: "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAARCAADAAUDASIAAhEBAxEB/9k=",
  lossyWebp: "UklGRjoAAABXRUJQVlA4IC4AAACwAQCdASoFAAMAAUAmJaACdLoABDAAAP7x3I/4DdfFtMv/vYL/3YL/3YL/WwAA",
  losslessWebp: "UklGRh4AAABXRUJQVlA4TBEAAAAvBIAAAAdQjyLXo/+BiOh/AAA=",
  extendedWebp:
    "UklGRl4AAABXRUJQVlA4WAoAAAAIAAAABAAAAgAAVlA4IC4AAACwAQCdASoFAAMAAUAmJaACdLoABDAAAP7x3I/4DdfFtMv/vYL/3YL/3YL/WwAARVhJRgoAAABNTQAqAAAACAAA",
} as const;

/** A PNG whose header promises this size. */
export function pngOf(width: number, height: number, more = 0): Buffer {
  const bytes = Buffer.from(PICTURES.png, "base64");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return more === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(more)]);
}

/** A GIF with two frames, which repeats. */
export function animatedGif(): Buffer {
  const still = Buffer.from(PICTURES.gif, "base64");
  const frame = still.subarray(25, -1);
  const repeats = Buffer.from("21ff0b4e45545343415045322e300301000000", "hex");
  return Buffer.concat([still.subarray(0, 25), repeats, frame, frame, still.subarray(-1)]);
}

/** A WebP that says it's animated. */
export function animatedWebp(): Buffer {
  const bytes = Buffer.from(PICTURES.extendedWebp, "base64");
  bytes[20] = (bytes[20] ?? 0) | 0x02;
  return bytes;
}
