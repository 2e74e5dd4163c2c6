import { createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import { type Outcome, setOutcomeText } from "../../core/commands/outcome.ts";
import type { Python, Shell } from "../../core/ports/programs.ts";
import type { TestReports } from "../../core/ports/tests.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { createFailure } from "../outcomes.ts";
import { createTouch } from "../places.ts";
import {
  type DescribeOutput,
  describeLinePlace,
  isStillThere,
  runLine,
  type ShellDependencies,
} from "../shell/run-line.ts";
import { buildShellCommandLine, quoteArguments } from "../shell/run-python.ts";
import { renderTestReport } from "./test-report-text.ts";
import { listTestScripts, MANIFEST_GLOB, type Manifest, type ReadManifest, type TestScript } from "./test-scripts.ts";

/** Dependencies of running the tests that a project's manifest names. */
export interface ScriptDependencies extends ShellDependencies {
  readonly shell: Shell;
  readonly reports: TestReports;
  readonly python?: Python | undefined;
}

/** Tests to run. */
export interface TestRequest {
  readonly folder: ResolvedPath;
  /** The call names the folder. */
  readonly isInFolder: boolean;
  /** The file to test; absent for all. */
  readonly file?: ResolvedPath;
  /** Further arguments of the runner. */
  readonly args: readonly string[];
  /** Name of the runner, where the project has several. */
  readonly runner?: string;
  readonly seconds: number;
}

/** A call that runs the tests with the command line that the folder's manifest names. */
export async function prepareScriptCall(
  parts: ScriptDependencies,
  request: TestRequest,
  signal: AbortSignal,
): Promise<PreparedCall | Outcome> {
  const { workspace, shell, outputs, reports } = parts;
  const { folder, file, runner, seconds } = request;
  const scripts = await listTestScripts(createManifestReader(workspace, folder));
  const script = runner === undefined ? scripts[0] : scripts.find((one) => one.runner === runner);
  if (!script) return createFailure(await explainMissingScript(workspace, request, scripts, signal));
  const line = await buildTestLine(parts, script, request);
  const how = `Runs with ${shell.name} in ${folder.path}`;
  const describePlace = () => describeLinePlace(shell, line, { how, by: shell.name, folder, seconds });
  const shown = describePlace();
  return createPreparedCall(
    "run",
    `${line}\n\n${explainScript(script)}${shown.text}`,
    async (running) => {
      const describe = await createTestResultReader(reports, folder.path);
      const target = { text: line, cwd: folder.path, folder: folder.label, seconds };
      const outcome = await runLine({ shell, outputs, reports }, target, running, describe);
      return addOtherRunners(outcome, script, scripts);
    },
    {
      shell: line,
      captions: shown.captions,
      cwd: folder.path,
      touches: [...script.manifests.map(({ place }) => place), ...(file ? [file] : [])].map((place) =>
        createTouch(place, "read"),
      ),
      fresh: async () =>
        describePlace().text === shown.text &&
        (await isStillThere(workspace, folder)) &&
        (await areUnchanged(workspace, script.manifests)),
    },
  );
}

/** Creates a reader for the results of tests that are about to run in a folder. */
export async function createTestResultReader(reports: TestReports, cwd: string): Promise<DescribeOutput> {
  const expected = await reports.expect(cwd);
  return async (output, hasFailed) => {
    const report = await expected.read(output);
    return report && renderTestReport(report, output, cwd, hasFailed);
  };
}

/** Formats a path as a program in the folder sees it. Adds `./` to a name that begins like a flag. */
function formatRelativePath(folder: string, path: string): string {
  const [next = ""] = path.slice(folder.length, folder.length + 1);
  if (!path.startsWith(folder) || !/[\\/]/.test(next)) return path;
  const name = path.slice(folder.length + 1);
  return name.startsWith("-") ? `./${name}` : name;
}

/** The manifests of a folder, each read once. */
function createManifestReader(workspace: Workspace, folder: ResolvedPath): ReadManifest {
  const known = new Map<string, Promise<Manifest | undefined>>();
  const read = async (name: string): Promise<Manifest | undefined> => {
    const place = await workspace.locate(`${folder.path}/${name}`).catch(() => undefined);
    if (place?.kind !== "file") return undefined;
    const content = await workspace.read(place).catch(() => undefined);
    return content?.kind === "text" ? { place, text: content.file.text } : undefined;
  };
  return (name) => {
    const found = known.get(name) ?? read(name);
    known.set(name, found);
    return found;
  };
}

async function areUnchanged(workspace: Workspace, manifests: readonly Manifest[]): Promise<boolean> {
  const now = await Promise.all(manifests.map(({ place }) => workspace.locate(place.path).catch(() => undefined)));
  return manifests.every(({ place }, at) => now[at]?.version === place.version);
}

async function buildTestLine(
  { shell, python }: ScriptDependencies,
  { command, separator }: TestScript,
  { folder, file, args }: TestRequest,
): Promise<string> {
  const line =
    "line" in command ? command.line : await buildModuleLine(command.pythonModule, shell, python, folder.path);
  const all = [...(file ? [formatRelativePath(folder.path, file.path)] : []), ...args];
  const more = all.length > 0 && separator !== undefined ? [separator] : [];
  return [line, ...more, ...quoteArguments(all, shell.name)].join(" ");
}

/** Builds the line that runs a module with the workspace's Python. A Python in a container lacks the project's packages. */
async function buildModuleLine(
  name: string,
  { name: shellName }: Shell,
  python: Python | undefined,
  cwd: string,
): Promise<string> {
  const start = python?.problem === undefined ? await python?.start(name, cwd) : undefined;
  await start?.clear?.();
  const [interpreter = "python3"] = start && !start.confined ? start.words : [];
  return buildShellCommandLine([interpreter, "-m", name], shellName);
}

/** Explains where the line is from, and which script it runs. */
function explainScript({ manifests, script }: TestScript): string {
  const [manifest] = manifests;
  if (!manifest) return "";
  const { label, unsaved } = manifest.place;
  if (unsaved === true)
    return `Found by ${label}. It has edits in the editor that aren't saved; what runs is the file on disk. `;
  return script === undefined ? `Found by ${label}. ` : `Script in ${label}:\n${script}\n\n`;
}

async function explainMissingScript(
  workspace: Workspace,
  { folder, runner }: TestRequest,
  scripts: readonly TestScript[],
  signal: AbortSignal,
): Promise<string> {
  const [first] = scripts;
  if (runner !== undefined && first)
    return `There are no ${runner} tests in "${folder.label}". Use runner ${formatRunnerChoices(scripts)}.`;
  const found = await workspace.list(folder, { glob: MANIFEST_GLOB, limit: 20, signal });
  const folders = [...new Set(found.labels.map((label) => label.replace(/\/?[^/]*$/, "")))].filter(
    (label) => label !== "" && label !== folder.label,
  );
  const where =
    folders.length === 0
      ? ""
      : ` Other projects are in ${folders.map((one) => JSON.stringify(one)).join(", ")}: name one as folder.`;
  return `No test command was found in "${folder.label}": no manifest there has one.${where || " Look at how the project is tested, and run that with execute_shell."}`;
}

/** Names further runners, whose tests this call didn't run. */
function addOtherRunners(outcome: Outcome, script: TestScript, scripts: readonly TestScript[]): Outcome {
  const others = scripts.filter((one) => one !== script);
  if (others.length === 0 || outcome.status !== "done") return outcome;
  const note = `[Only the ${script.runner} tests ran. For others call it again with runner ${formatRunnerChoices(others)}.]`;
  return setOutcomeText(outcome, `${outcome.output}\n${note}`);
}

function formatRunnerChoices(scripts: readonly TestScript[]): string {
  return scripts.map(({ runner }) => JSON.stringify(runner)).join(" or ");
}
