import { isObject, type Json, tryJson } from "../../../../../src/headless/library.ts";
import type { ChallengeFiles } from "./package-files.ts";

/** A challenge of the package, as far as grading reads it. */
export interface Challenge {
  /** Path of its folder below `challenges`. */
  readonly path: string;
  readonly task: string;
  /** Files that exist before the run. `added` has files that the grader adds after it. */
  readonly given: Readonly<Record<string, string>>;
  readonly added: Readonly<Record<string, string>>;
  readonly ground: Ground;
}

/** The expected result of a challenge. */
export interface Ground {
  /** Names of files, or endings such as `.txt` for all files of the folder with it. */
  readonly files: readonly string[];
  /** Reads the files, runs them with Python and reads what they print, or asks a model. */
  readonly kind: "file" | "python" | "llm";
  readonly contains: readonly string[];
  readonly lacks: readonly string[];
}

/** The challenges with a `data.json`, ordered by path; the package doesn't run drafts either. */
export function readChallenges(files: ChallengeFiles): readonly Challenge[] {
  const ending = "/data.json";
  const paths = [...files.keys()].filter((path) => path.endsWith(ending)).sort();
  return paths.map((path) => readChallenge(path.slice(0, -ending.length), files));
}

function readChallenge(path: string, files: ChallengeFiles): Challenge {
  const data = tryJson(files.get(`${path}/data.json`) ?? "");
  const ground = isObject(data) ? data.ground : undefined;
  if (!isObject(data) || typeof data.task !== "string" || !isObject(ground))
    throw new Error(`The challenge ${path} has no task or no ground.`);
  return {
    path,
    task: data.task,
    given: selectFolderFiles(files, `${path}/artifacts_in/`),
    added: selectFolderFiles(files, `${path}/custom_python/`),
    ground: readGround(path, ground),
  };
}

function readGround(path: string, ground: Json): Ground {
  const kind = isObject(ground.eval) ? ground.eval.type : undefined;
  if (kind !== "file" && kind !== "python" && kind !== "llm")
    throw new Error(`The challenge ${path} is graded in an unknown way: ${String(kind)}.`);
  return {
    kind,
    files: listTexts(ground.files),
    contains: listTexts(ground.should_contain),
    lacks: listTexts(ground.should_not_contain),
  };
}

/** Files directly in a folder, by name; the package doesn't copy subfolders. */
function selectFolderFiles(files: ChallengeFiles, folder: string): Record<string, string> {
  const below = [...files].filter(([path]) => path.startsWith(folder));
  return Object.fromEntries(
    below.map(([path, text]) => [path.slice(folder.length), text] as const).filter(([name]) => !name.includes("/")),
  );
}

function listTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
