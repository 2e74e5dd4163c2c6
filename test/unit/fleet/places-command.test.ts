import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CarryingEngine } from "../../../src/fleet/carrying-engine.ts";
import type { FleetEvent, FleetRun } from "../../../src/fleet/engine.ts";
import { createFleetKey } from "../../../src/fleet/key.ts";
import {
  forgetPlace,
  listNotAgreed,
  readKnownPlaces,
  rememberAgreements,
  rememberPlace,
} from "../../../src/fleet/known-places.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { runProgram } from "../../support/headless.ts";
import { makeRepository } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

/** A place whose machines are reached through a repository here, and on which nothing begins. */
class QuietEngine extends CarryingEngine {
  protected readonly host = "box";
  protected openWay = (folder: string, signal: AbortSignal) => this.openPlace(folder, signal);
  protected begin = async (): Promise<void> => undefined;
  protected send = async (): Promise<void> => undefined;
  list = async (): Promise<readonly FleetRun[]> => [];
  remove = async (): Promise<void> => undefined;
  protected async *readLines(): AsyncGenerator<string> {}
  async *watch(): AsyncGenerator<FleetEvent> {}
}

const tempFolder = tempFolders();
const RUN = "20260102_090000_remote_a1b2";

describe("runs in other places, by the command line", () => {
  async function start(...words: readonly string[]) {
    const data = await tempFolder();
    const { code, stdout, stderr } = await runProgram(
      { baseUrl: "http://127.0.0.1:1", workspace: await tempFolder(), data },
      "fleet",
      ...words,
    );
    return { code, said: `${stdout}${stderr}`, hasKey: existsSync(join(data, "fleet-key")) };
  }

  it("get no fleet key of their own for a fleet, whose workers could do nothing with it", async () => {
    const { code, said, hasKey } = await start("list", "--on", "temporal://127.0.0.1:1");
    assert.deepEqual(
      { code, said: said.split(".")[0], hasKey },
      { code: 4, said: "There is no fleet key on this machine", hasKey: false },
    );
  });

  it("are said to be used otherwise in a sentence that stays in view", async () => {
    const { code, said } = await start("fly");
    assert.deepEqual(
      { code, said },
      {
        code: 4,
        said: '"fleet" takes one of these: list, set-up, show, watch, decide, say, raise, stop, remove, fetch, run, key.\n\nAdd --help to see all options.\n',
      },
    );
  });

  it("get the task with its pictures, the model and the limits, and what else is asked is named", async () => {
    const workspace = await tempFolder();
    const { code, stderr } = await runProgram(
      { baseUrl: "http://127.0.0.1:1", workspace, data: await tempFolder() },
      ...["--task", "Tidy.", "--workspace", workspace, "--on", "ssh:nowhere.invalid", "--model", "gpt-5", "--debug"],
      ...["--plan", "--ai-goal", "Tidiness", "--set", "web.enabled=false", "--set", "run.maxSteps=9"],
    );
    assert.deepEqual(
      { code, said: stderr.split("\n")[0] },
      {
        code: 4,
        said: "Only the task, its pictures, the model and the limits are sent to ssh:nowhere.invalid. Leave these out: --plan, a profile, web.enabled.",
      },
    );
  });

  it("are all remembered, although several are sent at once", async () => {
    const data = await tempFolder();
    const ids = Array.from({ length: 20 }, (_, at) => `run-${at}`);
    await Promise.all(ids.map((id) => rememberPlace(data, `ssh:${id}`, id)));
    const { places, runs } = await readKnownPlaces(data);
    assert.deepEqual({ places: places.length, runs: Object.keys(runs) }, { places: 20, runs: ids });
  });

  it("are agreed to for a place, a repository, and the one through which it goes, until the place is forgotten", async () => {
    const [data, top] = [await tempFolder(), await tempFolder()];
    for (const name of ["one", "two"]) makeRepository(join(top, name), { "below/note.txt": "x\n" });
    const count = async (place: string, name: string, through?: string): Promise<number> =>
      (await listNotAgreed(data, [{ place, folder: join(top, name), through }])).length;
    await rememberAgreements(data, await listNotAgreed(data, [{ place: "ssh:box", folder: join(top, "one") }]));
    const asked = {
      same: await count("ssh:box", "one"),
      below: await count("ssh:box", "one/below"),
      repository: await count("ssh:box", "two"),
      place: await count("ssh:box2", "one"),
      through: await count("ssh:box", "one", "https://host/tool.git"),
    };
    await forgetPlace(data, "ssh:box");
    assert.deepEqual(
      { ...asked, forgotten: await count("ssh:box", "one") },
      { same: 0, below: 0, repository: 1, place: 1, through: 1, forgotten: 1 },
    );
  });

  it("say what of the folder wasn't sent", async () => {
    const [data, folder] = [await tempFolder(), await tempFolder()];
    makeRepository(folder, { "note.txt": "x\n" });
    await writeFile(join(folder, ".env"), "KEY=1\n");
    const engine = new QuietEngine("quiet:box", { data, key: await createFleetKey(data), sender: "Ada" });
    const { notes = [] } = await engine.submit({ task: "Tidy.", folder, settings: {} }, new AbortController().signal);
    assert.deepEqual(notes.map(writeInEnglish), ["Not sent, because they may hold secrets or are too large: .env."]);
  });

  it("get higher limits only by names and amounts", async () => {
    const said = [];
    for (const limits of [[], ["usd"], ["steps=-1"], ["days=1"], ["usd=5=6"]])
      said.push((await start("raise", RUN, ...limits, "--on", "ssh:nowhere.invalid")).said.trim());
    const how =
      "Say what it may spend in all, as in usd=5 steps=200 (usd, tokens, steps, replies, minutes; 0: no limit).";
    assert.deepEqual(
      said.map((text) => text.includes(how)),
      said.map(() => true),
    );
  });
});
