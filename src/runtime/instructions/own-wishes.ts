import { cutText, escapeInvisible } from "../../core/base/text.ts";
import { COMMAND_ROWS } from "../../schema/command-rows.ts";
import type { Settings } from "../../schema/settings.ts";
import { type FrontMatter, getFieldText } from "./front-matter.ts";

/** The wishes in the front matter of a file of one's own. */
export interface OwnWishes {
  /** Names of tools, as other agents write them; absent: all. */
  readonly tools?: readonly string[];
  readonly withheldTools: readonly string[];
  readonly model: string;
  /** Fields that count for nothing here. */
  readonly ignored: readonly string[];
  readonly isBroken?: true;
}

/** The granted part of such wishes: they narrow a run and never widen it. */
export interface GrantedWishes {
  /** Names of the only commands; absent: all. */
  readonly commands?: readonly string[];
  /** One of the user's own models. */
  readonly model?: string;
  /** Wishes that were left out, each as a sentence for people. */
  readonly remarks: readonly string[];
}

const TOOL_FIELDS = ["tools", "allowed-tools", "allowedTools"];
const WITHHELD_FIELDS = ["disallowedTools", "disallowed-tools"];
/** Fields with which other agents start programs or skip questions. */
const IGNORED = ["hooks", "mcpServers", "mcp-servers", "permissionMode", "permissions", "isolation", "background"];

/** Reads what the front matter asks for. A list of tools that can't be read names none. */
export function readWishes(matter: FrontMatter): OwnWishes {
  const { fields } = matter;
  const given = TOOL_FIELDS.filter((name) => fields.has(name));
  return {
    ...(given.length > 0 ? { tools: given.flatMap((name) => splitTools(getFieldText(matter, name))) } : {}),
    withheldTools: WITHHELD_FIELDS.flatMap((name) => splitTools(getFieldText(matter, name))),
    model: getFieldText(matter, "model"),
    ignored: IGNORED.filter((name) => fields.has(name)),
    ...(matter.isBroken ? { isBroken: true } : {}),
  };
}

/** The names in a list of tools: `Bash(git add:*), Read` or `[read, search/codebase]`. */
function splitTools(text: string): readonly string[] {
  const inner = /^\[(.*)\]$/s.exec(text.trim())?.[1] ?? text;
  return (inner.match(/[^\s,()[\]"']+(?:\([^)]*\))?/g) ?? []).map((name) => name.trim());
}

const READ = ["read_file", "list_files"];
const SEARCH = ["list_files", "search_files", "search_code", "find_symbol", "find_references"];
const WRITE = ["write_to_file", "append_to_file", "create_folder"];
const CHANGE = [...WRITE, "edit_file", "move_file", "delete_file"];
const PROCESSES = ["list_processes", "read_process_output", "stop_process"];
const SHELL = ["execute_shell", "execute_shell_popen", ...PROCESSES, "execute_python_file", "execute_python_code"];
const AGENTS = ["start_agent", "message_agent", "list_agents", "delete_agent"];
const FETCH = ["browse_website", "get_text_summary", "get_hyperlinks"];

/** Our commands for the tools of other agents, by names in lower case. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  ask: ["ask_user"],
  askuserquestion: ["ask_user"],
  bash: SHELL,
  bashoutput: PROCESSES,
  changes: ["git_status", "git_diff"],
  codebase: SEARCH,
  createdirectory: ["create_folder"],
  createfile: WRITE,
  edit: CHANGE,
  editfiles: CHANGE,
  execute: [...SHELL, "run_tests", "run_task"],
  fetch: FETCH,
  findtestfiles: ["search_files"],
  gitcommit: ["git_status", "git_diff", "git_log"],
  glob: ["list_files", "search_files"],
  grep: ["search_files"],
  killshell: PROCESSES,
  ls: ["list_files"],
  listdirectory: ["list_files"],
  multiedit: CHANGE,
  new: WRITE,
  notebookedit: ["edit_file"],
  notebookread: READ,
  problems: ["get_problems"],
  read: READ,
  readfile: READ,
  runcommands: SHELL,
  runinterminal: SHELL,
  runnotebooks: ["run_cell"],
  runtask: ["run_task"],
  runtasks: ["run_task"],
  runtests: ["run_tests"],
  runsubagent: AGENTS,
  agent: AGENTS,
  search: SEARCH,
  shell: SHELL,
  task: AGENTS,
  terminallastcommand: ["get_terminal_output"],
  testfailure: ["run_tests"],
  textsearch: ["search_files"],
  filesearch: ["search_files"],
  todo: ["update_plan"],
  todos: ["update_plan"],
  todowrite: ["update_plan"],
  usages: ["find_references"],
  web: ["web_search", ...FETCH],
  webfetch: FETCH,
  websearch: ["web_search"],
  write: WRITE,
};

/** Sets of VS Code's tools, which come before a tool's name. */
const TOOL_SETS: ReadonlySet<string> = new Set(
  "agent edit execute new read runCommands runNotebooks runTasks search todo vscode web".toLowerCase().split(" "),
);
const OURS: ReadonlySet<string> = new Set(Object.keys(COMMAND_ROWS));

/** Commands that a narrowed run keeps: those that talk with the user and keep its plan. */
const KEPT = ["ask_user", "update_plan", "do_nothing", "task_complete", "read_skill"];
const MAX_NAMED = 8;

/** Our commands for names of tools; also returns the names that mean none of them. A pattern in parentheses narrows nothing here. */
export function mapTools(names: readonly string[]): {
  readonly commands: readonly string[];
  readonly unknown: readonly string[];
} {
  const unknown: string[] = [];
  const commands = names.flatMap((name): readonly string[] => {
    const plain = name.replace(/\(.*$/s, "");
    const lower = plain.toLowerCase();
    if (OURS.has(lower)) return [lower];
    const [set = "", tool] = lower.split("/");
    const word = (tool !== undefined && TOOL_SETS.has(set) ? tool : lower).replace(/[-_]/g, "");
    if (Object.hasOwn(TOOLS, word)) return TOOLS[word] ?? [];
    const server = /^(?:mcp__)?([\w-]+?)(?:__|\/)([\w-]+)$/.exec(plain);
    if (server) return [`${server[1]}__${server[2]}`];
    unknown.push(name);
    return [];
  });
  return { commands: [...new Set(commands)], unknown };
}

/** Grants what narrows a run, and says what is left out. `subject` names the file. */
export function grantWishes(
  { tools, withheldTools, model, ignored, isBroken }: OwnWishes,
  subject: string,
  own: Pick<Settings["model"], "smart" | "fast" | "fallback">,
): GrantedWishes {
  const remarks: string[] = [];
  const listNames = (names: readonly string[]): string =>
    escapeInvisible(names.slice(0, MAX_NAMED).join(", ")).concat(names.length > MAX_NAMED ? ", …" : "");
  if (isBroken) remarks.push(`The front matter of ${subject} isn't YAML, so each of its lines is read by itself.`);
  if (ignored.length > 0)
    remarks.push(
      `${subject} has ${listNames(ignored)}, which counts for nothing: no file starts a program or allows more.`,
    );
  const narrowed = narrowCommands(tools, withheldTools);
  if (narrowed.unknown.length > 0)
    remarks.push(`${subject} names tools that aren't known here: ${listNames(narrowed.unknown)}. They are left out.`);
  const known = findOwnModel(model, own);
  if (model !== "" && model.toLowerCase() !== "inherit" && known === undefined)
    remarks.push(
      `The model ${escapeInvisible(cutText(model, 80))} of ${subject} isn't one of your models, so yours is used.`,
    );
  return {
    ...(narrowed.commands ? { commands: narrowed.commands } : {}),
    ...(known === undefined ? {} : { model: known }),
    remarks,
  };
}

/** `*` stands for all tools, and allows nothing that the run wouldn't allow without it. */
function narrowCommands(
  tools: readonly string[] | undefined,
  withheld: readonly string[],
): { readonly commands?: readonly string[]; readonly unknown: readonly string[] } {
  const isAll = tools === undefined || tools.includes("*");
  const allowed = isAll ? { commands: [...OURS], unknown: [] } : mapTools(tools);
  const removed = mapTools(withheld);
  if (isAll && withheld.length === 0) return { unknown: [] };
  const names = new Set(allowed.commands);
  for (const name of removed.commands) names.delete(name);
  return { commands: [...new Set([...names, ...KEPT])], unknown: [...allowed.unknown, ...removed.unknown] };
}

/** The user's model of this name, in any case; undefined for a model that no setting names. */
function findOwnModel(
  name: string,
  { smart, fast, fallback }: Pick<Settings["model"], "smart" | "fast" | "fallback">,
): string | undefined {
  const wanted = name.toLowerCase();
  return [smart, fast, ...fallback].find((one) => one !== "" && one.toLowerCase() === wanted);
}
