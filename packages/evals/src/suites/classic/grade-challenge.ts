import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { getErrorMessage } from "../../../../../src/headless/library.ts";
import type { Grade } from "../../suite.ts";
import { copyForGrading, runGradingProgram } from "../grading-program.ts";
import { type BrowserDriver, runDogTest } from "./browser.ts";
import type { Challenge, Ground } from "./challenge.ts";

/** Parts of the machine that grading needs. */
export interface GradingTools {
  readonly python: string;
  readonly browser: BrowserDriver;
}

const SECONDS = 120;

/** Grades a folder like the package's `Challenge.get_scores`: it passes if one of the files has everything required. */
export async function gradeChallenge(
  { added, ground }: Challenge,
  folder: string,
  tools: GradingTools,
  signal: AbortSignal,
): Promise<Grade> {
  const place = await mkdtemp(join(tmpdir(), "autogpt-classic-"));
  const copy = join(place, "temp_folder");
  try {
    await copyForGrading(folder, copy);
    for (const [name, text] of Object.entries(added)) await writeFile(join(copy, name), text);
    if (isBrowserTest({ added })) return await gradeInBrowser(copy, tools);
    const contents = await collectResultTexts(ground, copy, { ...tools, place }, signal);
    const reasons = contents.map((content) => explainMismatch(content, ground));
    if (reasons.includes(undefined)) return { passed: true };
    return { passed: false, why: reasons[0] ?? `There is no file ${ground.files.join(" or ")}.` };
  } catch (error) {
    signal.throwIfAborted();
    return { passed: false, why: getErrorMessage(error) };
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** True for the challenge whose test drives a browser with Selenium. */
export function isBrowserTest({ added }: Pick<Challenge, "added">): boolean {
  return Object.values(added).some((text) => text.includes("selenium"));
}

async function gradeInBrowser(copy: string, { browser }: GradingTools): Promise<Grade> {
  if ("why" in browser) return { passed: false, why: browser.why };
  const why = await runDogTest(browser.launch, join(copy, "animal_list.html"));
  return why === undefined ? { passed: true } : { passed: false, why };
}

/** Each file's content, or its output. A missing file and a failing program are errors, as in the package. */
async function collectResultTexts(
  { files, kind }: Ground,
  copy: string,
  { python, place }: GradingTools & { readonly place: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pattern of files) {
    const names = pattern.startsWith(".") ? await listNamesWithEnding(pattern, copy) : [pattern];
    for (const name of names) {
      const content = await readFile(join(copy, name)).catch(() => undefined);
      if (content === undefined) throw new Error(`There is no file ${name}.`);
      if (kind !== "python") found.push(decodeText(content));
      else found.push(`Output: ${await runPython(python, name, copy, place, signal)}\n`);
    }
  }
  return found;
}

/** Names of the folder with an ending, without hidden ones. */
async function listNamesWithEnding(ending: string, folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(ending) && !name.startsWith("."));
}

/** Decodes strictly, as the package does. */
function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

async function runPython(
  python: string,
  name: string,
  copy: string,
  place: string,
  signal: AbortSignal,
): Promise<string> {
  const env = {
    PATH: `${await createPythonFolder(python, place)}${delimiter}${process.env.PATH ?? ""}`,
    PYTHONUTF8: "1",
  };
  const end = await runGradingProgram({
    file: python,
    args: [name],
    cwd: copy,
    env,
    seconds: SECONDS,
    signal,
  });
  // The package takes the word itself for a failure.
  if (end.code !== 0 || end.stderr.includes("error"))
    throw new Error(`${name} fails: ${[end.stdout, end.stderr, end.trouble ?? ""].join("\n").trim().slice(-600)}`);
  return end.stdout;
}

/** Creates a "python" for tests, since many systems have only "python3". */
async function createPythonFolder(python: string, place: string): Promise<string> {
  const folder = join(place, "bin");
  await mkdir(folder, { recursive: true });
  if (process.platform === "win32") return folder;
  const program = join(folder, "python");
  await writeFile(program, `#!/bin/sh\nexec '${python}' "$@"\n`);
  await chmod(program, 0o755);
  return folder;
}

/** Why a content isn't right; undefined if it is. */
function explainMismatch(content: string, { contains, lacks }: Ground): string | undefined {
  const missing = contains.find((word) => !content.includes(word));
  if (missing !== undefined) return `The result lacks ${JSON.stringify(missing)}.`;
  const wrong = lacks.find((word) => content.includes(word));
  return wrong === undefined ? undefined : `The result has ${JSON.stringify(wrong)}.`;
}
