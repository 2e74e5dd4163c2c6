import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { ModelError } from "../../../../src/core/ports/model.ts";
import { fakeServices } from "../../../support/fake-services.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";

describe("generate_image", () => {
  const planted = plantedBenches();

  it("keeps the picture in the workspace, and counts what it cost", async () => {
    const { bench, folder } = await planted({}, { services: fakeServices() });
    const tried = await bench.try("generate_image", { prompt: "A red Boat, at dawn!" });
    const file = "images/step-1-a-red-boat-at-dawn.png";
    assert.deepEqual(
      { ...tried, picture: await readFile(join(folder, file), "utf8"), recorded: bench.recorded },
      {
        preview: {
          kind: "details",
          text: `Have Painter draw this, 64x64, for money if it takes some, and keep it as "${file}":\n\nA red Boat, at dawn!`,
        },
        outcome: { status: "done", output: `The picture is saved as "${file}" (26 bytes).`, picture: file },
        picture: "A red Boat, at dawn! 64x64",
        recorded: [{ type: "spent", on: "a picture", model: "brush", costUsd: 0.04 }],
      },
    );
  });

  it("says why a service refuses", async () => {
    const images = {
      name: "Painter",
      host: "paint.example",
      size: "64x64",
      draw: async () => Promise.reject(new ModelError("other", "The service refuses this prompt. Take another.")),
    };
    const { bench } = await planted({}, { services: fakeServices({ images }) });
    assert.deepEqual(await bench.call("generate_image", { prompt: "x", filename: "a.png", size: "32x32" }), {
      status: "failed",
      error: "The service refuses this prompt. Take another.",
    });
  });
});

describe("read_audio_from_file", () => {
  const planted = plantedBenches();

  it("sends the recording and gives what is said", async () => {
    const { bench, folder } = await planted({ "talk/a.mp3": "la la" }, { services: fakeServices() });
    const prepared = await bench.prepare("read_audio_from_file", { file: "talk/a.mp3" });
    if (!isPrepared(prepared)) throw new Error("It was not prepared.");
    assert.deepEqual(
      {
        preview: prepared.preview,
        hosts: prepared.hosts,
        touches: prepared.touches,
        outcome: await bench.run(prepared),
      },
      {
        preview: {
          kind: "details",
          text: 'Send "talk/a.mp3" (5 bytes) to Listener (listen.example), and read what is said in it.',
        },
        hosts: ["listen.example"],
        touches: [{ path: join(folder, "talk/a.mp3"), how: "read" }],
        outcome: { status: "done", output: '"talk/a.mp3" says:\na.mp3: la la' },
      },
    );
  });

  it("says what is no recording, what is too large and what is not there", async () => {
    const { bench } = await planted({ "a.txt": "x", "b.wav": "x".repeat(2000) }, { services: fakeServices() });
    assert.deepEqual(
      await Promise.all(["a.txt", "b.wav", "c.mp3"].map((filename) => bench.call("transcribe", { filename }))),
      [
        `"a.txt" isn't a supported audio file (mp3, wav, m4a, ogg, flac, webm).`,
        '"b.wav" has 2 kB; Listener takes 1 kB at most. Cut it into pieces, with ffmpeg for example.',
        'There is no file "c.mp3". If the task asks for it, create it with write_to_file. To see which files there are, use list_files.',
      ].map((error) => ({ status: "failed", error })),
    );
  });
});

describe("send_tweet", () => {
  const planted = plantedBenches();

  it("shows the whole text before it is published", async () => {
    const { bench } = await planted({}, { services: fakeServices() });
    assert.deepEqual(await bench.try("send_tweet", { text: "Hello, world." }), {
      preview: {
        kind: "details",
        text: "Publish on X, under your name, for everybody to read:\n\nHello, world.",
      },
      outcome: { status: "done", output: "Published: https://x.com/i/status/7" },
    });
  });

  it("counts as X counts", async () => {
    const { bench } = await planted({}, { services: fakeServices() });
    const fits = async (tweet_text: string): Promise<boolean> =>
      isPrepared(await bench.prepare("send_tweet", { tweet_text }));
    assert.deepEqual(
      await Promise.all(
        ["a".repeat(280), "a".repeat(281), "船".repeat(140), "船".repeat(141), `https://a.b/${"c".repeat(500)}`].map(
          fits,
        ),
      ),
      [true, false, true, false, true],
    );
  });
});
