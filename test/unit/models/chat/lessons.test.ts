import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLessonFile } from "../../../../src/models/chat/lesson-file.ts";
import { Lessons } from "../../../../src/models/chat/lessons.ts";
import { openAiModel } from "../../../../src/models/providers/openai.ts";
import { addRetries } from "../../../../src/models/retries.ts";
import { reply, trouble, WITH_SCHEMA, WITH_TOOLS } from "../../../support/completing.ts";
import { refusal, saying, serverForSuite } from "../../../support/fake-model-server.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const MONTH_LATER = new Date(Date.now() + 31 * 24 * 60 * 60 * 1000);

describe("what was learned about a server", () => {
  const server = serverForSuite();
  const newFolder = tempFolders();

  const model = (lessons: Lessons) =>
    openAiModel({
      ...{ apiKey: "k", model: "m", contextWindow: 8_000, timeoutSeconds: 60, lessons },
      baseUrl: server().baseUrl,
    });

  /** Requests that a completion takes where JSON schemas are refused. */
  async function requestsWith(lessons: Lessons): Promise<number> {
    const before = server().requests.length;
    server().plan(({ body }) =>
      body.response_format?.type === "json_schema" ? refusal(400, "response_format: not supported") : saying("{}"),
    );
    await reply(model(lessons), WITH_SCHEMA);
    await lessons.waitUntilSaved();
    return server().requests.length - before;
  }

  it("is known in the next session, and forgotten after a month", async () => {
    const folder = join(await newFolder(), "not there yet");
    const store = createLessonFile(folder);
    assert.deepEqual(
      [
        await requestsWith(new Lessons(store)),
        await requestsWith(new Lessons(store)),
        await requestsWith(new Lessons(store, () => MONTH_LATER)),
      ],
      [2, 1, 2],
    );
  });

  it("holds the differences alone, and no key", async () => {
    const folder = await newFolder();
    await requestsWith(new Lessons(createLessonFile(folder), () => new Date(0)));
    assert.deepEqual(
      [readdirSync(folder), JSON.parse(readFileSync(join(folder, "server-lessons.json"), "utf8"))],
      [
        ["server-lessons.json"],
        {
          version: 1,
          lessons: [
            {
              ...{ server: server().baseUrl, model: "m", at: "1970-01-01T00:00:00.000Z" },
              changes: {
                schemaForms: ["json_object with schema", "json_object", "guided_json", "json_schema field"],
              },
            },
          ],
        },
      ],
    );
  });

  it("includes the reply format that works, for each model, until it's forgotten", async () => {
    const folder = await newFolder();
    const formatIn = async (name: string) => {
      const lessons = new Lessons(createLessonFile(folder));
      await lessons.ensureLoaded();
      return openAiModel({
        ...{ apiKey: "k", model: name, contextWindow: 8_000, timeoutSeconds: 60, lessons },
        baseUrl: server().baseUrl,
      }).learnedFormat;
    };
    const lessons = new Lessons(createLessonFile(folder));
    const learning = addRetries(model(lessons));
    const before = learning.learnedFormat;
    learning.learnFormat?.("text");
    await lessons.ensureLoaded();
    await lessons.waitUntilSaved();
    await requestsWith(new Lessons(createLessonFile(folder)));
    const learned = [await formatIn("m"), await formatIn("other")];
    await lessons.keepFormat(server().baseUrl, "m", undefined);
    assert.deepEqual([before, learned, await formatIn("m")], [undefined, ["text", undefined], undefined]);
  });

  for (const format of ["of a newer version", 5, null])
    it(`are known where the format that works is ${JSON.stringify(format)}`, async () => {
      const folder = await newFolder();
      const at = new Date().toISOString();
      const changes = { schemaForms: ["json_object"] };
      const lessons = [{ server: server().baseUrl, model: "m", at, changes, format }];
      writeFileSync(join(folder, "server-lessons.json"), JSON.stringify({ version: 1, lessons }));
      const known = new Lessons(createLessonFile(folder));
      assert.deepEqual([await requestsWith(known), model(known).learnedFormat], [1, undefined]);
    });

  for (const [name, content] of [
    ["is damaged", '{"version":1,"lessons":[{'],
    ["is of another version", '{"version":2,"lessons":[]}'],
    [
      "has fields of another shape",
      '{"version":1,"lessons":[{"server":"s","model":"m","at":"x","changes":{"order":1}}]}',
    ],
  ] as const)
    it(`is learned again if its file ${name}`, async () => {
      const folder = await newFolder();
      writeFileSync(join(folder, "server-lessons.json"), content);
      const store = createLessonFile(folder);
      assert.deepEqual([await requestsWith(new Lessons(store)), await requestsWith(new Lessons(store))], [2, 1]);
    });

  it("lasts as long as the process where nothing can be written", async () => {
    const folder = await newFolder();
    mkdirSync(join(folder, "server-lessons.json"));
    const lessons = new Lessons(createLessonFile(folder));
    assert.deepEqual(
      [await requestsWith(lessons), await requestsWith(lessons), readdirSync(folder)],
      [2, 1, ["server-lessons.json"]],
    );
  });

  it("includes refused reply formats, for an hour", async () => {
    let now = 0;
    const lessons = new Lessons(undefined, () => new Date(now));
    server().plan(refusal(400, "tools are not supported by this model"));
    const before = model(lessons).formats;
    await trouble(model(lessons), WITH_TOOLS);
    const soon = model(lessons).formats;
    now = 60 * 60 * 1000;
    assert.deepEqual(
      [before, soon, model(lessons).formats],
      [
        ["tools", "jsonSchema", "text"],
        ["jsonSchema", "text"],
        ["tools", "jsonSchema", "text"],
      ],
    );
  });
});
