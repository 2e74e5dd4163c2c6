import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { readFolderText } from "../../graders.ts";
import type { EvalTask, Grade, GradedRun, Suite, SuiteOptions } from "../../suite.ts";
import { runHiddenTests } from "./hidden-tests.ts";
import { applyOracleCalls, findLostLine, listKeptLines } from "./kept-lines.ts";
import { EDIT_LANGUAGES, type EditLanguage, findTestProgram } from "./languages.ts";
import { type EditTaskText, readEditTasks } from "./task-texts.ts";

/** In the packaged program, task files are beside it. */
const IS_PACKAGED = !import.meta.url.endsWith(".ts");

const MAX_STEPS = 20;

/** 100 edits of small projects in 10 languages, graded by hidden tests and by what must stay as it was. */
export const EDITS: Suite = {
  name: "edits",
  description: "100 edits of small projects in 10 languages, graded by hidden tests.",
  loadTasks: async ({ seed, count }: SuiteOptions) => {
    const tasks = await Promise.all(EDIT_LANGUAGES.map(loadLanguageTasks));
    return count === undefined ? tasks.flat() : shuffleTasks(tasks, seed).slice(0, count);
  },
};

async function loadLanguageTasks(language: EditLanguage): Promise<readonly EvalTask[]> {
  const file = IS_PACKAGED ? `./edits-${language.name}.txt` : `./tasks/${language.name}.txt`;
  const text = await readFile(new URL(file, import.meta.url), "utf8");
  return readEditTasks(text).map((task) => createEditTask(language, task));
}

function createEditTask(language: EditLanguage, text: EditTaskText): EvalTask {
  const { name, task, files, oracle } = text;
  return {
    name: `${language.name}-${name}`,
    task,
    files,
    oracle,
    maxSteps: MAX_STEPS,
    ...(findTestProgram(language) === undefined
      ? { skip: `Its tests need ${language.title}, which is not on this machine.` }
      : {}),
    grade: (run) => grade(language, text, run),
  };
}

async function grade(
  language: EditLanguage,
  { files, tests, oracle }: EditTaskText,
  { folder, signal }: Pick<GradedRun, "folder" | "signal">,
): Promise<Grade> {
  const after = applyOracleCalls(files, oracle);
  for (const [path, before] of Object.entries(files)) {
    const found = await readFolderText(folder, path);
    const why =
      found === undefined ? `There is no file ${path}.` : explainUnwantedChange(path, before, after[path], found);
    if (why !== undefined) return { passed: false, why };
  }
  const why = await runHiddenTests(language, tests, folder, signal);
  return why === undefined ? { passed: true } : { passed: false, why };
}

/** Why a file is not as it should be apart from the edit; `after` is absent if nothing in it may change. */
function explainUnwantedChange(
  path: string,
  before: string,
  after: string | undefined,
  found: string,
): string | undefined {
  if (after === undefined) return found === before ? undefined : `${path} should be as it was.`;
  const lost = findLostLine(listKeptLines(before, after), found);
  return lost === undefined ? undefined : `${path} lost a line that should stay: ${JSON.stringify(lost)}`;
}

/** One task of each language after the other, chosen by the seed. */
function shuffleTasks(tasks: readonly (readonly EvalTask[])[], seed: number): readonly EvalTask[] {
  const computeSortKey = ({ name }: EvalTask): string => hash("sha256", `${seed} ${name}`);
  const shuffled = tasks.map((same) =>
    same.toSorted((one, other) => (computeSortKey(one) < computeSortKey(other) ? -1 : 1)),
  );
  const most = Math.max(...shuffled.map(({ length }) => length));
  return Array.from({ length: most }, (_, index) => shuffled.flatMap((same) => same.slice(index, index + 1))).flat();
}
