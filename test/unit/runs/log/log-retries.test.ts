import assert from "node:assert/strict";
import type { LiveRun } from "../../../../src/core/loop/live-run.ts";
import { LogError } from "../../../../src/core/ports/storage.ts";
import { createRetryingLog } from "../../../../src/runs/log/log-retries.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { says } from "../../../support/fake-model.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { rehearsal } from "../../../support/rehearsal.ts";

const ANSWERS = [says("write_note", { title: "a" }), says("task_complete", { title: "Done." })];

/** A log whose disk refuses each event so many times before it takes it. */
class RefusingLog extends MemoryLog {
  private readonly refusals: number;
  private readonly code: string;
  private refused = 0;

  constructor(refusals: number, code: string) {
    super();
    this.refusals = refusals;
    this.code = code;
  }

  override async append(event: Parameters<MemoryLog["append"]>[0]) {
    if (event.seq > 0 && this.refused++ < this.refusals)
      throw new LogError("The disk is full. Free some space.", {
        cause: Object.assign(new Error("no room"), { code: this.code }),
      });
    this.refused = 0;
    return super.append(event);
  }
}

async function runOn(refusing: RefusingLog, whenTold: (live: LiveRun) => void = () => undefined) {
  const told: (string | undefined)[] = [];
  const made: { live?: LiveRun } = {};
  const log = createRetryingLog(refusing, {
    shouldWait: () => made.live?.stopped === false,
    reportTrouble: (trouble) => {
      told.push(trouble && writeInEnglish(trouble));
      if (made.live) whenTold(made.live);
    },
    everyMs: 1,
  });
  const { live, deeds } = await rehearsal({ answers: ANSWERS, log });
  made.live = live;
  live.resume();
  const end = await live.end;
  return { end: end.reason, deeds, told };
}

describe("a run whose log cannot be written for a while", () => {
  it("waits at each event, says so once, and continues to the same end", async () => {
    const refusing = new RefusingLog(2, "ENOSPC");
    const { end, deeds, told } = await runOn(refusing);
    const types = refusing.events.map(({ type }) => type).join(" ");
    const sentence =
      "The run waits, and continues by itself once its log can be written. The disk is full. Free some space.";
    assert.deepEqual(
      { end, deeds, types, told: told.slice(0, 2), all: told.length },
      {
        end: "finished",
        deeds: ["write a", "finish"],
        types: "started asked replied decided began ended asked replied decided began ended over",
        told: [sentence, undefined],
        all: 22,
      },
    );
  });

  it("can be stopped meanwhile, and waits no more then", async () => {
    const { end, deeds, told } = await runOn(
      new RefusingLog(Number.POSITIVE_INFINITY, "EROFS"),
      (live) => void live.stop(),
    );
    assert.deepEqual([end, deeds, told.length, told.at(-1)], ["stopped", [], 2, undefined]);
  });

  it("ends at once when it is not the disk's fault", async () => {
    const { end, deeds, told } = await runOn(new RefusingLog(1, "EBADF"));
    assert.deepEqual([end, deeds, told], ["failed", [], []]);
  });
});
