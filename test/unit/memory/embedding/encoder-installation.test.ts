import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { promisify } from "node:util";
import { deflateRawSync, gzipSync } from "node:zlib";
import {
  type EncoderArchive,
  isEncoderInstalled,
  readEncoder,
} from "../../../../src/memory/embedding/encoder-files.ts";
import { installEncoder } from "../../../../src/memory/embedding/encoder-installation.ts";
import { MemoryError } from "../../../../src/memory/store/memory-error.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { webServers } from "../../../support/web-server.ts";

const tempFolder = tempFolders();
const webServer = webServers();
const HALF = 30_000;
const NOBODY = 2 ** 22 + 1;

const model = noise("model", 2 * HALF);
const runtime = noise("runtime", 500);
const zipped = Buffer.concat([noise("head", 40), deflateRawSync(model), noise("tail", 9)]);
const packed = gzipSync(Buffer.concat([noise("others", 100_000), runtime, noise("end", 7)]));

/** Bytes that can't be compressed, the same each time. */
function noise(seed: string, bytes: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes / 64) }, (_, block) =>
    createHash("sha512").update(`${seed} ${block}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, bytes);
}

function sha256(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function archivesAt(address: string): readonly EncoderArchive[] {
  const facts = (data: Buffer, url: string) => ({
    ...{ title: url, license: "MIT", url: `${address}/${url}` },
    ...{ bytes: data.length, sha256: sha256(data) },
  });
  return [
    {
      ...facts(zipped, "model.jar"),
      compression: "deflate",
      files: [{ ...file("model.onnx", model), start: 40, end: zipped.length - 9, at: 0 }],
    },
    {
      ...facts(packed, "runtime.tgz"),
      compression: "gzip",
      files: [{ ...file("runtime.cjs", runtime), at: 100_000 }],
    },
  ];
}

function file(name: string, content: Buffer) {
  return { name, sha256: sha256(content), bytes: content.length };
}

/** Answers like a server of files. */
function serve({ headers, url }: IncomingMessage, answer: ServerResponse): void {
  const whole = url === "/model.jar" ? zipped : packed;
  const first = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
  const range = `bytes ${first}-${whole.length - 1}/${whole.length}`;
  answer.writeHead(first > 0 ? 206 : 200, first > 0 ? { "content-range": range } : {});
  answer.end(whole.subarray(first));
}

/** Sends the first half of what it should, and hangs up. */
function hangUp(answer: ServerResponse): void {
  answer.writeHead(200, { "content-length": zipped.length });
  answer.write(zipped.subarray(0, HALF), () => setTimeout(() => answer.destroy(), 50));
}

/** What is left in a folder, with the sizes of files whose names don't matter. */
async function left(folder: string): Promise<readonly string[]> {
  const all = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = all.filter((entry) => entry.isFile()).map(({ name, parentPath }) => path.join(parentPath, name));
  const names = files.map(async (one) =>
    one.endsWith(".part") ? `${(await fs.stat(one)).size} bytes` : path.relative(folder, one).replaceAll(path.sep, "/"),
  );
  return (await Promise.all(names)).sort();
}

type Serving = (asked: IncomingMessage, answer: ServerResponse, count: number) => void;

async function place(serving: Serving = serve) {
  const around = await tempFolder();
  const ranges: string[] = [];
  const { address } = await webServer((asked, answer) => {
    ranges.push(asked.headers.range ?? "all");
    serving(asked, answer, ranges.length);
  });
  const folder = path.join(around, "encoder");
  const archives = archivesAt(address);
  const { signal } = new AbortController();
  const install = (more: Partial<Parameters<typeof installEncoder>[0]> = {}) =>
    installEncoder({ folder, archives, signal, consent: async () => true, ...more }).catch((error: unknown) => error);
  return { around, folder, archives, ranges, install };
}

const WHOLE = ["encoder/complete.json", "encoder/model.onnx", "encoder/runtime.cjs"];

describe("installing the encoder", () => {
  it("downloads, checks and unpacks every file once the user has agreed", async () => {
    const { around, folder, archives, install } = await place();
    const result = await install();
    const contents = [
      await fs.readFile(path.join(folder, "model.onnx")),
      await fs.readFile(path.join(folder, "runtime.cjs")),
    ];
    assert.deepEqual(
      [result, await left(around), contents, await isEncoderInstalled(folder, archives)],
      [true, WHOLE, [model, runtime], true],
    );
  });

  it("shows what it would download, and downloads nothing when the user does not agree", async () => {
    const { around, archives, ranges, install } = await place();
    const shown: unknown[] = [];
    const result = await install({
      consent: async (offered) => {
        shown.push(offered);
        return false;
      },
    });
    assert.deepEqual([result, shown, ranges, await left(around)], [false, [archives], [], []]);
  });

  it("replaces what an earlier version installed", async () => {
    const { around, folder, install } = await place();
    await fs.mkdir(path.join(folder, "node_modules/old"), { recursive: true });
    await fs.writeFile(path.join(folder, "node_modules/old/index.js"), "old");
    await fs.writeFile(path.join(folder, "complete.json"), "[]");
    assert.deepEqual([await install(), await left(around)], [true, WHOLE]);
  });

  it("throws away what is not what it has to be", async () => {
    const { around, install } = await place((_asked, answer) => answer.end(noise("evil", zipped.length)));
    const result = await install();
    assert.deepEqual(
      [result instanceof MemoryError && /wrong checksum/.test(result.message), await left(around)],
      [true, []],
    );
  });

  it("resumes where the connection broke off", async () => {
    const { around, ranges, install } = await place((asked, answer, count) =>
      count === 1 ? hangUp(answer) : serve(asked, answer),
    );
    assert.deepEqual([await install(), ranges, await left(around)], [true, ["all", `bytes=${HALF}-`, "all"], WHOLE]);
  });

  it("starts again where the server can't resume", async () => {
    const { around, install } = await place((asked, answer, count) => {
      if (count === 1) hangUp(answer);
      else answer.end(asked.url === "/model.jar" ? zipped : packed);
    });
    assert.deepEqual([await install(), await left(around)], [true, WHOLE]);
  });

  it("keeps the beginning when the connection doesn't come back, and continues from it next time", async () => {
    let isDown = true;
    const { around, ranges, install } = await place((asked, answer, count) => {
      if (!isDown) serve(asked, answer);
      else if (count === 1) hangUp(answer);
      else answer.destroy();
    });
    const first = [(await install()) instanceof MemoryError, await left(around)];
    isDown = false;
    const again = [await install(), ranges[3], await left(around)];
    assert.deepEqual(
      [first, again],
      [
        [true, [`${HALF} bytes`]],
        [true, `bytes=${HALF}-`, WHOLE],
      ],
    );
  });

  it("continues from what a window that is gone had received", async () => {
    const { around, folder, ranges, install } = await place();
    const name = `${folder}.${sha256(zipped).slice(0, 16)}.${NOBODY}.part`;
    await fs.writeFile(name, zipped.subarray(0, HALF));
    assert.deepEqual([await install(), ranges, await left(around)], [true, [`bytes=${HALF}-`, "all"], WHOLE]);
  });

  it("removes what a window that is gone had unpacked, and nothing of one that runs", async () => {
    const { around, folder, install } = await place();
    for (const pid of [NOBODY, process.ppid]) await fs.mkdir(`${folder}.${pid}`);
    await install();
    assert.deepEqual((await fs.readdir(around)).toSorted(), ["encoder", `encoder.${process.ppid}`]);
  });

  it("gives up a server that always ends too early", async () => {
    const { around, ranges, install } = await place((_asked, answer) => answer.end());
    const result = await install();
    assert.deepEqual(
      [result instanceof MemoryError && /less than it should/.test(result.message), ranges, await left(around)],
      [true, ["all", "all", "all"], ["0 bytes"]],
    );
  });

  it("gives up a server that sends nothing more", async () => {
    const { install } = await place((_asked, answer) => answer.write("a"));
    const result = await install({ stallSeconds: 0.1 });
    assert.match(String(result), /The server sends nothing/);
  });

  it("leaves nothing behind when it is cancelled", async () => {
    const stop = new AbortController();
    const { around, install } = await place((_asked, answer) => {
      answer.write(zipped.subarray(0, HALF), () => setTimeout(() => stop.abort(new Error("enough")), 50));
    });
    assert.deepEqual([String(await install({ signal: stop.signal })), await left(around)], ["Error: enough", []]);
  });

  it("says what the server answers, and asks no more", async () => {
    const { ranges, install } = await place((_asked, answer) => answer.writeHead(404).end());
    const result = String(await install());
    assert.deepEqual([/127\.0\.0\.1:\d+ returned an error \(404\)/.test(result), ranges.length], [true, 1]);
  });

  it("says so when there is no network", async () => {
    const { install } = await place();
    const archives = archivesAt("http://127.0.0.1:1");
    assert.match(String(await install({ archives })), /couldn't be installed \(.*(ECONNREFUSED|bad port)/);
  });

  it("says so when the disk is full, and leaves nothing behind", async () => {
    skipWithout("files as POSIX has them");
    const { around, folder, archives } = await place();
    const program = `
      import { installEncoder } from ${JSON.stringify(path.resolve("src/memory/embedding/encoder-installation.ts"))};
      const archives = ${JSON.stringify(archives)};
      const { signal } = new AbortController();
      const consent = async () => true;
      await installEncoder({ folder: ${JSON.stringify(folder)}, archives, signal, consent })
        .catch((error) => console.log(error.message));`;
    const limited = `ulimit -f 64; exec "$0" --no-warnings --input-type=module -e "$1"`;
    const { stdout } = await promisify(execFile)("bash", ["-c", limited, process.execPath, program]);
    assert.deepEqual([/disk is full/.test(stdout), await left(around)], [true, []]);
  });
});

describe("an installed encoder", () => {
  it("that was damaged since counts as not installed", async () => {
    const { folder, archives, install } = await place();
    await install();
    await assert.rejects(readEncoder(folder));
    assert.equal(await isEncoderInstalled(folder, archives), false);
  });
});
