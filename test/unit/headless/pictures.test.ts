import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportRun } from "../../../src/runs/export/export-run.ts";
import { readLog } from "../../../src/runs/log/read-log.ts";
import { refusal, saying, serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type HeadlessSetting, headless } from "../../support/headless.ts";
import { PICTURES } from "../../support/picture-files.ts";
import { ofType } from "../../support/rehearsal.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All tidy." });
const LOOK = calling("list_files");

let before = 0;
beforeEach(() => {
  before = server().requests.length;
});

async function place(): Promise<HeadlessSetting & { readonly picture: string }> {
  const workspace = await tempFolder();
  const picture = join(await tempFolder(), "shot.jpg");
  await writeFile(picture, Buffer.from(PICTURES.png, "base64"));
  return { baseUrl: server().baseUrl, workspace, data: await tempFolder(), picture };
}

/** The pictures and the text in place of them, in each request for a reply. */
function shown(): readonly unknown[] {
  return server()
    .requests.slice(before)
    .filter(({ path }) => path.endsWith("/chat/completions"))
    .map(({ body }) =>
      body.messages.flatMap(({ content }: { content: unknown }) => {
        if (Array.isArray(content)) return content.flatMap(({ image_url }) => image_url?.url ?? []);
        return /\[picture [^\]]*\]/.exec(String(content)) ?? [];
      }),
    );
}

// A model that is known to see, so that its server isn't asked for that.
const SEEING = ["--model", "gpt-4o", "--continuous", "9", "--json"];
const TASK = ["--task", "Say what the picture shows.", ...SEEING];
const DATA = `data:image/png;base64,${PICTURES.png}`;

describe("a picture for a task", () => {
  it("is sent with each prompt, kept in the run's folder by its bytes, and counts as an untrusted source", async () => {
    server().plan(LOOK, FINISH);
    const setting = await place();
    const { end, events } = await headless(setting, ...TASK, "--picture", setting.picture);
    const [started] = ofType(events, "started");
    const [attached] = started?.attached ?? [];
    const kept = join(setting.workspace, ".autogpt", "runs", started?.id ?? "", "pictures");
    assert.deepEqual(
      {
        end: end.reason,
        shown: shown(),
        attached: { ...attached, file: "" },
        sources: started?.sources,
        files: await readdir(kept),
        bytes: (await readFile(join(kept, attached?.file ?? ""))).toString("base64"),
      },
      {
        end: "finished",
        shown: [[DATA], [DATA]],
        attached: { name: "shot.jpg", file: "", mediaType: "image/png", width: 5, height: 3, bytes: 77 },
        sources: [{ kind: "picture", name: "shot.jpg" }],
        files: [attached?.file],
        bytes: PICTURES.png,
      },
    );
  });

  it("is replaced by its name once the server refuses it, which a later run of the model knows", async () => {
    const refused = refusal(400, "Invalid content type. image_url is only supported by certain models.");
    server().plan(refused, LOOK, FINISH);
    const setting = await place();
    const { end, stderr } = await headless(setting, ...TASK, "--picture", setting.picture);
    const later = await headless(setting, ...TASK, "--picture", setting.picture).catch(String);
    assert.deepEqual(
      { end: end.reason, shown: shown(), told: /didn't take the pictures/.test(stderr), later },
      {
        end: "finished",
        shown: [
          [DATA],
          ['[picture "shot.jpg": this model can\'t see it]'],
          ['[picture "shot.jpg": this model can\'t see it]'],
        ],
        told: true,
        later: "DisplayError: gpt-4o can't see pictures. Choose another model, or remove the pictures.",
      },
    );
  });

  it("is refused before anything is sent if the model takes none, or if it's no picture", async () => {
    server().plan(saying("{}"));
    const setting = await place();
    const blind = await headless(setting, ...TASK, "--picture", setting.picture, "--model", "gpt-3.5-turbo").catch(
      String,
    );
    await writeFile(setting.picture, "<svg/>");
    const svg = await headless(setting, ...TASK, "--picture", setting.picture).catch(String);
    const missing = await headless(setting, ...TASK, "--picture", "/nowhere.png").catch(String);
    assert.deepEqual(
      { blind, svg, missing, requests: server().requests.length - before },
      {
        blind: "DisplayError: gpt-3.5-turbo can't see pictures. Choose another model, or remove the pictures.",
        svg: "DisplayError: shot.jpg isn't a PNG, JPEG, GIF or WebP picture. Convert it, or attach another one.",
        missing: "UsageError: --picture names /nowhere.png, which can't be read.",
        requests: 0,
      },
    );
  });

  it("is only named once its file is gone, and in a report of the run", async () => {
    server().plan(FINISH, FINISH);
    const setting = await place();
    const { events } = await headless(setting, ...TASK, "--picture", setting.picture);
    const [started] = ofType(events, "started");
    const { id = "", attached = [] } = started ?? {};
    const run = join(setting.workspace, ".autogpt", "runs", id);
    await writeFile(join(run, "pictures", attached[0]?.file ?? ""), "something else");
    await writeFile(setting.picture, Buffer.from(PICTURES.gif, "base64"));
    const more = ["--resume", id, "--task", "Now this one.", "--picture", setting.picture];
    await headless(setting, ...more, ...SEEING);
    const { events: all } = await readLog(run);
    const [report] = exportRun(all, "markdown");
    assert.deepEqual(
      { shown: shown()[1], report: report?.text.match(/.*picture "shot.*/g) },
      {
        shown: ['[picture "shot.jpg": its file is gone]', `data:image/gif;base64,${PICTURES.gif}`],
        report: [
          '> The user attached: \\[picture "shot.jpg"\\]',
          '> The user said: Now this one. \\[picture "shot.jpg"\\]',
        ],
      },
    );
  });
});
