import { readdir, realpath, stat } from "node:fs/promises";
import { basename, delimiter, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import { isAtOrBelow, isBelow } from "../../disk/below.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { openLinkedFile, readBounded } from "../../disk/plain-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { formatStamp } from "../../disk/stamp.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { isGlobMatch } from "../../safety/paths/glob.ts";
import type { ShellLanguage } from "../../safety/policy/shell-facts.ts";
import { findReadCheck, getProgramFacts } from "../../safety/programs/table.ts";
import { listManifestNames } from "../../safety/shell/executed-files.ts";
import { listInlineCode } from "../../safety/shell/inline-code.ts";
import { isReason, UNKNOWN, type Word } from "../../safety/shell/reading.ts";
import { describeCall, type ProgramCall } from "../../safety/shell/script.ts";
import { scanWord } from "../../safety/shell/word.ts";
import {
  findPythonImports,
  findScriptImports,
  type LoadedPaths,
  listFoldersUpward,
  listModuleFiles,
  listPythonModuleFiles,
} from "./started-modules.ts";

/** A command line or a program's words, as started. */
export interface StartedProgram {
  /** A shell line, or else `words`. */
  readonly line?: string;
  readonly words?: readonly string[];
  readonly cwd: string;
  /** Variables that are set for it. */
  readonly env: Readonly<Record<string, string>>;
  /** Further files that it reads. */
  readonly files?: readonly string[];
}

/** Tracked folders, and the parser for lines. */
export interface StartPlace {
  readonly folder: string;
  readonly home: string;
  /** The search path. */
  readonly path?: string | undefined;
  /** Absent where lines can't be parsed. */
  loadLanguage?: (() => Promise<ShellLanguage>) | undefined;
}

/** The files of the workspace and of the user's home that programs may start or load. */
export interface StartedFiles {
  /** Content by file name: a hash, the names in a folder, or empty for a missing file that would be loaded. */
  readonly contents: ReadonlyMap<string, string>;
  /** Paths of the files that exist outside of the workspace folder. */
  readonly outside: readonly string[];
  /** False if programs may load files that aren't listed. */
  readonly isAllKnown: boolean;
  /** File names that matter in any folder, because programs look for them beside the files they are given. */
  readonly anywhere: readonly string[];
  /** True while the metadata of those files is unchanged. Doesn't read any content. */
  isUntouched(): Promise<boolean>;
}

const MOST_FILES = 2_000;
const MOST_BYTES = 20_000_000;
const MOST_LINES = 400;
const MOST_SCRIPT_BYTES = 2_000_000;
const DEEPEST = 12;

/** The known changes of a run to files. */
export interface RunChanges {
  /** It has run programs, which may have changed any file. */
  readonly isOpen: boolean;
  /** Base names of the files that the run's own commands changed. */
  readonly names: ReadonlySet<string>;
  /** Time of the last change, in milliseconds since 1970. */
  readonly lastAt: number;
}

/** True if a run may have changed files that programs load and whose content isn't tracked. */
export function mayBeChanged(
  { isAllKnown, anywhere }: StartedFiles,
  { isOpen, names }: Omit<RunChanges, "lastAt">,
): boolean {
  if (!isOpen && names.size === 0) return false;
  if (!isAllKnown) return true;
  return anywhere.length > 0 && (isOpen || [...names].some((name) => anywhere.some((glob) => isGlobMatch(glob, name))));
}

/** Determines the files that programs start or load, from command lines, scripts and imports. Runs nothing. */
export async function readStartedFiles(programs: readonly StartedProgram[], place: StartPlace): Promise<StartedFiles> {
  const reader = new StartReader(place);
  for (const program of programs) await reader.add(program);
  return reader.getResult();
}

/** Context of a line: its folders, its variables, and the folders with installed programs that take precedence. */
interface LineContext {
  readonly places: readonly string[];
  readonly variables: ReadonlyMap<string, string>;
  readonly bins: readonly string[];
  readonly depth: number;
  /** The text might not be a command. */
  readonly isGuess?: true;
}

class StartReader {
  private readonly place: StartPlace;
  private readonly contents = new Map<string, string>();
  private readonly outside = new Set<string>();
  private readonly stamps = new Map<string, string>();
  private readonly anywhere = new Set<string>();
  private readonly read = new Set<string>();
  private bytes = 0;
  private lines = 0;
  private isAllKnown = true;

  constructor(place: StartPlace) {
    this.place = place;
  }

  async add({ line, words = [], cwd, env, files = [] }: StartedProgram): Promise<void> {
    const { folder, home } = this.place;
    const known = { HOME: home, PWD: cwd, CLAUDE_PROJECT_DIR: folder, ...env };
    const context = { places: [cwd], variables: new Map(Object.entries(known)), bins: [], depth: 0 };
    for (const file of files) await this.readTrackedFile(file);
    await this.readPreloads(context);
    // A program that is started without a shell reads its words as a shell would read them quoted.
    await this.readLine(line ?? words.map(quoteWord).join(" "), context);
  }

  getResult(): StartedFiles {
    const { contents, stamps, isAllKnown } = this;
    return {
      contents: new Map([...contents].sort(([one], [other]) => (one < other ? -1 : 1))),
      outside: [...this.outside],
      isAllKnown,
      anywhere: [...this.anywhere],
      isUntouched: async () => {
        const now = await Promise.all([...stamps.keys()].map(readStamp));
        return [...stamps.values()].every((stamp, index) => stamp === now[index]);
      },
    };
  }

  /** Parses a line of a shell. If parsing fails, the line is still searched for file names. */
  private async readLine(text: string, context: LineContext): Promise<void> {
    if (++this.lines > MOST_LINES || context.depth > DEEPEST) return this.giveUp();
    const [folder = this.place.folder] = context.places;
    const plain = fillVariables(
      text.replaceAll(/\$\((?:pwd|git rev-parse --show-toplevel)\)|`pwd`/g, "$PWD"),
      new Map([...context.variables, ["PWD", folder]]),
    );
    const language = await this.place.loadLanguage?.();
    const reading = language?.reader.read(plain);
    if (reading?.kind !== "script" || language?.dialect === "powershell") {
      await this.readNamedFiles(plain, context);
      return this.giveUp();
    }
    const inner = this.extendContext(reading.commands, context);
    for (const command of reading.commands) await this.readCommand(command, inner);
    // Not all of these are commands, so that unknown names say nothing.
    for (const command of reading.wrapped) await this.readCommand(command, { ...inner, isGuess: true });
  }

  /** Adds the folders that a line changes to, and the variables that it sets, to the context. */
  private extendContext(commands: readonly ProgramCall[], context: LineContext): LineContext {
    const variables = new Map(context.variables);
    const places = new Set(context.places);
    for (const command of commands) {
      for (const assignment of command.assignments) {
        const [name, value] = splitAssignment(this.resolveWord(assignment, { ...context, variables }));
        if (name === undefined) continue;
        // A variable with two values could have either.
        if (value === undefined || (variables.has(name) && variables.get(name) !== value)) variables.delete(name);
        else variables.set(name, value);
      }
      if (!/^(?:cd|pushd|chdir)$/.test(command.name)) continue;
      const to = command.words.slice(1).find(({ text }) => !text.startsWith("-"));
      const target = to && this.resolveWord(to, { ...context, variables });
      if (target === undefined) this.giveUp();
      else for (const from of [...places]) places.add(resolve(from, target));
    }
    return { ...context, variables, places: [...places].slice(0, 8) };
  }

  private async readCommand(command: ProgramCall, context: LineContext): Promise<void> {
    const [first, ...args] = command.words;
    await this.readPreloads({ ...context, variables: addAssignments(command, context, this) });
    if (!first) return;
    const program = this.resolveWord(first, context);
    if (program === undefined || first.isPattern || first.isBraced) {
      await this.readFileWords([first], context, "program");
      return this.giveUp();
    }
    const name = basename(normalizeSlashes(program))
      .toLowerCase()
      .replace(/\.(?:exe|cmd|bat)$/, "");
    const isInFolder = /[\\/]/.test(program);
    if (isInFolder ? await this.readProgramFile(program, context) : await this.readInstalledProgram(program, context))
      return;
    await this.readArguments(name, args, command, { ...context, depth: context.depth + 1 });
  }

  /** Reads a program by its path. False if it's a system program. */
  private async readProgramFile(program: string, context: LineContext): Promise<boolean> {
    const paths = context.places.map((from) => resolve(from, program));
    for (const path of paths) await this.readScript(path, context, undefined);
    return paths.some((path) => this.isOurs(path));
  }

  /** Finds a program by name, with those installed in the workspace first. True if one was found there. */
  private async readInstalledProgram(name: string, context: LineContext): Promise<boolean> {
    const { path = process.env.PATH ?? "", folder } = this.place;
    const searched = (context.variables.get("PATH") ?? path)
      .split(delimiter)
      .filter((entry) => !isAbsolute(entry) || isAtOrBelow(entry, folder))
      .flatMap((entry) => context.places.map((from) => resolve(from, entry || ".")));
    let isThere = false;
    for (const bin of [...context.bins, ...searched]) {
      const file = join(bin, name);
      isThere = (await this.readScript(file, context, undefined)) || isThere;
    }
    return isThere;
  }

  /** Reads the arguments of a program for the files that it starts or loads. */
  private async readArguments(
    name: string,
    args: readonly Word[],
    command: ProgramCall,
    context: LineContext,
  ): Promise<void> {
    if (SHELLS.test(name) || name === "source" || name === ".") return this.readShellArguments(name, args, context);
    if (SCRIPT_RUNNERS.test(name)) return this.readRunnerArguments(args, command, context);
    if (PYTHONS.test(name)) return this.readPythonArguments(args, command, context);
    if (PACKAGE_TOOLS.test(name)) return this.readPackageToolArguments(name, args, context);
    if (MAKES.test(name)) return this.make(args, context);
    if (name === "git") await this.readFiles([".git/config", ".git/hooks"], context);
    if (WRAPPERS.test(name)) return this.checkWrapper(args, context);
    if (FILTERS.test(name)) await this.readFlagFiles(FILE_FLAGS, args, context);
    if (BUILT_IN.test(name)) return;
    if (PLAIN_PROGRAMS.test(name)) {
      if (args.some(({ text }) => STARTING_FLAGS.test(text)) || mayStartPrograms(name, args)) this.giveUp();
      return;
    }
    const configs = CONFIGS.find(({ programs }) => programs.test(name));
    await this.readFiles(listManifestNames(name), context);
    if (configs) return this.readSettings(configs.names, context);
    const check = findReadCheck(name, "bash");
    if (check && !isReason(check(args, command.input))) return;
    const isFilter = FILTERS.test(name);
    await this.readFileWords(args, context, isFilter ? "data" : "program");
    // A filter runs code of its own arguments alone.
    if (!context.isGuess && !isFilter) this.giveUp();
  }

  /** Checks that the command after a wrapper has a known name. The command itself is read separately. */
  private checkWrapper(args: readonly Word[], context: LineContext): void {
    const named = args
      .map((word) => this.resolveWord(word, context) ?? "")
      .filter((value) => !/^(?:-|\d|\w+=)/.test(value));
    // Another folder, or words that are put together.
    if (args.some(({ text }) => /^(?:-[CSD]|-v?S|--chdir|--split-string|--chroot)/.test(text))) this.giveUp();
    const isKnown =
      named.length === 0 || named.slice(0, 3).some((value) => isKnownProgram(basename(normalizeSlashes(value))));
    if (!isKnown) this.giveUp();
  }

  /** Files that flags name, as in `-f rules` and `-frules`. */
  private async readFlagFiles(flag: RegExp, args: readonly Word[], context: LineContext): Promise<void> {
    const values = args.map((word) => this.resolveWord(word, context));
    const named = values.flatMap((value = "", at) => {
      if (flag.test(value)) return [values[at + 1]];
      const [, name = "", attached] = /^(--[\w-]+)=(.+)$/.exec(value) ?? /^(-[a-zA-Z])(.+)$/.exec(value) ?? [];
      return attached !== undefined && flag.test(name) ? [attached] : [];
    });
    if (named.includes(undefined)) this.giveUp();
    for (const name of named)
      for (const from of context.places)
        if (name !== undefined) await this.readScript(resolve(from, name), context, "data");
  }

  private async readShellArguments(name: string, args: readonly Word[], context: LineContext): Promise<void> {
    const isSource = name === "source" || name === ".";
    await this.readFlagFiles(/^--(?:rcfile|init-file)$/, args, context);
    const values = args.filter(({ text }) => !/^[-+]/.test(text));
    const isLine = !isSource && args.some(({ text }) => /^-\w*c\w*$/.test(text));
    if (isLine) return;
    const [script] = values;
    if (!script) {
      if (isSource || args.length > 0) this.giveUp();
      return;
    }
    await this.readOperand(script, context, "sh");
  }

  /** Reads arguments of Node and similar runners: preloads, inline code, and the first named module. */
  private async readRunnerArguments(args: readonly Word[], command: ProgramCall, context: LineContext): Promise<void> {
    const [from = this.place.folder] = context.places;
    await this.readFiles(
      ["package.json", "tsconfig.json", "deno.json", "deno.jsonc", "bunfig.toml", ".npmrc"],
      context,
    );
    const values = args.map((word) => this.resolveWord(word, context));
    if (values.includes(undefined)) await this.readFileWords(args, context, "module");
    await this.readNamedModules(values, context);
    const codes = listInlineCode(command);
    for (const code of codes)
      await this.readLoadedModules(await findScriptImports(code, from, this.modulePlace), context);
    if (codes.length > 0) return;
    const at = args.findIndex(
      ({ text }, index) => !text.startsWith("-") && !TAKES_VALUE.test(args[index - 1]?.text ?? ""),
    );
    const script = args[at];
    if (!script) {
      if (!args.every(({ text }) => /^(?:-v|-h|--version|--help)$/.test(text))) this.giveUp();
      return;
    }
    if (args.slice(0, at).some(({ text }) => /^--(?:test|run|watch|env-file|build|experimental-config)/.test(text)))
      this.giveUp();
    if (/^(?:run|x|test|task|install|exec|eval)$/.test(script.text)) {
      await this.readFileWords(args.slice(at + 1), context, "module");
      return this.readPackageToolArguments("bun", args.slice(at), context);
    }
    await this.readOperand(script, context, "js");
  }

  /** Reads modules that flags, or a variable with flags, name. */
  private async readNamedModules(flags: readonly (string | undefined)[], context: LineContext): Promise<void> {
    for (const [at, flag = ""] of flags.entries()) {
      const [, attached] = /^--?(?:r|require|import|loader|experimental-loader|preload)=(.+)$/.exec(flag) ?? [];
      const name =
        attached ??
        (/^(?:-r|--require|--import|--loader|--experimental-loader|--preload)$/.test(flag) ? flags[at + 1] : undefined);
      if (name === undefined) continue;
      for (const from of context.places) {
        const code = `import(${JSON.stringify(name)})`;
        await this.readLoadedModules(await findScriptImports(code, from, this.modulePlace), context);
        for (const path of await listModuleFiles(resolve(from, name), this.modulePlace))
          await this.readScript(path, context, "js");
      }
    }
  }

  private async readPythonArguments(args: readonly Word[], command: ProgramCall, context: LineContext): Promise<void> {
    const roots = this.listPythonRoots(context);
    const codes = listInlineCode(command);
    for (const code of codes)
      await this.readLoadedModules(
        findPythonImports(code, context.places[0] ?? "", [...context.places, ...roots]),
        context,
      );
    const at = args.findIndex(({ text }) => /^-\w*m/.test(text));
    if (at !== -1) {
      const attached = /^-\w*?m(.+)$/.exec(args[at]?.text ?? "")?.[1];
      const name = attached ?? (args[at + 1] && this.resolveWord(args[at + 1] as Word, context));
      if (name === undefined) return this.giveUp();
      const all = [...context.places, ...roots];
      await this.readLoadedModules({ paths: listPythonModuleFiles(name, all), searched: all, isOpen: false }, context);
      return this.readFiles(listManifestNames(name), context);
    }
    if (codes.length > 0) return;
    const script = args.find(
      ({ text }, index) => !text.startsWith("-") && !/^-[WX]$/.test(args[index - 1]?.text ?? ""),
    );
    if (script) return this.readOperand(script, context, "py");
    if (!args.every(({ text }) => /^(?:-V|-h|--version|--help)$/.test(text)) || args.length === 0) this.giveUp();
  }

  private listPythonRoots({ variables, places }: LineContext): readonly string[] {
    const named = variables.get("PYTHONPATH") ?? process.env.PYTHONPATH ?? "";
    return named
      .split(delimiter)
      .filter(Boolean)
      .flatMap((root) => places.map((from) => resolve(from, root)));
  }

  /** npm, npx, pnpm, yarn and bun: the scripts of the package, or an installed program. */
  private async readPackageToolArguments(name: string, args: readonly Word[], context: LineContext): Promise<void> {
    const values = args.map((word) => this.resolveWord(word, context));
    const folders = context.places.flatMap((at) => listFoldersUpward(at, this.place.folder));
    const bins = folders.map((folder) => join(folder, "node_modules/.bin"));
    for (const folder of folders)
      await this.readFiles([...new Set([...listManifestNames("npm"), ...listManifestNames(name)])], {
        ...context,
        places: [folder],
      });
    const inner = { ...context, bins: [...bins, ...context.bins], depth: context.depth + 1 };
    const [action, ...rest] = values.filter((value) => value !== undefined && !value.startsWith("-"));
    const isRunner = /^(?:npx|bunx|pnpx)$/.test(name);
    const isExec = isRunner || /^(?:exec|x|dlx)$/.test(action ?? "");
    const isRun = /^run(?:-script)?$/.test(action ?? "");
    // The rest belongs to the tool or to the script.
    const named = (isExec && !isRunner) || isRun ? rest[0] : action;
    const own = values.slice(0, values.indexOf(named) + 1);
    if (own.length === 0 || own.some((value) => value === undefined || PACKAGE_FLAGS.test(value))) this.giveUp();
    if (isExec) return this.readInstalledTool(isRunner ? action : rest[0], args, inner);
    const script = isRun ? rest[0] : action;
    if (
      script === undefined ||
      /^(?:i|ci|install|add|update|up|rebuild|publish|pack|link|create|init|version|audit)$/.test(script)
    )
      return this.giveUp();
    for (const folder of folders) {
      const text = await this.readText(join(folder, "package.json"));
      const scripts = text === undefined ? undefined : parseScripts(text);
      const lines = [`pre${script}`, script, `post${script}`].flatMap((one) => scripts?.[one] ?? []);
      for (const line of lines) await this.readLine(line, { ...inner, places: [folder] });
      if (lines.length > 0) return;
    }
    if (name !== "npm") await this.readInstalledProgram(script, inner);
  }

  /** A program of a package that is installed in the workspace, or else elsewhere. */
  private async readInstalledTool(
    tool: string | undefined,
    args: readonly Word[],
    context: LineContext,
  ): Promise<void> {
    if (tool === undefined) return this.giveUp();
    const from = context.places[0] ?? this.place.folder;
    const named = tool.replace(/(?<=.)@[^/]*$/, "");
    const program = named.replace(/^@[^/]+\//, "");
    const loaded = await findScriptImports(`import(${JSON.stringify(named)})`, from, this.modulePlace);
    await this.readLoadedModules({ ...loaded, isOpen: false }, context);
    const at = args.findIndex((word) => this.resolveWord(word, context) === tool);
    const command = describeCall({ words: args, assignments: [], redirects: [] });
    if (await this.readInstalledProgram(program, context)) await this.readProgramSettings(program, context);
    else await this.readArguments(program, args.slice(at + 1), command, context);
  }

  /** Reads the settings of an installed program whose settings are known to load more files. */
  private async readProgramSettings(program: string, context: LineContext): Promise<void> {
    const configs = CONFIGS.find(({ programs }) => programs.test(program));
    await this.readFiles(listManifestNames(program), context);
    if (configs) await this.readSettings(configs.names, context);
    else if (listManifestNames(program).length > 0) this.giveUp();
  }

  /** Reads settings files by name. The names matter in every folder. */
  private async readSettings(names: readonly string[], context: LineContext): Promise<void> {
    for (const name of names) this.anywhere.add(name);
    for (const from of context.places)
      for (const name of names)
        for (const path of name.includes("*") ? await this.findMatchingPaths(join(from, name)) : [join(from, name)])
          await this.readTrackedFile(path);
  }

  /** Reads makefiles and the lines that they run. */
  private async make(args: readonly Word[], context: LineContext): Promise<void> {
    const values = args.map((word) => this.resolveWord(word, context));
    const named = values.flatMap((value = "", at) => [
      ...(/^(?:-f|--file|--makefile|-C|--directory|-I)$/.test(value) ? [values[at + 1] ?? ""] : []),
      ...(/^(?:-[fCI]|--(?:file|makefile|directory)=)(.+)$/.exec(value)?.slice(1) ?? []),
    ]);
    if (values.includes(undefined)) this.giveUp();
    const places = [...context.places, ...named.flatMap((name) => context.places.map((from) => resolve(from, name)))];
    for (const from of places)
      for (const path of [from, ...["GNUmakefile", "makefile", "Makefile"].map((one) => join(from, one))]) {
        const text = await this.readTrackedFile(path);
        if (text === undefined) continue;
        if (/^\s*-?s?include\b|\$\(shell\b|^\s*(?:export\s+)?SHELL\s*[:?]?=|\$\(eval\b/m.test(text)) this.giveUp();
        for (const [, recipe = ""] of text.matchAll(/^\t[@+-]*([^\n]*(?:\\\n[^\n]*)*)/gm))
          await this.readLine(recipe.replaceAll("$$", "$").replaceAll(/\$[({](\w+)[)}]/g, "$$$1"), {
            ...context,
            places: [dirname(path)],
          });
      }
  }

  /** Reads modules and scripts that variables preload into every program of a kind. */
  private async readPreloads(context: LineContext): Promise<void> {
    const { variables, places } = context;
    const getVariable = (name: string): string => variables.get(name) ?? "";
    await this.readNamedModules(getVariable("NODE_OPTIONS").split(/\s+/), context);
    for (const name of ["BASH_ENV", "ENV", "PYTHONSTARTUP", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "GIT_CONFIG_GLOBAL"])
      for (const path of getVariable(name)
        .split(/[\s:]+/)
        .filter(Boolean))
        for (const from of places) await this.readScript(resolve(from, path), context, "sh");
    for (const name of ["PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB"])
      for (const path of getVariable(name).split(delimiter).filter(Boolean))
        for (const from of places) await this.listNames(resolve(from, path));
    if (["PERL5OPT", "RUBYOPT", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND"].some((name) => getVariable(name) !== ""))
      this.giveUp();
  }

  /** Reads a script argument, which may be one of several files. */
  private async readOperand(word: Word, context: LineContext, kind: ScriptKind): Promise<void> {
    const found = await this.readFileWords([word], context, kind === "js" ? "module" : "program", kind);
    if (!found) this.giveUp();
  }

  /** Reads files named by words. False if the value of a word is unknown. */
  private async readFileWords(
    words: readonly Word[],
    context: LineContext,
    as: "program" | "module" | "data",
    kind?: ScriptKind,
  ): Promise<boolean> {
    let isKnown = true;
    for (const word of words) {
      const value = this.resolveWord(word, context);
      // The placeholder of find and xargs.
      if (value === undefined || value.includes("{}")) {
        isKnown = false;
        continue;
      }
      for (const text of word.isBraced ? expandBraces(value) : [value])
        for (const from of context.places) {
          const path = resolve(from, text);
          const paths = word.isPattern ? await this.findMatchingPaths(path) : [path];
          for (const one of paths) {
            if (as === "data") continue;
            const files = as === "module" ? await listModuleFiles(one, this.modulePlace) : [one];
            for (const file of files) await this.readScript(file, context, kind);
            if (kind === "py") await this.readFiles(["__main__.py"], { ...context, places: [one] });
          }
        }
    }
    return isKnown;
  }

  /** Paths that match a pattern with wildcards. New matches count as changes, too. */
  private async findMatchingPaths(path: string): Promise<readonly string[]> {
    const { folder, home } = this.place;
    const root = [folder, home].find((one) => isBelow(path, one));
    if (root === undefined) return [];
    let paths: readonly string[] = [root];
    for (const part of normalizeSlashes(relative(root, path)).split("/")) {
      const next = await Promise.all(
        paths.map(async (at) => {
          if (!/[*?[]/.test(part)) return [join(at, part)];
          return (await this.listNames(at, part)).map((name) => join(at, name));
        }),
      );
      paths = next.flat().slice(0, MOST_MATCHES);
    }
    return paths;
  }

  /** Reads words that name existing files, even if the line that uses them can't be parsed. */
  private async readNamedFiles(text: string, context: LineContext): Promise<void> {
    const words: Word[] = [];
    for (let at = 0; at < text.length && words.length < MOST_WORDS; ) {
      const scanned = scanWord(text, at);
      if (scanned && scanned.end > at) words.push(scanned.word);
      at = scanned && scanned.end > at ? scanned.end : at + 1;
    }
    const inner = this.extendContext([describeCall({ words: [], assignments: words, redirects: [] })], context);
    for (const word of words) {
      const value = this.resolveWord(word, inner);
      const texts = value === undefined ? [] : word.isBraced ? expandBraces(value) : [value];
      for (const name of texts.flatMap((one) => [one, ...one.split(/[\s=:'"`$(){}-]+/)]))
        for (const from of inner.places) await this.readNamedFile(resolve(from, name), word.isPattern, inner);
    }
  }

  /** Reads an existing file. A missing one isn't tracked, because the name may be an ordinary word. */
  private async readNamedFile(path: string, isPattern: boolean, context: LineContext): Promise<void> {
    if (!this.isOurs(path)) return;
    for (const one of isPattern ? await this.findMatchingPaths(path) : [path])
      if ((await stat(one).catch(() => undefined))?.isFile()) await this.readScript(one, context, "sh");
  }

  /** Reads a script and the files that it loads. True if the script exists. */
  private async readScript(path: string, context: LineContext, as: ScriptKind | undefined): Promise<boolean> {
    const text = await this.readTrackedFile(path);
    if (text === undefined) return false;
    const key = `${path}\0${as}\0${context.places.join("\0")}`;
    if (this.read.has(key)) return true;
    this.read.add(key);
    const real = await realpath(path).catch(() => path);
    const kind = findScriptKind(real, text) ?? as;
    const inner = { ...context, depth: context.depth + 1 };
    const from = dirname(real);
    if (inner.depth > DEEPEST || text.length > MOST_SCRIPT_BYTES) this.giveUp();
    else if (kind === "sh") await this.readLine(fillOwnFolder(text, from), inner);
    else if (kind === "js") await this.readLoadedModules(await findScriptImports(text, from, this.modulePlace), inner);
    else if (kind === "py")
      await this.readLoadedModules(findPythonImports(text, from, [from, ...this.listPythonRoots(inner)]), inner);
    else if (kind !== "binary" && kind !== "data") this.giveUp();
    return true;
  }

  private async readLoadedModules({ paths, searched, isOpen }: LoadedPaths, context: LineContext): Promise<void> {
    if (isOpen) this.giveUp();
    for (const folder of new Set(searched)) await this.listNames(folder);
    for (const path of new Set(paths))
      await this.readScript(path, context, path.endsWith(".json") ? "data" : undefined);
  }

  private async readFiles(names: readonly string[], { places }: LineContext): Promise<void> {
    for (const from of places) for (const name of names) await this.readTrackedFile(join(from, name));
  }

  /** Names in a folder that match the wildcards; without wildcards, the names of modules. */
  private async listNames(folder: string, wildcards?: string): Promise<readonly string[]> {
    if (!this.isOurs(folder)) return [];
    const fitting = wildcards === undefined ? MODULES : readWildcards(wildcards);
    const kept = (await readdir(folder).catch(() => [])).filter((name) => fitting.test(name)).sort();
    this.contents.set(`${this.formatPath(folder)}/${wildcards ?? ""}/`, sha256(kept.join("\0")));
    this.stamps.set(folder, await readStamp(folder));
    return kept;
  }

  /** Reads a file of the workspace or the home, and tracks it from now on, even if it doesn't exist. */
  private async readTrackedFile(path: string): Promise<string | undefined> {
    if (!this.isOurs(path)) return undefined;
    const name = this.formatPath(path);
    if (this.contents.has(name)) return this.readText(path);
    if (this.contents.size >= MOST_FILES) {
      this.giveUp();
      return undefined;
    }
    this.stamps.set(path, await readStamp(path));
    const { hash, text, real } = await readContent(path);
    this.bytes += text?.length ?? 0;
    if (this.bytes > MOST_BYTES) this.giveUp();
    const leadsTo = real !== undefined && real !== path ? `${this.formatPath(real)} ` : "";
    this.contents.set(name, `${leadsTo}${hash}`);
    if (text !== undefined && !isBelow(path, this.place.folder)) this.outside.add(path);
    return text;
  }

  private async readText(path: string): Promise<string | undefined> {
    return this.isOurs(path) ? (await readContent(path)).text : undefined;
  }

  private get modulePlace() {
    return { folder: this.place.folder, readText: (path: string) => this.readText(path) };
  }

  private isOurs(path: string): boolean {
    return isBelow(path, this.place.folder) || path === this.place.folder || isBelow(path, this.place.home);
  }

  private formatPath(path: string): string {
    const { folder, home } = this.place;
    if (isAtOrBelow(path, folder)) return normalizeSlashes(relative(folder, path)) || ".";
    return isBelow(path, home) ? `~/${normalizeSlashes(relative(home, path))}` : path;
  }

  /** The text of a word with its variables filled in; undefined if any part is unknown. */
  resolveWord({ text, variables, isHome }: Word, context: Pick<LineContext, "variables">): string | undefined {
    const parts = text.split(UNKNOWN);
    if (parts.length - 1 !== variables.length) return undefined;
    const values = variables.map((name) => context.variables.get(name));
    if (values.includes(undefined)) return undefined;
    const whole = parts.map((part, at) => part + (values[at] ?? "")).join("");
    return isHome ? whole.replace(/^~(?=\/|$)/, this.place.home) : whole;
  }

  private giveUp(): void {
    this.isAllKnown = false;
  }
}

function isKnownProgram(name: string): boolean {
  const known = [SHELLS, SCRIPT_RUNNERS, PYTHONS, PACKAGE_TOOLS, MAKES, BUILT_IN, PLAIN_PROGRAMS, WRAPPERS];
  return (
    known.some((names) => names.test(name)) ||
    CONFIGS.some(({ programs }) => programs.test(name)) ||
    getProgramFacts(name).reads !== undefined ||
    /\.\w+$/.test(name)
  );
}

type ScriptKind = "sh" | "js" | "py" | "data" | "binary";

const SHELLS = /^(?:sh|bash|dash|zsh|ksh|ash|mksh|rbash)$/;
const SCRIPT_RUNNERS = /^(?:node|nodejs|deno|bun|tsx|ts-node)$/;
const PYTHONS = /^(?:python|pypy)[\d.]*$/;
const PACKAGE_TOOLS = /^(?:npm|npx|pnpm|pnpx|yarn|bunx)$/;
const MAKES = /^g?make$/;
const BUILT_IN =
  /^(?:cd|pushd|popd|exit|return|break|continue|shift|set|unset|export|readonly|local|declare|typeset|read|test|\[|\[\[|true|false|:|echo|printf|umask|wait|type|hash|shopt|let|times|ulimit|jobs|fg|bg|disown|getopts|mapfile|readarray|eval|trap|if|then|else|fi|for|do|done|while|until|case|esac)$/;
/** Programs that can also read their code from a file, and the flags for that. */
const FILTERS = /^(?:g?sed|[gmn]?awk|jq|yq|grep|egrep|rg|bc|dc)$/;
const FILE_FLAGS = /^(?:-\w*[fiLl]|--(?:file|from-file|include|load|library-path|exec))$/;
/** Programs that run a command, which is read on its own. */
const WRAPPERS =
  /^(?:env|nohup|time|timeout|nice|ionice|stdbuf|setsid|xargs|sudo|doas|caffeinate|chronic|find|exec|command|builtin)$/;
/** Programs that load no code of a workspace: they read, write and format text. */
const PLAIN_PROGRAMS =
  /^(?:jq|yq|gofmt|goimports|rustfmt|shfmt|shellcheck|clang-format|ruff|black|isort|taplo|stylua|mkdir|rm|rmdir|cp|mv|touch|chmod|tee|ln|mktemp|sleep|kill|logger|notify-send|terminal-notifier|osascript|say|afplay|paplay|curl|wget|gh|date|uname|whoami|id|hostname|tput|clear|sed|awk|gawk|mawk|grep|egrep|fgrep|rg|cat|head|tail|cut|tr|sort|uniq|wc|basename|dirname|realpath|readlink|ls|stat|sha256sum|md5sum|base64|comm|diff|cmp|paste|seq|rev|tac|nl|column|which|file)$/;

/** Flags with a program that one of those starts. */
const STARTING_FLAGS = /^--(?:compress-program|pre|hostname-bin|to-command|use-compress-program|rsh)(?:=|$)/;

/** True for a script of sed or awk that may start programs. Changes in place start none. */
function mayStartPrograms(name: string, args: readonly Word[]): boolean {
  const check = /^(?:sed|[gm]?awk)$/.test(name) ? findReadCheck(name, "bash") : undefined;
  const reading = args.filter(({ text }) => !/^(?:-i|--in-place)/.test(text));
  return check !== undefined && isReason(check(reading));
}

/** Settings files that programs look for beside their input files, and that may be or name code. */
const CONFIGS: readonly { readonly programs: RegExp; readonly names: readonly string[] }[] = [
  {
    programs: /^(?:prettier|prettierd|pretty-quick)$/,
    names: ["package.json", "package.yaml", ".prettierrc", ".prettierrc.*", "prettier.config.*", ".editorconfig"],
  },
  {
    programs: /^(?:eslint|eslint_d)$/,
    names: ["package.json", ".eslintrc", ".eslintrc.*", "eslint.config.*", "tsconfig.json"],
  },
  {
    programs: /^stylelint$/,
    names: ["package.json", ".stylelintrc", ".stylelintrc.*", "stylelint.config.*"],
  },
  {
    programs: /^(?:markdownlint|markdownlint-cli2)$/,
    names: ["package.json", ".markdownlint.*", ".markdownlint-cli2.*", ".markdownlintrc"],
  },
  { programs: /^biome$/, names: ["biome.json", "biome.jsonc", "*.grit"] },
];

const PACKAGE_FLAGS = /^(?:-w|--workspaces?|--prefix|-C|--cwd|--dir|-c|--call|--script-shell|--node-options)(?:=|$)/;

const TAKES_VALUE =
  /^(?:-r|-e|-p|-c|--require|--import|--loader|--eval|--print|--conditions|--config|--env-file|--preload)$/;

const MOST_WORDS = 500;
const MOST_MATCHES = 200;
const MODULES = /\.(?:py|pyc|pyd|so|pth|js|cjs|mjs|rb|pm)$/;

/** A part of a path with wildcards, as a regular expression. */
function readWildcards(part: string): RegExp {
  const source = part.replaceAll(/\[[!^]?[^\]]*\]|[*?]|[^*?[]+|\[/g, (one) => {
    if (one === "*") return ".*";
    if (one === "?") return ".";
    if (/^\[.*\]$/s.test(one)) return one.replace(/^\[!/, "[^").replaceAll("\\", "\\\\");
    return one.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  try {
    return new RegExp(`^${source}$`, "s");
  } catch {
    return /^/;
  }
}

function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quoteIfNeeded(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : path.replaceAll(/[^\w./-]/g, (character) => `\\${character}`);
}

/** Fills known variables and the home folder into a line, as the shell would. */
function fillVariables(line: string, variables: ReadonlyMap<string, string>): string {
  const parts = /'[^']*'|"(?:[^"\\]|\\.)*"|(?:[^'"\\]|\\.)+|[\s\S]/gs;
  return line.replaceAll(parts, (part) => {
    if (part.startsWith("'")) return part;
    const escapeValue = (value: string): string =>
      part.startsWith('"') ? value.replaceAll(/["\\$`]/g, "\\$&") : quoteIfNeeded(value);
    const filled = part.replaceAll(
      /(?<!\\)\$(?:(\w+)|\{(\w+)\})/g,
      (whole, bare: string | undefined, braced: string | undefined) => {
        const value = variables.get(bare ?? braced ?? "");
        return value === undefined ? whole : escapeValue(value);
      },
    );
    const home = variables.get("HOME");
    return part.startsWith('"') || home === undefined
      ? filled
      : filled.replaceAll(/(?<=^|[\s=:])~(?=\/)/g, () => quoteIfNeeded(home));
  });
}

/** Replaces the usual expressions for a script's own folder by that folder. */
function fillOwnFolder(text: string, folder: string): string {
  const own = quoteIfNeeded(folder);
  return text
    .replace(/^#!.*/, "")
    .replaceAll(
      /\$\((?:cd\s+)?"?\$\(\s*dirname\s+(?:--\s+)?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?\s*\)"?\s*(?:&&|;)\s*pwd(?:\s+-P)?\s*\)/g,
      () => own,
    )
    .replaceAll(
      /\$\(\s*dirname\s+(?:--\s+)?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?\s*\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\}/g,
      () => own,
    );
}

function splitAssignment(text: string | undefined): readonly [string | undefined, string | undefined] {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text ?? "") ?? [];
  return [name, value];
}

/** The variables of a command with those that it sets for itself. */
function addAssignments(
  { assignments }: ProgramCall,
  context: LineContext,
  reader: Pick<StartReader, "resolveWord">,
): ReadonlyMap<string, string> {
  if (assignments.length === 0) return context.variables;
  const own = assignments.map((word) => splitAssignment(reader.resolveWord(word, context)));
  return new Map([
    ...context.variables,
    ...own.flatMap(([name, value]) => (name === undefined || value === undefined ? [] : [[name, value] as const])),
  ]);
}

function expandBraces(text: string): readonly string[] {
  const [whole, before = "", list = "", after = ""] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(text) ?? [];
  if (whole === undefined) return [text];
  return list
    .split(",")
    .flatMap((part) => expandBraces(before + part + after))
    .slice(0, 100);
}

function parseScripts(text: string): Readonly<Record<string, string>> {
  try {
    const { scripts } = JSON.parse(text) as { readonly scripts?: unknown };
    const all = typeof scripts === "object" && scripts !== null ? Object.entries(scripts) : [];
    return Object.fromEntries(all.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return {};
  }
}

/** The kind of a file by its first line or its ending; undefined for a text that could be anything. */
function findScriptKind(path: string, text: string): ScriptKind | undefined {
  const [, shebang = ""] = /^#!\s*(\S+(?:[ \t]+(?:-\S+[ \t]+)*\S+)?)/.exec(text) ?? [];
  const interpreter = basename(shebang.split(/\s+/).at(-1) ?? "");
  if (SHELLS.test(interpreter)) return "sh";
  if (SCRIPT_RUNNERS.test(interpreter)) return "js";
  if (PYTHONS.test(interpreter)) return "py";
  if (shebang !== "") return undefined;
  if (/\.(?:[cm]?[jt]sx?)$/i.test(path)) return "js";
  if (/\.pyw?$/i.test(path)) return "py";
  if (/\.(?:sh|bash|zsh|ksh)$/i.test(path)) return "sh";
  if (/\.(?:jsonc?|ya?ml|toml|md|txt|lock|css)$|rc$/i.test(extname(path) || basename(path))) return "data";
  return text.slice(0, 1000).includes("\0") ? "binary" : undefined;
}

/** A file's stamp, which changes with its content; "-" if there is no file. */
async function readStamp(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found ? formatStamp(found) : "-";
}

interface FileContent {
  readonly hash: string;
  readonly text?: string;
  readonly real?: string;
}

/** A file's content and real path. A file that is too large to read is identified by its size and time. */
async function readContent(path: string): Promise<FileContent> {
  try {
    await using file = await openLinkedFile(path);
    const { size, mtimeMs } = await file.stat();
    const real = await realpath(path);
    if (size > MOST_BYTES) return { hash: `${size} ${mtimeMs}`, text: "\0", real };
    const bytes = await readBounded(file, MOST_BYTES);
    return { hash: sha256(bytes), text: bytes.toString("utf8"), real };
  } catch (error) {
    return { hash: hasCode(error, "ENOENT", "ENOTDIR") ? "" : "unreadable" };
  }
}
