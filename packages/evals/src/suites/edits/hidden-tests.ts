import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { getErrorMessage } from "../../../../../src/headless/library.ts";
import { copyForGrading, type GradingEnd, runGradingProgram } from "../grading-program.ts";
import { type EditLanguage, findTestProgram } from "./languages.ts";

/** Time limit of each program of a test; the first build with an empty cache may take long. */
const SECONDS = 120;

/** No network, no colors, and text in UTF-8. */
const ENVIRONMENT = {
  GOPROXY: "off",
  GOTOOLCHAIN: "local",
  GOFLAGS: "-mod=mod",
  GOWORK: "off",
  GO111MODULE: "on",
  PYTHONUTF8: "1",
  PYTHONDONTWRITEBYTECODE: "1",
  NODE_NO_WARNINGS: "1",
  TZ: "UTC",
};

/** Runs a task's tests in a copy of the folder, and returns why they don't pass; undefined if they do. */
export async function runHiddenTests(
  language: EditLanguage,
  tests: Readonly<Record<string, string>>,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const program = findTestProgram(language);
  if (program === undefined) return `There is no program for ${language.title} on this machine.`;
  const copy = await mkdtemp(join(tmpdir(), "autogpt-edits-"));
  try {
    await copyForGrading(folder, copy);
    const passed = `passed ${randomUUID()}`;
    await addTests(language, tests, copy, passed);
    const trouble = language.parsesYaml ? await parseYamlFiles(copy) : undefined;
    return trouble ?? (await runTests(language, program, copy, passed, signal));
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function addTests(
  { renderLastStatement }: EditLanguage,
  tests: Readonly<Record<string, string>>,
  copy: string,
  passed: string,
): Promise<void> {
  for (const [path, text] of Object.entries(tests)) {
    const proof = renderLastStatement && path.startsWith("hidden_test.") ? renderLastStatement(passed) : "";
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await writeFile(join(copy, path), text + proof);
  }
}

async function runTests(
  { runs, renderLastStatement }: EditLanguage,
  program: string,
  copy: string,
  passed: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const [index, args] of runs.entries()) {
    const file = args[0] === "{built}" ? join(copy, "hidden_test") : program;
    const rest = args[0] === "{built}" ? args.slice(1) : args;
    const end = await runGradingProgram({
      file,
      args: rest,
      cwd: copy,
      env: ENVIRONMENT,
      seconds: SECONDS,
      signal,
    });
    if (end.code !== 0) return `Its tests fail: ${getOutputEnd(end)}`;
    if (renderLastStatement && index === runs.length - 1 && !end.stdout.includes(passed))
      return "Its tests ended before their last line.";
  }
  return undefined;
}

function getOutputEnd({ stdout, stderr, trouble }: GradingEnd): string {
  return [stdout, stderr, trouble ?? ""].join("\n").trim().slice(-600);
}

/** Writes each YAML file of the copy as JSON beside it; returns a sentence about one that can't be parsed. */
async function parseYamlFiles(copy: string): Promise<string | undefined> {
  const files = await readdir(copy, { recursive: true });
  for (const file of files.filter((name) => /\.ya?ml$/.test(name))) {
    const text = await readFile(join(copy, file), "utf8");
    try {
      await writeFile(join(copy, `${file}.json`), JSON.stringify(parse(text, { merge: true })));
    } catch (error) {
      return `${file} can't be parsed: ${getErrorMessage(error)}`;
    }
  }
  return undefined;
}
