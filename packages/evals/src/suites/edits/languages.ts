import { findOnPath } from "../../../../../src/headless/library.ts";

/** A program of a test: found on the search path by the first of its names, or Node itself. */
type TestProgram = readonly string[] | "node";

/** How the tests of a language run in a copy of the folder. */
export interface EditLanguage {
  readonly name: string;
  /** Its name for people, with the program that its tests need. */
  readonly title: string;
  readonly needs: TestProgram;
  /** Arguments of one run of the program after the other; `{built}` alone in place of them runs what was built. */
  readonly runs: readonly (readonly string[])[];
  /** The statement at the end of a test that proves it was reached; absent where the exit code proves it. */
  readonly renderLastStatement?: (passed: string) => string;
  /** YAML files are parsed for the tests, as `FILE.json`. */
  readonly parsesYaml?: true;
}

const PYTHON = {
  needs: ["python3", "python"],
  runs: [["-B", "hidden_test.py"]],
  renderLastStatement: (passed: string) => `print("${passed}")\n`,
} as const;
const NODE = {
  needs: "node",
  renderLastStatement: (passed: string) => `console.log("${passed}");\n`,
} as const;

/** The languages of the suite; each has a file of tasks with its name. */
export const EDIT_LANGUAGES: readonly EditLanguage[] = [
  { name: "javascript", title: "JavaScript (Node)", ...NODE, runs: [["hidden_test.mjs"]] },
  {
    name: "typescript",
    title: "TypeScript (Node 22.6 or newer)",
    ...NODE,
    runs: [["--experimental-strip-types", "--no-warnings", "hidden_test.mts"]],
  },
  { name: "python", title: "Python", ...PYTHON },
  {
    name: "bash",
    title: "Bash",
    needs: ["bash"],
    runs: [["hidden_test.sh"]],
    renderLastStatement: (passed) => `echo "${passed}"\n`,
  },
  { name: "sql", title: "SQL (SQLite in Python)", ...PYTHON },
  { name: "html", title: "HTML and CSS (parsed with Python)", ...PYTHON },
  { name: "config", title: "JSON, YAML and INI (Python)", ...PYTHON, parsesYaml: true },
  {
    name: "c",
    title: "C (gcc or clang)",
    needs: ["cc", "gcc", "clang"],
    runs: [["-std=c11", "-w", "-o", "hidden_test", "hidden_test.c", "-lm"], ["{built}"]],
  },
  {
    name: "go",
    title: "Go",
    needs: ["go"],
    runs: [["test", "-count=1", "-vet=off", "./..."]],
  },
  {
    name: "rust",
    title: "Rust (rustc)",
    needs: ["rustc"],
    runs: [["--edition", "2021", "-A", "warnings", "-o", "hidden_test", "hidden_test.rs"], ["{built}"]],
  },
];

/** The path of the program that the tests need; undefined if this machine has none, or one that is too old. */
export function findTestProgram({ needs, runs }: EditLanguage): string | undefined {
  if (needs !== "node") return findOnPath(needs);
  const flags = runs.flat().filter((arg) => arg.startsWith("--"));
  return flags.every((flag) => process.allowedNodeEnvironmentFlags.has(flag)) ? process.execPath : undefined;
}
