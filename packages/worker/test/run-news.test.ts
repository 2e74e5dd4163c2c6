import assert from "node:assert/strict";
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type FleetBeat, writeServedRecord } from "../../../src/headless/fleet/library.ts";
import { tempFolders } from "../../../test/support/temp-folders.ts";
import { RunNews } from "../src/run-news.ts";

const tempFolder = tempFolders();
const RUN = "20260102_030405_fleet_0a1b";

describe("the news that a worker sends", () => {
  it("are few and the last ones without a watcher, all that fit with one, and never without the lines' numbers", async () => {
    const data = await tempFolder();
    const home = join(data, "run");
    await mkdir(home);
    const record = { version: 1 as const, run: RUN, repository: "r", startedAt: "", refused: [], handled: [] };
    await writeServedRecord(data, { ...record, home, steps: 7 });
    const lines = Array.from({ length: 50 }, (_, at) => `${at} ${"x".repeat(994)}`);
    await appendFile(join(home, "run.jsonl"), lines.map((line) => `${line}\n`).join(""));
    const beats: FleetBeat[] = [];
    const watched = { data, run: RUN, stretch: 3 };
    const send = (beat: string): void => void beats.push(JSON.parse(beat));
    const news = new RunNews(watched, { send, handleQuestion: () => undefined });
    while (beats.every((beat) => beat.lines.length === 0)) await pause(20);
    const unseen = beats.at(-1);
    news.showLive();
    const live = beats.at(-1);
    await news.close();
    const end: FleetBeat = JSON.parse(news.formatEnd("Why."));
    const describeBeat = (beat: FleetBeat | undefined) => {
      const [first] = beat?.lines ?? [];
      const size = JSON.stringify(beat?.lines).length;
      return {
        fits: size < 4_200 ? "4 KB" : size < 32_200 ? "32 KB" : "not",
        counts: first?.type === "stored" && first.line === lines[beat?.stored ?? -1] && beat?.first === beat?.stored,
        steps: beat?.steps,
      };
    };
    assert.deepEqual(
      { unseen: describeBeat(unseen), live: describeBeat(live), end: [end.stretch, end.first, end.stored, end.failed] },
      {
        unseen: { fits: "4 KB", counts: true, steps: 7 },
        live: { fits: "32 KB", counts: true, steps: 7 },
        end: [3, 50, 50, "Why."],
      },
    );
  });
});
