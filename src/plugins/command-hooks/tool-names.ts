import type { Json } from "../../core/base/json.ts";

/** A command's names in other programs, best first, and those of its arguments. */
interface ToolRow {
  readonly claude: readonly string[];
  readonly vscode: readonly string[];
  /** Its names in classic AutoGPT. */
  readonly classic?: readonly string[];
  /** For each argument, its names in Claude Code and in VS Code. */
  readonly args: Readonly<Record<string, readonly [claude: string, vscode: string]>>;
}

const FILE: ToolRow["args"] = { filename: ["file_path", "filePath"] };
const TEXT: ToolRow["args"] = { ...FILE, contents: ["content", "content"] };
const SHELL: ToolRow = {
  claude: ["Bash"],
  vscode: ["run_in_terminal", "runInTerminal", "runTerminalCommand"],
  classic: ["execute_command"],
  args: { command_line: ["command", "command"] },
};
const WRITE: ToolRow = {
  claude: ["Write"],
  vscode: ["create_file", "createFile", "editFiles"],
  classic: ["write_file"],
  args: TEXT,
};
const SEARCH: ToolRow = {
  claude: ["Grep"],
  vscode: ["grep_search", "textSearch", "search"],
  classic: ["search"],
  args: { pattern: ["pattern", "query"], folder: ["path", "path"] },
};

const CHANGE = { claude: ["Edit", "Write"], vscode: ["editFiles"] };
const FETCH = { claude: ["WebFetch"], vscode: ["fetch_webpage", "fetch"] };

const TOOLS: Readonly<Record<string, ToolRow>> = {
  execute_shell: SHELL,
  execute_shell_popen: { ...SHELL, classic: [] },
  execute_python_code: { ...SHELL, classic: ["execute_python"], args: {} },
  execute_python_file: { ...SHELL, classic: [], args: {} },
  run_cell: { ...SHELL, classic: [], args: {} },
  run_tests: { ...SHELL, vscode: [...SHELL.vscode, "runTests"], classic: [], args: {} },
  run_task: { ...SHELL, vscode: [...SHELL.vscode, "run_task", "runTasks"], classic: [], args: {} },
  write_to_file: WRITE,
  append_to_file: {
    claude: ["Edit", "Write"],
    vscode: ["replace_string_in_file", "editFiles"],
    classic: ["append_file"],
    args: TEXT,
  },
  edit_file: {
    claude: ["Edit", "MultiEdit"],
    vscode: ["replace_string_in_file", "multi_replace_string_in_file", "editFiles"],
    args: { ...FILE, search: ["old_string", "oldString"], replace: ["new_string", "newString"] },
  },
  delete_file: { ...CHANGE, vscode: ["deleteFile", "delete_file"], args: FILE },
  move_file: { ...CHANGE, args: { destination: ["file_path", "filePath"] } },
  generate_image: { ...CHANGE, args: FILE },
  write_tests: { ...CHANGE, args: { target: ["file_path", "filePath"] } },
  create_folder: { claude: [], vscode: ["create_directory", "createDirectory"], args: {} },
  read_file: { claude: ["Read"], vscode: ["read_file", "readFile"], args: FILE },
  read_audio_from_file: { claude: ["Read"], vscode: ["read_file", "readFile"], args: FILE },
  list_files: {
    claude: ["LS", "Glob"],
    vscode: ["list_dir", "listDirectory", "file_search", "fileSearch"],
    args: { folder: ["path", "path"], glob: ["pattern", "query"] },
  },
  search_files: SEARCH,
  search_code: {
    ...SEARCH,
    vscode: ["semantic_search", "codebase", ...SEARCH.vscode],
    classic: [],
    args: { query: ["pattern", "query"], folder: ["path", "path"] },
  },
  get_problems: { claude: [], vscode: ["get_errors", "problems"], args: {} },
  call_api: { ...FETCH, args: {} },
  get_hyperlinks: { ...FETCH, args: {} },
  get_text_summary: { ...FETCH, args: {} },
  download_file: { ...FETCH, claude: ["WebFetch", "Write"], args: FILE },
  clone_repository: { ...FETCH, claude: ["WebFetch", "Bash"], args: {} },
  browse_website: {
    ...FETCH,
    classic: ["browse"],
    args: { question: ["prompt", "query"] },
  },
  web_search: {
    claude: ["WebSearch"],
    vscode: ["vscode-websearchforcopilot_webSearch"],
    classic: ["google"],
    args: {},
  },
  start_agent: {
    claude: ["Task", "Agent"],
    vscode: ["runSubagent"],
    classic: ["start_gpt_agent"],
    args: { task: ["description", "description"] },
  },
  update_plan: { claude: ["TodoWrite"], vscode: ["manage_todo_list", "todos"], args: {} },
  ask_user: { claude: ["AskUserQuestion"], vscode: ["askQuestions"], args: {} },
  task_complete: {
    claude: [],
    vscode: ["task_complete"],
    classic: ["finish", "goals_accomplished"],
    args: {},
  },
};

/** A call as a hook receives it, under the first name that its matcher selects. */
export interface HookTool {
  readonly name: string;
  readonly input: Json;
}

/**
 * A call with the names that a matcher expects; undefined if the matcher doesn't select it. A matcher for everything gets the names that
 * the file's own program uses.
 */
export function findToolCall(
  matcher: string,
  isClaudes: boolean,
  command: string,
  args: Json,
  shell?: string,
): HookTool | undefined {
  const { claude, vscode, classic = [], args: names } = getToolRow(command);
  const family = isClaudes ? [...claude, ...vscode] : [...vscode, ...claude];
  const all = [...family, command, ...classic];
  const name = all.find((one) => isMatcherFor(matcher, one));
  if (name === undefined) return undefined;
  const column = claude.includes(name) ? 0 : vscode.includes(name) ? 1 : undefined;
  if (column === undefined) return { name, input: args };
  const renamed = Object.entries(args).map(([key, value]) => [names[key]?.[column] ?? key, value]);
  const line = shell !== undefined && isShellRow(command) ? { command: shell } : {};
  return { name, input: { ...line, ...Object.fromEntries(renamed) } };
}

/** Converts arguments that a hook returned from its names to the command's. */
export function translateArguments(command: string, { name }: HookTool, input: Json): Json {
  const { claude, vscode, args: names } = getToolRow(command);
  const column = claude.includes(name) ? 0 : vscode.includes(name) ? 1 : undefined;
  if (column === undefined) return input;
  const ours = new Map(Object.entries(names).map(([key, theirs]) => [theirs[column], key]));
  // The line that runs a Python file or a test is made from the arguments, so it can't be replaced.
  const given = Object.entries(input).filter(([key]) => !(key === "command" && isShellRow(command) && !ours.has(key)));
  return Object.fromEntries(given.map(([key, value]) => [ours.get(key) ?? key, value]));
}

function isShellRow(command: string): boolean {
  return getToolRow(command).claude.includes("Bash");
}

/** The row of a command. Claude Code has special names for MCP servers' tools. */
function getToolRow(command: string): ToolRow {
  const row = Object.hasOwn(TOOLS, command) ? TOOLS[command] : undefined;
  return row ?? { claude: command.includes("__") ? [`mcp__${command}`] : [], vscode: [], args: {} };
}

const NAMES = /^[\w\s,|-]*$/;

/** Repeated groups, and many repetitions, can take longer than any run. */
const SLOW = /\)[+*{]|(?:[+*{].*?){5}/s;

/** True for a text that is a valid matcher. */
export function isMatcher(matcher: string): boolean {
  if (matcher === "*" || NAMES.test(matcher)) return true;
  return matcher.length <= 500 && !SLOW.test(matcher) && parsePattern(matcher) !== undefined;
}

/** True if a matcher selects this name. It can be one or several exact names, a regular expression, or everything. */
export function isMatcherFor(matcher: string, name: string): boolean {
  if (matcher.trim() === "" || matcher === "*") return true;
  if (NAMES.test(matcher)) return matcher.split(/[,|]/).some((one) => one.trim() === name);
  return parsePattern(matcher)?.test(name) ?? false;
}

function parsePattern(matcher: string): RegExp | undefined {
  try {
    return new RegExp(matcher);
  } catch {
    return undefined;
  }
}
