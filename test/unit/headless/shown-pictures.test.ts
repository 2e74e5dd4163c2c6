import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getOutcomeText, listOutcomePictures } from "../../../src/core/commands/outcome.ts";
import { exportRun } from "../../../src/runs/export/export-run.ts";
import { readLog } from "../../../src/runs/log/read-log.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import {
  type Answering,
  refusal,
  type SeenRequest,
  type ServerAnswer,
  serverForSuite,
} from "../../support/fake-model-server.ts";
import { azurePlain, bedrockClaude, type FamilyRule, mistralInLlamaCpp } from "../../support/family-rules.ts";
import { calling, type HeadlessSetting, headless, runProgram } from "../../support/headless.ts";
import { npmServer } from "../../support/mcp-servers.ts";
import { animatedGif, animatedWebp, PICTURES, pngOf } from "../../support/picture-files.ts";
import { ofType } from "../../support/rehearsal.ts";
import { scriptedResponses } from "../../support/responses-rules.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All seen." });
const TOOLS = ["--set", "model.replyFormat=tools"];
const SEEING = ["--model", "gpt-4o", "--continuous", "99", "--json", ...TOOLS];
const read = (filename: string, ...files: readonly string[]) => calling("read_file", { filename, files });
const DATA = `data:image/png;base64,${PICTURES.png}`;

type Message = SeenRequest["body"];

let before = 0;
beforeEach(() => {
  before = server().requests.length;
});

async function place(files: Readonly<Record<string, Uint8Array | string>> = {}): Promise<HeadlessSetting> {
  const workspace = await tempFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(join(workspace, name), content);
  return { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
}

/** The bodies of the requests for replies. */
function bodies(): readonly SeenRequest["body"][] {
  return server()
    .requests.slice(before)
    .filter(({ path }) => path.endsWith("/chat/completions"))
    .map(({ body }) => body);
}

/** A message in brief: its role, and its pictures. */
const brief = ({ role, content }: Message): string => {
  const parts = Array.isArray(content) ? content.flatMap(({ image_url }) => image_url?.url ?? []) : [];
  return [role, ...parts].join(" ");
};

/** Takes pictures only where the API has them: in messages of the user. */
const onlyFromUser: FamilyRule = ({ messages }) =>
  messages.some(({ role, content }: Message) => role !== "user" && Array.isArray(content))
    ? refusal(400, "Invalid 'messages': content must be a string.")
    : undefined;

/** Gives the answers in their order, each to the next request that keeps the rules. */
function strictly(rules: readonly FamilyRule[], ...answers: readonly ServerAnswer[]): Answering {
  const left = [...answers];
  return ({ body }) =>
    rules.map((rule) => rule(body)).find(Boolean) ?? (left.length > 1 ? left.shift() : left[0]) ?? FINISH;
}

const outcomesIn = (events: readonly AgentEvent[]) => ofType(events, "ended").map(({ outcome }) => outcome);

async function storedRun({ workspace }: HeadlessSetting): Promise<{ id: string; folder: string }> {
  const runs = join(workspace, ".autogpt", "runs");
  const [id = ""] = await readdir(runs);
  return { id, folder: join(runs, id) };
}

describe("a picture that a command reads", () => {
  it("follows its result, and is nowhere in the log, the debug files and the exports", async () => {
    const setting = await place({ "shot.jpg": Buffer.from(PICTURES.png, "base64") });
    server().plan(strictly([onlyFromUser, azurePlain], read("shot.jpg"), FINISH));
    const debug = ["--set", "log.debugFiles=true"];
    const { end, events } = await headless(setting, "--task", "Look.", ...SEEING, ...debug);
    const { folder } = await storedRun(setting);
    const { events: all } = await readLog(folder);
    const kinds = ["json", "markdown", "debugLog", "fineTuning"] as const;
    const texts = [
      await readFile(join(folder, "run.jsonl"), "utf8"),
      ...kinds.flatMap((kind) => exportRun(all, kind as "json").map(({ text }) => text)),
      await readFile(join(folder, "DEBUG", "001", "1_current_context.json"), "utf8"),
    ];
    const [outcome] = outcomesIn(events);
    const [picture] = listOutcomePictures(outcome);
    assert.deepEqual(
      {
        end: end.reason,
        sent: bodies()[1]?.messages.slice(2).map(brief),
        outcome: outcome && { ...outcome, pictures: picture && { ...picture, file: "" } },
        kept: (await readFile(join(folder, "pictures", picture?.file ?? ""))).toString("base64"),
        withBase64: texts.filter((text) => text.includes(PICTURES.png.slice(0, 40))).length,
        named: [texts[0], texts.at(-1)].map((text) => text?.includes("shot.jpg")),
      },
      {
        end: "finished",
        sent: ["assistant", "tool", `user ${DATA}`, "user"],
        outcome: {
          status: "done",
          output: `[picture "shot.jpg", PNG, 5 x 3 pixels: it's shown with this result]`,
          summary: {
            code: "start.pictureSize",
            parameters: {
              ...{ width: "5", height: "3" },
              size: { code: "results.bytes", parameters: { count: 77 } },
            },
          },
          pictures: {
            name: "shot.jpg",
            file: "",
            mediaType: "image/png",
            width: 5,
            height: 3,
            bytes: 77,
          },
        },
        kept: PICTURES.png,
        withBase64: 0,
        named: [true, true],
      },
    );
  });

  for (const [name, model, rule] of [
    ["Mistral", "mistral-small3.2", mistralInLlamaCpp],
    ["Bedrock", "bedrock/us.anthropic.claude-sonnet-4-6-v1:0", bedrockClaude],
  ] as const)
    it(`reaches models of ${name}, which take no user after a result`, async () => {
      const setting = await place({ "a.png": Buffer.from(PICTURES.png, "base64"), "b.txt": "b" });
      server().plan(strictly([onlyFromUser, rule], read("a.png"), read("b.txt"), FINISH));
      const { end } = await headless(setting, "--task", "Look.", ...SEEING, "--model", model);
      const [, second = {}, third = {}] = bodies();
      assert.deepEqual(
        {
          end: end.reason,
          requests: bodies().length,
          sent: [second, third].map(({ messages }) => messages.map(brief).filter((one: string) => one !== "system")),
        },
        {
          end: "finished",
          requests: 3,
          sent: [
            ["user", "assistant", "tool", "assistant", `user ${DATA}`],
            ["user", "assistant", "tool", "assistant", `user ${DATA}`, "assistant", "tool"],
          ],
        },
      );
    });

  it("comes from an MCP server as well, as data of that server", async () => {
    const setting = await place();
    const servers = { everything: npmServer("everything", "stdio") };
    await plant(setting.workspace, { ".autogpt/mcp.json": JSON.stringify({ servers }) });
    await runProgram(setting, "plugins", "allow", "everything");
    const look = calling("call_tool", { name: "everything__get-tiny-image", args: {} });
    // On a busy machine, the server is there a step or two later.
    server().plan(({ body }) => {
      const isSeen = JSON.stringify(body.messages).includes("image_url");
      return onlyFromUser(body) ?? (isSeen ? FINISH : look);
    });
    const { end, events } = await headless(setting, "--task", "Look.", ...SEEING);
    const outcome = outcomesIn(events).find((one) => listOutcomePictures(one).length > 0);
    const [picture] = listOutcomePictures(outcome);
    assert.deepEqual(
      {
        end: end.reason,
        sent: bodies()[1]
          ?.messages.slice(2)
          .map((message: Message) => brief(message).slice(0, 30)),
        source: outcome && "source" in outcome && outcome.source,
        picture: picture && [picture.name, picture.width, picture.height],
        isInLog: JSON.stringify(events).includes("iVBOR"),
      },
      {
        end: "finished",
        sent: ["assistant", "tool", "user data:image/png;base64,iVB", "user"],
        source: { kind: "tool", name: "MCP server everything: get-tiny-image" },
        picture: ["get-tiny-image 1", 20, 20],
        isInLog: false,
      },
    );
  }).timeout(60_000);

  it("becomes its name at a compaction, also where the run is resumed before and after it", async () => {
    const large = (index: number): Buffer => pngOf(2_000, 2_000 + index);
    const names = Array.from({ length: 48 }, (_, index) => `${index}.png`);
    const setting = await place(Object.fromEntries(names.map((name, index) => [name, large(index)])));
    const four = (step: number) => {
      const [first = "", ...others] = names.slice(4 * (step - 1), 4 * step);
      return read(first, ...others);
    };
    const wide = [...SEEING, "--set", "model.contextWindow=64000"];
    server().plan(strictly([onlyFromUser], four(1)));
    await headless(setting, "--task", "Look.", ...wide, "--set", "run.maxSteps=1");
    const { id, folder } = await storedRun(setting);
    const resumed = ["--resume", id, ...wide];
    server().plan(strictly([onlyFromUser], ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map(four)));
    await headless(setting, ...resumed, "--set", "run.maxSteps=10");
    server().plan(strictly([onlyFromUser], four(11), four(12), FINISH));
    const { end } = await headless(setting, ...resumed, "--set", "run.maxSteps=20");
    const { events } = await readLog(folder);
    const counts = bodies().map(({ messages }) =>
      messages.map((message: Message) => brief(message).split(" ").length - 1).filter(Boolean),
    );
    const trimmed = ofType(events, "compacted").flatMap((event) => event.trimmed ?? []);
    const inLast = JSON.stringify(bodies().at(-1)?.messages);
    assert.deepEqual(
      {
        end: end.reason,
        most: Math.max(...counts.map((row) => row.flat().reduce((sum: number, one: number) => sum + one, 0))),
        before: counts.slice(0, 5),
        last: counts.at(-1)?.slice(-1),
        trimmed: trimmed.length > 0,
        named: trimmed.every(({ text }) => /Pictures of this older outcome are left out: "/.test(text)),
        isNamed: inLast.includes('\\"0.png\\"'),
      },
      {
        end: "finished",
        most: 20,
        before: [[], [4], [4, 4], [4, 4, 4], [4, 4, 4, 4]],
        last: [4],
        trimmed: true,
        named: true,
        isNamed: true,
      },
    );
  }).timeout(30_000);

  it("is in its result over Responses, in a run of 30 steps with parallel reads that is resumed", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `${index}.png`);
    const files = names.map((name, index) => [name, pngOf(2_000, 2_000 + index)] as const);
    const setting = await place(Object.fromEntries(files));
    const rules = scriptedResponses();
    let step = 0;
    server().plan(({ body }) => {
      if (!body.tools) return rules.answer(body, { text: "Pictures were read." });
      const [first = "", second = ""] = names.slice(2 * step, 2 * step + 2);
      const reads = [first, second].map((filename) => ({ name: "read_file", args: { filename } }));
      const finish = { name: "task_complete", args: { reason: "All seen." } };
      const calls = step === 30 ? [finish] : reads;
      step++;
      return rules.answer(body, { calls, thinksBetween: true });
    });
    const wide = ["--continuous", "99", "--json", ...TOOLS, "--set", "model.contextWindow=40000"];
    const over = ["--model", "gpt-5.6-terra", "--api", "responses", ...wide];
    await headless(setting, "--task", "Look.", ...over, "--set", "run.maxSteps=15");
    const { id, folder } = await storedRun(setting);
    const { end } = await headless(setting, "--resume", id, ...over, "--set", "run.maxSteps=40");
    const { events } = await readLog(folder);
    const places = rules.bodies.flatMap(({ input }) =>
      input.flatMap(({ type = "message", output = [] }: Message) =>
        Array.isArray(output) && output.some((part) => part.type === "input_image") ? type : [],
      ),
    );
    const outcomes = ofType(events, "ended").flatMap(({ outcome, also = [] }) => [outcome, ...also]);
    assert.deepEqual(
      {
        ...{ end: end.reason, steps: outcomes.length, refused: rules.refused },
        places: [...new Set(places)],
        shown: outcomes.flatMap(listOutcomePictures).map(({ name }) => name),
        compacted: ofType(events, "compacted").length > 0,
      },
      {
        ...{ end: "finished", steps: 61, refused: [], places: ["function_call_output"] },
        ...{ shown: names, compacted: true },
      },
    );
  }).timeout(30_000);

  it("is only named to a model that sees none, and shown to the user", async () => {
    const setting = await place({ "shot.png": pngOf(800, 600) });
    server().plan(read("shot.png"), FINISH);
    const { events } = await headless(setting, "--task", "Look.", ...SEEING, "--model", "gpt-3.5-turbo");
    const [outcome] = outcomesIn(events);
    assert.deepEqual(
      {
        text: outcome && getOutcomeText(outcome),
        summary: outcome?.status === "done" && writeInEnglish(outcome.summary ?? ""),
        pictures: listOutcomePictures(outcome),
        isShown: outcome?.status === "done" && /^[0-9a-f]{64}\.png$/.test(outcome.picture ?? ""),
        sent: bodies().at(-1)?.messages.slice(-3).map(brief),
      },
      {
        text: `[picture "shot.png", PNG, 800 x 600 pixels: this model can't see it]`,
        summary: "not seen by the model",
        pictures: [],
        isShown: true,
        sent: ["assistant", "tool", "user"],
      },
    );
  });

  it("is left out alone once the service refuses it, which is said once", async () => {
    const bad = pngOf(7, 7);
    const setting = await place({
      "good.png": Buffer.from(PICTURES.png, "base64"),
      "bad.png": bad,
      "b.gif": Buffer.from(PICTURES.gif, "base64"),
    });
    const noBad: FamilyRule = ({ messages }) =>
      JSON.stringify(messages).includes(bad.toString("base64"))
        ? refusal(400, "messages.5.content.1.image.source.base64.data: Could not process image")
        : undefined;
    const look = [read("good.png"), read("bad.png")];
    server().plan(strictly([noBad], ...look, read("b.gif"), read("b.gif"), FINISH));
    const { end, stderr } = await headless(setting, "--task", "Look.", ...SEEING);
    const last = bodies().at(-1)?.messages;
    assert.deepEqual(
      {
        end: end.reason,
        refusals: bodies().length - 5,
        shown: last
          .map(brief)
          .filter((one: string) => one.includes("data:"))
          .map((one: string) => one.slice(0, 22)),
        isNamed: /\[picture \\"bad\.png\\": the model's service refused it\]/.test(JSON.stringify(last)),
        said: stderr.match(/refused a picture, so .* It said: "/g)?.length,
      },
      {
        end: "finished",
        refusals: 1,
        shown: ["user data:image/png;ba", "user data:image/gif;ba", "user data:image/gif;ba"],
        isNamed: true,
        said: 1,
      },
    );
  });

  const FILES: readonly (readonly [string, string, Uint8Array | string, RegExp])[] = [
    ["cut off", "a.png", Buffer.from(PICTURES.png, "base64").subarray(0, 60), /its file is cut off or damaged/],
    ["cut off as JPEG", "a.jpg", Buffer.from(PICTURES.jpeg, "base64").subarray(0, -2), /cut off or damaged/],
    ["cut off as WebP", "a.webp", Buffer.from(PICTURES.extendedWebp, "base64").subarray(0, 50), /cut off/],
    ["cut off as GIF", "a.gif", Buffer.from(PICTURES.gif, "base64").subarray(0, 30), /cut off or damaged/],
    ["with a wrong header", "a.png", Buffer.from(PICTURES.png, "base64").fill(0, 0, 1), /is a binary file/],
    ["that would fill the memory", "a.png", pngOf(60_000, 60_000), /60000 x 60000 pixels, and at most 8,000/],
    ["that is too long", "a.png", pngOf(10, 9_000), /at most 8,000 on a side/],
    ["of 4 MB", "a.png", pngOf(10, 10, 4_000_000), /4\.0 MB, and at most 3\.75 MB can be shown/],
    ["that moves as WebP", "a.webp", animatedWebp(), /it's animated; have a program save a frame/],
    ["in SVG", "a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", /a\.svg, 1 line\n<svg/],
    ["that moves", "a.gif", animatedGif(), /GIF, 5 x 3 pixels, the first frame of an animation: it's shown/],
  ];
  for (const [which, name, content, said] of FILES)
    it(`is shown or explained: one ${which}`, async () => {
      const setting = await place({ [name]: content });
      server().plan(read(name), FINISH);
      const { end, events } = await headless(setting, "--task", "Look.", ...SEEING);
      const [outcome] = outcomesIn(events);
      assert.equal(end.reason, "finished");
      assert.match((outcome && getOutcomeText(outcome)) ?? "", said);
      const isShown = said.source.includes("it's shown");
      assert.equal(listOutcomePictures(outcome).length, isShown ? 1 : 0);
      if (isShown) assert.ok(bodies()[1]?.messages.map(brief).includes(`user data:image/gif;base64,${still()}`));
    });
});

/** The first frame of the animated GIF, as another program would cut it. */
function still(): string {
  const repeats = Buffer.from("21ff0b4e45545343415045322e300301000000", "hex");
  const gif = Buffer.from(PICTURES.gif, "base64");
  return Buffer.concat([gif.subarray(0, 25), repeats, gif.subarray(25)]).toString("base64");
}
