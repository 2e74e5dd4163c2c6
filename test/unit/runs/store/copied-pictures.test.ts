import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MAX_PICTURE_BYTES } from "../../../../src/core/base/pictures.ts";
import { checkPictures, copyPictures, keepPictures, readPicture } from "../../../../src/runs/store/run-pictures.ts";
import { PICTURES } from "../../../support/picture-files.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const PNG = Buffer.from(PICTURES.png, "base64");
const GIF = Buffer.from(PICTURES.gif, "base64");

const problemOf = (act: () => unknown): string => {
  try {
    act();
    return "";
  } catch (error) {
    return String(error);
  }
};

describe("pictures that are kept for a run and its forks", () => {
  it("are copied for a fork, and are read only while they hold what was attached", async () => {
    const [from, to, outside] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const [picture] = await keepPictures(from, checkPictures([{ name: "C:\\shots\\a.png", data: PNG }]));
    assert.ok(picture);
    const said = { type: "said", seq: 1, at: "", text: "", by: "user", attached: [picture] } as const;
    const [read] = await keepPictures(from, checkPictures([{ name: "b.gif", data: GIF }]));
    assert.ok(read);
    const outcome = { status: "done", output: "", pictures: [read] } as const;
    const ended = { type: "ended", seq: 2, at: "", step: 1 } as const;
    const first = { status: "done", output: "" } as const;
    await copyPictures(from, to, [said, { ...ended, outcome: first, also: [outcome] }]);
    const copied = await readPicture(to, picture.file);
    await writeFile(join(from, "pictures", picture.file), "other");
    const changed = await readPicture(from, picture.file);
    await writeFile(join(outside, "secret"), PNG);
    const linked = `${"0".repeat(64)}.png`;
    await makeLink(join(outside, "secret"), join(to, "pictures", linked));
    assert.deepEqual(
      {
        name: picture.name,
        copied: copied && Buffer.from(copied).equals(PNG),
        ofOutcome: Buffer.from((await readPicture(to, read.file)) ?? []).equals(GIF),
        changed,
        linked: await readPicture(to, linked),
        elsewhere: await readPicture(to, `../../${outside}/secret`),
      },
      {
        name: "a.png",
        copied: true,
        ofOutcome: true,
        changed: undefined,
        linked: undefined,
        elsewhere: undefined,
      },
    );
  });

  it("have limits on their number and size", () => {
    const large = Buffer.concat([PNG, Buffer.alloc(MAX_PICTURE_BYTES)]);
    const nine = Array.from({ length: 9 }, (_, index) => ({ name: `${index}.png`, data: PNG }));
    assert.deepEqual(
      [problemOf(() => checkPictures(nine)), problemOf(() => checkPictures([{ name: "a.png", data: large }]))],
      [
        "DisplayError: Only 8 pictures fit into a message. Remove the others.",
        "DisplayError: a.png is larger than 5 MB. Attach a smaller version.",
      ],
    );
  });
});
