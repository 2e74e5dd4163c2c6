import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { ENCODER } from "../../../src/memory/embedding/encoder-files.ts";
import { type ProgramRun, runProgram } from "../../support/headless.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const OPENAI = "https://api.openai.com/v1";
const KEPT = '"": built in; nothing is downloaded or sent';
const ENCODED =
  'offline: all-MiniLM-L6-v2 on this machine, English; nothing is sent; "embeddings install" downloads 42 MB';

describe("sources of vectors on the command line", () => {
  const tempFolder = tempFolders();

  async function ran(more: object, ...argv: string[]): Promise<ProgramRun & { readonly data: string }> {
    const data = await tempFolder();
    const setting = { baseUrl: OPENAI, workspace: await tempFolder(), data, env: { HOME: data }, ...more };
    return { ...(await runProgram(setting, "embeddings", ...argv)), data };
  }

  it("are listed with what leaves the machine, and what it costs", async () => {
    const { stdout } = await ran({});
    assert.deepEqual(stdout.trimEnd().split("\n"), [
      `* ${KEPT}`,
      `  ${ENCODED}`,
      "  text-embedding-3-small@openai: the texts of memories are sent to api.openai.com, for 0.02 US dollars per million tokens",
      "  text-embedding-3-large@openai: the texts of memories are sent to api.openai.com, for 0.13 US dollars per million tokens",
      "  MODEL@openai: the texts of memories are sent to api.openai.com",
    ]);
  });

  it("are marked where one is chosen, with or without its provider", async () => {
    const marked = [];
    for (const name of ["text-embedding-3-large", "text-embedding-3-large@openai", "offline"]) {
      const { stdout } = await ran({}, "list", "--set", `model.embedding=${name}`);
      marked.push(stdout.split("\n").flatMap((line) => /^\* ([^:]+):/.exec(line)?.[1] ?? []));
    }
    assert.deepEqual(marked, [["text-embedding-3-large@openai"], ["text-embedding-3-large@openai"], ["offline"]]);
  });

  it("need a model's name where the server isn't known, and are only those that have a key or need none", async () => {
    const server = await ran({ baseUrl: "http://127.0.0.1:9/v1", apiKey: "" });
    const keyless = await ran({ apiKey: "" });
    assert.deepEqual(
      [server.stdout, keyless.stdout].map((text) => text.trimEnd().split("\n")),
      [
        [`* ${KEPT}`, `  ${ENCODED}`, "  MODEL@server: the texts of memories are sent to 127.0.0.1:9"],
        [`* ${KEPT}`, `  ${ENCODED}`],
      ],
    );
  });

  it("are downloaded only after addresses, licenses and hashes were shown, and the person agreed", async () => {
    const { stdout, code, data } = await ran({ typed: ["n"] }, "install");
    const shown = ENCODER.every(({ url, license, sha256 }) =>
      [url, license, sha256].every((fact) => stdout.includes(fact)),
    );
    const left = await fs.readdir(data);
    assert.deepEqual(
      [shown, stdout.endsWith("Nothing was downloaded.\n"), code, left.filter((name) => /^encoder/.test(name))],
      [true, true, 0, []],
    );
  });

  it("aren't downloaded where no one can agree", async () => {
    const { stderr, code, data } = await ran({}, "install");
    const isThere = await fs.stat(path.join(data, "encoder")).then(
      () => true,
      () => false,
    );
    assert.deepEqual([/Add --yes to download/.test(stderr), code === 0, isThere], [true, false, false]);
  });
});
