import type { Call } from "../../schema/run-values.ts";
import type { DisplayText, TextCode } from "../../texts/display-text.ts";
import type { TextParameter } from "../../texts/writer.ts";
import { isObject } from "../base/json.ts";
import { LOOKS } from "../reply/further-calls.ts";
import type { Outcome } from "./outcome.ts";

/** A call as people read it: "Edit src/a.ts" before it ran, and "Edited src/a.ts" after. */
export interface CallTitle {
  readonly before: DisplayText;
  readonly after: DisplayText;
}

/** The title of a call. A tool without a title of its own is named. */
export function createCallTitle({ name, args }: Call, outcome?: Outcome): CallTitle {
  const own = Object.hasOwn(TITLES, name) ? TITLES[name] : undefined;
  return own?.(args, outcome) ?? createTitle("UseTool", { tool: name });
}

/** True for a tool of others: a plugin's or another extension's. */
export function isForeignTool(name: string): boolean {
  return !Object.hasOwn(TITLES, name);
}

/** True for commands that only look at something; their steps share a line. */
export function isLook({ name }: Call): boolean {
  return LOOKS.has(name);
}

/** The title of calls that only looked: which files, or how much of what. */
export function lookTitle(calls: readonly Call[]): DisplayText {
  const files = [
    ...new Set(calls.flatMap((call) => (call.name === "read_file" ? listReadFiles(call.args) : []))),
  ];
  const searches = calls.filter(({ name }) => SEARCHES.has(name)).length;
  const lookups = calls.filter(({ name }) => name !== "read_file" && !SEARCHES.has(name)).length;
  if (searches + lookups === 0 && files.length <= MOST_NAMES)
    return { code: "timeline.didReadFiles", parameters: { files } };
  const what = [
    ...listCountTexts("common.files", files.length),
    ...listCountTexts("timeline.searches", searches),
    ...listCountTexts("timeline.lookups", lookups),
  ];
  return { code: "timeline.explored", parameters: { what } };
}

function listCountTexts(code: TextCode, count: number): readonly DisplayText[] {
  return count === 0 ? [] : [{ code, parameters: { count } }];
}

/** Names that a line has room for. */
const MOST_NAMES = 3;

const SEARCHES: ReadonlySet<string> = new Set([
  "search_files",
  "search_code",
  "find_symbol",
  "find_references",
]);

type Args = Call["args"];
type TitleName = TextCode extends infer Code
  ? Code extends `timeline.to${infer Name}`
    ? Name
    : never
  : never;

function createTitle(name: TitleName, parameters: Readonly<Record<string, TextParameter>> = {}): CallTitle {
  return {
    before: { code: `timeline.to${name}`, parameters },
    after: { code: `timeline.did${name}`, parameters },
  };
}

/** The value of an argument as text; "" without one. */
function getArgumentText(args: Args, name: string): string {
  const found = args[name];
  return typeof found === "string" || typeof found === "number" ? String(found).trim() : "";
}

/** The first line of an argument. */
function getFirstArgumentLine(args: Args, name: string): string {
  const [first = "", ...rest] = getArgumentText(args, name).split("\n");
  return rest.length > 0 ? `${first} …` : first;
}

/** An address without its scheme. */
function getAddress(args: Args): string {
  return getArgumentText(args, "url").replace(/^https?:\/\//, "");
}

function isWorkspace(folder: string): boolean {
  return /^\.?[\\/]*$/.test(folder);
}

/** The files that a call reads. */
function listReadFiles(args: Args): readonly string[] {
  const more = Array.isArray(args.files) ? args.files : [];
  const names = [args.filename, ...more].map((one) => (isObject(one) ? one.filename : one));
  return names.filter((name) => typeof name === "string");
}

function readTitle(args: Args): CallTitle | undefined {
  const files = listReadFiles(args);
  const [file = ""] = files;
  if (files.length === 0) return undefined;
  if (files.length > 1) return createTitle("ReadFiles", { files });
  const step = /^output:(\d+)$/.exec(file)?.[1];
  if (step !== undefined) return createTitle("ReadOutput", { step });
  const [from, to] = [getArgumentText(args, "start_line"), getArgumentText(args, "end_line")];
  return from === "" || to === ""
    ? createTitle("ReadFiles", { files })
    : createTitle("ReadLines", { file, from, to });
}

function searchTitle(args: Args): CallTitle {
  const [text, path] = [getFirstArgumentLine(args, "pattern"), getArgumentText(args, "folder")];
  if (text === "") return createTitle("FindFiles", { text: getArgumentText(args, "glob") });
  return isWorkspace(path)
    ? createTitle("SearchFiles", { text })
    : createTitle("SearchFolder", { text, path });
}

/** A title with the call's file, and one for a call without. */
function createOptionalFileTitle(name: TitleName, other: TitleName): (args: Args) => CallTitle {
  return (args) => {
    const file = getArgumentText(args, "filename");
    return isWorkspace(file) ? createTitle(other) : createTitle(name, { file });
  };
}

function createFileTitle(name: TitleName): (args: Args) => CallTitle {
  return (args) => createTitle(name, { file: getArgumentText(args, "filename") });
}

function createTextTitle(name: TitleName, argument: string): (args: Args) => CallTitle {
  return (args) => createTitle(name, { text: getFirstArgumentLine(args, argument) });
}

function createIdTitle(name: TitleName, argument: string): (args: Args) => CallTitle {
  return (args) => createTitle(name, { id: getArgumentText(args, argument) });
}

function createPageTitle(name: TitleName): (args: Args) => CallTitle {
  return (args) => createTitle(name, { address: getAddress(args) });
}

function createCommandTitle(name: TitleName): (args: Args) => CallTitle {
  return (args) => createTitle(name, { command: getFirstArgumentLine(args, "command_line") });
}

type Title = (args: Args, outcome?: Outcome) => CallTitle | undefined;

const TITLES: Readonly<Record<string, Title>> = {
  read_file: readTitle,
  write_to_file: (args, outcome) => {
    const isNew = outcome?.status === "done" && outcome.files?.[0]?.change === "created";
    return createTitle(isNew ? "CreateFile" : "WriteFile", { file: getArgumentText(args, "filename") });
  },
  append_to_file: createFileTitle("AppendFile"),
  edit_file: createFileTitle("EditFile"),
  move_file: (args) =>
    createTitle("MoveFile", {
      from: getArgumentText(args, "source"),
      file: getArgumentText(args, "destination"),
    }),
  delete_file: (args) => createTitle("DeleteFile", { path: getArgumentText(args, "filename") }),
  create_folder: (args) => createTitle("CreateFolder", { path: getArgumentText(args, "folder") }),
  list_files: (args) => {
    const path = getArgumentText(args, "folder");
    return isWorkspace(path) ? createTitle("ListFiles") : createTitle("ListFolder", { path });
  },
  search_files: searchTitle,
  search_code: ({ query, ...args }) => searchTitle({ ...args, pattern: query }),
  read_skill: (args) =>
    getArgumentText(args, "name") === ""
      ? createTitle("ListSkills")
      : createTextTitle("ReadSkill", "name")(args),
  get_problems: createOptionalFileTitle("GetFileProblems", "GetProblems"),
  find_symbol: createTextTitle("FindSymbol", "symbol"),
  find_references: createTextTitle("FindReferences", "symbol"),
  analyze_code: createOptionalFileTitle("AnalyzeFile", "AnalyzeCode"),
  improve_code: createOptionalFileTitle("ImproveFile", "ImproveCode"),
  write_tests: createOptionalFileTitle("WriteFileTests", "WriteTests"),
  run_tests: createOptionalFileTitle("RunFileTests", "RunTests"),
  run_task: (args) =>
    getArgumentText(args, "name") === ""
      ? createTitle("ListTasks")
      : createTextTitle("RunTask", "name")(args),
  execute_python_file: createFileTitle("RunFile"),
  execute_python_code: () => createTitle("RunPython"),
  run_cell: createFileTitle("RunCell"),
  execute_shell: createCommandTitle("RunCommand"),
  execute_shell_popen: createCommandTitle("StartProcess"),
  list_processes: () => createTitle("ListProcesses"),
  read_process_output: createIdTitle("ReadProcess", "process"),
  stop_process: createIdTitle("StopProcess", "process"),
  get_terminal_output: () => createTitle("ReadTerminal"),
  git_status: () => createTitle("GitStatus"),
  git_diff: createOptionalFileTitle("GitFileDiff", "GitDiff"),
  git_log: () => createTitle("GitLog"),
  clone_repository: createPageTitle("CloneRepository"),
  web_search: createTextTitle("WebSearch", "query"),
  browse_website: createPageTitle("ReadPage"),
  get_text_summary: createPageTitle("SummarizePage"),
  get_hyperlinks: createPageTitle("ListLinks"),
  call_api: createPageTitle("CallApi"),
  download_file: (args) =>
    createTitle("DownloadFile", { file: getArgumentText(args, "filename"), address: getAddress(args) }),
  generate_image: () => createTitle("CreatePicture"),
  read_audio_from_file: createFileTitle("Transcribe"),
  send_tweet: () => createTitle("PublishPost"),
  memory_add: (args) => createTitle(args.shared === true ? "ShareNote" : "Remember"),
  memory_search: createTextTitle("SearchMemory", "query"),
  start_agent: createTextTitle("StartAgent", "name"),
  message_agent: createIdTitle("MessageAgent", "agent"),
  list_agents: () => createTitle("ListAgents"),
  delete_agent: createIdTitle("DeleteAgent", "agent"),
  ask_user: createTextTitle("AskUser", "question"),
  update_plan: () => createTitle("UpdatePlan"),
  find_tools: () => createTitle("FindTools"),
  do_nothing: () => createTitle("DoNothing"),
  task_complete: () => createTitle("Finish"),
};
