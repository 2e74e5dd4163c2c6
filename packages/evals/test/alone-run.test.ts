import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import {
  chunk,
  DONE,
  fakeModelServer,
  finish,
  refusal,
  type ServerAnswer,
  saying,
  stream,
} from "../../../test/support/fake-model-server.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { makeLink } from "../../../test/support/skips.ts";
import { tempFolders } from "../../../test/support/temp-folders.ts";
import { runModelAlone } from "../src/alone-run.ts";

const TASK = {
  ...{ name: "greet", task: "Greet the world in b.txt.", files: {}, oracle: [] },
  grade: async () => ({ passed: true }),
};

describe("a run of the model alone", () => {
  const newFolder = tempFolders();
  let folder: string;

  beforeEach(async () => {
    folder = join(await newFolder(), "workspace");
    await mkdir(join(folder, "docs"), { recursive: true });
    await writeFile(join(folder, "a.txt"), "one\n");
    await writeFile(join(folder, "docs", "b.md"), "two");
    await writeFile(join(folder, ".hidden"), "three");
    await writeFile(join(folder, "c.bin"), "\0");
  });

  async function run(baseUrl: string, timeoutMs = 60_000) {
    const model = openAiModel({
      ...{ baseUrl, apiKey: "", model: "m", contextWindow: 16_000, timeoutSeconds: 60 },
    });
    const signal = AbortSignal.timeout(timeoutMs);
    const attempting = {
      task: TASK,
      run: 1,
      folder,
      data: folder,
      signal,
      handleReplyPiece: () => undefined,
    };
    return runModelAlone({ model, temperature: 0 }, attempting);
  }

  async function answered(answer: ServerAnswer) {
    const server = await fakeModelServer(answer);
    const { end, remark, counts } = await run(server.baseUrl).finally(() => server.close());
    const { steps, unreadable, refused } = counts;
    return { end: end.reason, ...(remark ? { remark } : {}), steps, unreadable, refused };
  }

  const text = (path: string) => readFile(join(folder, path), "utf8");

  it("asks once, with all files that have text and aren't hidden", async () => {
    const server = await fakeModelServer(saying("File: b.txt\n```\nHello\n```"));

    await run(server.baseUrl);

    await server.close();
    const [{ body } = { body: {} }, ...more] = server.requests;
    assert.deepEqual(
      [body.messages[1].content, body.temperature, body.max_tokens, more.length],
      ["Greet the world in b.txt.\n\nFile: a.txt\n```\none\n\n```\n\nFile: docs/b.md\n```\ntwo\n```", ...[0, 4_096, 0]],
    );
  });

  it("keeps a file that is renamed to itself, and the target of a rename without a source", async () => {
    await answered(saying("Rename: a.txt -> a.txt\nRename: missing.txt -> docs/b.md"));
    assert.deepEqual([await text("a.txt"), await text("docs/b.md")], ["one\n", "two"]);
  });

  it("writes, deletes and renames what the reply names, in its order", async () => {
    const reply = "File: new/b.txt\n```\nHello\n```\nDelete: c.bin\nRename: docs/b.md -> old/b.md";

    const result = await answered(saying(reply));

    assert.deepEqual(
      { ...result, files: [await text("new/b.txt"), await text("old/b.md"), await readdir(folder)] },
      {
        ...{ end: "finished", steps: 1, unreadable: 0, refused: 0 },
        files: ["Hello\n", "two", [".hidden", "a.txt", "docs", "new", "old"]],
      },
    );
  });

  it("leaves out what is outside the folder or can't be there, and does the rest", async () => {
    if (process.platform !== "win32") await makeLink("..", join(folder, "up"));
    const paths = ["../x.txt", "/etc/autogpt-x", "up/x.txt", "docs", "a.txt/x", "ok.txt"];
    const files = paths.map((path) => `File: ${path}\n\`\`\`\nx\n\`\`\``);

    const result = await answered(saying([...files, "Delete: ../workspace", "Delete: none.txt"].join("\n\n")));

    assert.deepEqual(
      {
        ...{ end: result.end, steps: result.steps, refused: result.refused },
        said: /^Left out: "\.\.\/x\.txt" leads outside/.test(result.remark ?? ""),
        outside: await readdir(join(folder, "..")),
        ok: await text("ok.txt"),
      },
      {
        ...{ end: "finished", steps: 1, refused: process.platform === "win32" ? 6 : 7 },
        ...{ said: true, outside: ["workspace"], ok: "x\n" },
      },
    );
  });

  it("reports a reply without files", async () =>
    assert.deepEqual(await answered(saying("I would write Hello to b.txt.")), {
      ...{ end: "finished", remark: "The reply has no file.", steps: 0, unreadable: 1, refused: 0 },
    }));

  it("does nothing of a reply that was cut off", async () => {
    const cut = "File: b.txt\n```\nHello\n```\n\nFile: a.txt\n```\non";

    const result = await answered(stream(chunk({ content: cut }), finish("length"), DONE));

    assert.deepEqual(
      { ...result, files: [await text("a.txt"), await readdir(folder)] },
      {
        ...{ end: "exhausted", remark: "The reply has no file.", steps: 0, unreadable: 1, refused: 0 },
        files: ["one\n", [".hidden", "a.txt", "c.bin", "docs"]],
      },
    );
  });

  it("fails with a sentence if the server can't be reached, or refuses", async () => {
    const dead = await run(`http://127.0.0.1:${await freePort()}/v1`);
    const server = await fakeModelServer(refusal(401, "That key is wrong."));
    const refused = await run(server.baseUrl).finally(() => server.close());

    assert.deepEqual(
      [dead, refused].map(({ end, counts }) => [
        end.reason,
        "error" in end && /127\.0\.0\.1/.test(end.error),
        counts.replies,
      ]),
      [
        ["failed", true, 0],
        ["failed", true, 0],
      ],
    );
  });

  it("is stopped when its time is over", async () => {
    const server = await fakeModelServer({ pieces: [], headersHang: true });

    const { end } = await run(server.baseUrl, 200).finally(() => server.close());

    assert.deepEqual(end, { reason: "stopped" });
  });
});
