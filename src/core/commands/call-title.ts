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
export function callTitle({ name, args }: Call, outcome?: Outcome): CallTitle {
  const own = Object.hasOwn(TITLES, name) ? TITLES[name] : undefined;
  return own?.(args, outcome) ?? title("UseTool", { tool: name });
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
    ...new Set(calls.flatMap((call) => (call.name === "read_file" ? namesRead(call.args) : []))),
  ];
  const searches = calls.filter(({ name }) => SEARCHES.has(name)).length;
  const lookups = calls.filter(({ name }) => name !== "read_file" && !SEARCHES.has(name)).length;
  if (searches + lookups === 0 && files.length <= MOST_NAMES)
    return { code: "timeline.didReadFiles", parameters: { files } };
  const what = [
    ...counted("common.files", files.length),
    ...counted("timeline.searches", searches),
    ...counted("timeline.lookups", lookups),
  ];
  return { code: "timeline.explored", parameters: { what } };
}

function counted(code: TextCode, count: number): readonly DisplayText[] {
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

function title(name: TitleName, parameters: Readonly<Record<string, TextParameter>> = {}): CallTitle {
  return {
    before: { code: `timeline.to${name}`, parameters },
    after: { code: `timeline.did${name}`, parameters },
  };
}

/** The value of an argument as text; "" without one. */
function value(args: Args, name: string): string {
  const found = args[name];
  return typeof found === "string" || typeof found === "number" ? String(found).trim() : "";
}

/** The first line of an argument. */
function line(args: Args, name: string): string {
  const [first = "", ...rest] = value(args, name).split("\n");
  return rest.length > 0 ? `${first} …` : first;
}

/** An address without its scheme. */
function address(args: Args): string {
  return value(args, "url").replace(/^https?:\/\//, "");
}

function isWorkspace(folder: string): boolean {
  return /^\.?[\\/]*$/.test(folder);
}

/** The files that a call reads. */
function namesRead(args: Args): readonly string[] {
  const more = Array.isArray(args.files) ? args.files : [];
  const names = [args.filename, ...more].map((one) => (isObject(one) ? one.filename : one));
  return names.filter((name) => typeof name === "string");
}

function readTitle(args: Args): CallTitle | undefined {
  const files = namesRead(args);
  const [file = ""] = files;
  if (files.length === 0) return undefined;
  if (files.length > 1) return title("ReadFiles", { files });
  const step = /^output:(\d+)$/.exec(file)?.[1];
  if (step !== undefined) return title("ReadOutput", { step });
  const [from, to] = [value(args, "start_line"), value(args, "end_line")];
  return from === "" || to === "" ? title("ReadFiles", { files }) : title("ReadLines", { file, from, to });
}

function searchTitle(args: Args): CallTitle {
  const [text, path] = [line(args, "pattern"), value(args, "folder")];
  if (text === "") return title("FindFiles", { text: value(args, "glob") });
  return isWorkspace(path) ? title("SearchFiles", { text }) : title("SearchFolder", { text, path });
}

/** A title with the call's file, and one for a call without. */
function fileOr(name: TitleName, other: TitleName): (args: Args) => CallTitle {
  return (args) => {
    const file = value(args, "filename");
    return isWorkspace(file) ? title(other) : title(name, { file });
  };
}

function file(name: TitleName): (args: Args) => CallTitle {
  return (args) => title(name, { file: value(args, "filename") });
}

function text(name: TitleName, argument: string): (args: Args) => CallTitle {
  return (args) => title(name, { text: line(args, argument) });
}

function id(name: TitleName, argument: string): (args: Args) => CallTitle {
  return (args) => title(name, { id: value(args, argument) });
}

function page(name: TitleName): (args: Args) => CallTitle {
  return (args) => title(name, { address: address(args) });
}

function command(name: TitleName): (args: Args) => CallTitle {
  return (args) => title(name, { command: line(args, "command_line") });
}

type Title = (args: Args, outcome?: Outcome) => CallTitle | undefined;

const TITLES: Readonly<Record<string, Title>> = {
  read_file: readTitle,
  write_to_file: (args, outcome) => {
    const isNew = outcome?.status === "done" && outcome.files?.[0]?.change === "created";
    return title(isNew ? "CreateFile" : "WriteFile", { file: value(args, "filename") });
  },
  append_to_file: file("AppendFile"),
  edit_file: file("EditFile"),
  move_file: (args) => title("MoveFile", { from: value(args, "source"), file: value(args, "destination") }),
  delete_file: (args) => title("DeleteFile", { path: value(args, "filename") }),
  create_folder: (args) => title("CreateFolder", { path: value(args, "folder") }),
  list_files: (args) => {
    const path = value(args, "folder");
    return isWorkspace(path) ? title("ListFiles") : title("ListFolder", { path });
  },
  search_files: searchTitle,
  search_code: ({ query, ...args }) => searchTitle({ ...args, pattern: query }),
  read_skill: (args) => (value(args, "name") === "" ? title("ListSkills") : text("ReadSkill", "name")(args)),
  get_problems: fileOr("GetFileProblems", "GetProblems"),
  find_symbol: text("FindSymbol", "symbol"),
  find_references: text("FindReferences", "symbol"),
  analyze_code: fileOr("AnalyzeFile", "AnalyzeCode"),
  improve_code: fileOr("ImproveFile", "ImproveCode"),
  write_tests: fileOr("WriteFileTests", "WriteTests"),
  run_tests: fileOr("RunFileTests", "RunTests"),
  run_task: (args) => (value(args, "name") === "" ? title("ListTasks") : text("RunTask", "name")(args)),
  execute_python_file: file("RunFile"),
  execute_python_code: () => title("RunPython"),
  run_cell: file("RunCell"),
  execute_shell: command("RunCommand"),
  execute_shell_popen: command("StartProcess"),
  list_processes: () => title("ListProcesses"),
  read_process_output: id("ReadProcess", "process"),
  stop_process: id("StopProcess", "process"),
  get_terminal_output: () => title("ReadTerminal"),
  git_status: () => title("GitStatus"),
  git_diff: fileOr("GitFileDiff", "GitDiff"),
  git_log: () => title("GitLog"),
  clone_repository: page("CloneRepository"),
  web_search: text("WebSearch", "query"),
  browse_website: page("ReadPage"),
  get_text_summary: page("SummarizePage"),
  get_hyperlinks: page("ListLinks"),
  call_api: page("CallApi"),
  download_file: (args) => title("DownloadFile", { file: value(args, "filename"), address: address(args) }),
  generate_image: () => title("CreatePicture"),
  read_audio_from_file: file("Transcribe"),
  send_tweet: () => title("PublishPost"),
  memory_add: (args) => title(args.shared === true ? "ShareNote" : "Remember"),
  memory_search: text("SearchMemory", "query"),
  start_agent: text("StartAgent", "name"),
  message_agent: id("MessageAgent", "agent"),
  list_agents: () => title("ListAgents"),
  delete_agent: id("DeleteAgent", "agent"),
  ask_user: text("AskUser", "question"),
  update_plan: () => title("UpdatePlan"),
  find_tools: () => title("FindTools"),
  do_nothing: () => title("DoNothing"),
  task_complete: () => title("Finish"),
};
