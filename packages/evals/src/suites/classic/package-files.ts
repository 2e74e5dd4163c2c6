import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { findOnPath } from "../../../../../src/headless/library.ts";

/** Files of the package's challenges by path, such as `abilities/read_file/data.json`. */
export type ChallengeFiles = ReadonlyMap<string, string>;

const VERSION = "0.0.10";

const HOW_TO_GET = [
  `The suite "classic" reads its tasks from the Python package agbenchmark ${VERSION}, which is not here.`,
  `Get it with "python3 -m pip download --no-deps agbenchmark==${VERSION} -d agbenchmark",`,
  'then add "--packages agbenchmark". Nothing of it needs to be installed.',
].join(" ");

/**
 * Reads the challenges of agbenchmark: from its wheel or its unpacked package in a folder, or else from where Python
 * finds it. Throws a sentence that says how to get it.
 */
export async function loadChallengeFiles(folder: string | undefined): Promise<ChallengeFiles> {
  const place = folder ?? (await findInstalledFolder());
  if (place === undefined) throw new Error(HOW_TO_GET);
  const names = await readdir(place).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new Error(`There is no folder ${place}. ${HOW_TO_GET}`);
    throw error;
  });
  const versions = names.flatMap((name) => /^agbenchmark-([^-]+)(?:-.*\.whl|\.dist-info)$/.exec(name)?.[1] ?? []);
  const [other] = versions;
  if (other !== undefined && !versions.includes(VERSION))
    throw new Error(`${place} has agbenchmark ${other}, but the suite is made for ${VERSION}.`);
  const wheel = names.find((name) => name.startsWith(`agbenchmark-${VERSION}-`) && name.endsWith(".whl"));
  if (names.includes("agbenchmark")) return loadFromFolder(join(place, "agbenchmark", "challenges"));
  if (wheel !== undefined) return readWheel(await readFile(join(place, wheel)));
  throw new Error(`${place} doesn't have it. ${HOW_TO_GET}`);
}

/** The packages folder in which Python finds it, without importing it. */
async function findInstalledFolder(): Promise<string | undefined> {
  const python = findOnPath(["python3", "python"]);
  if (python === undefined) return undefined;
  const code =
    "import importlib.util; s = importlib.util.find_spec('agbenchmark'); print(s.origin if s and s.origin else '')";
  const { stdout } = await promisify(execFile)(python, ["-c", code], { cwd: dirname(python) }).catch(() => ({
    stdout: "",
  }));
  const origin = stdout.trim();
  return basename(origin) === "__init__.py" ? dirname(dirname(origin)) : undefined;
}

async function loadFromFolder(challenges: string): Promise<ChallengeFiles> {
  const entries = await readdir(challenges, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".pyc"));
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        const below = path.slice(challenges.length + 1).replaceAll(sep, "/");
        return [below, await readFile(path, "utf8")] as const;
      }),
    ),
  );
}

function readWheel(wheel: Uint8Array): ChallengeFiles {
  const start = "agbenchmark/challenges/";
  const entries = Object.entries(unzipSync(wheel, { filter: ({ name }) => name.startsWith(start) }));
  return new Map(
    entries
      .filter(([path]) => !path.endsWith("/"))
      .map(([path, bytes]) => [path.slice(start.length), new TextDecoder().decode(bytes)]),
  );
}
