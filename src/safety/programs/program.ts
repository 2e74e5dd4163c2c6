import type { Check } from "../read-only/check.ts";

/** Facts about what a program does with its arguments. Each is absent where it doesn't hold. */
export interface ProgramFacts {
  /** "command": it runs the command after its own arguments; "script": a script of the shell; "input": any text that it receives. */
  readonly runs?: "command" | "script" | "input";
  /** Its first operand is a program file. */
  readonly runsFile?: true;
  /** Its arguments that are programs. */
  readonly code?: CodeFlags;
  /** Its line doesn't show its effect: it runs what it's given, or opens a connection to anything. */
  readonly unclear?: "code" | "socket";
  /** Files that define what it runs, separated by blanks. */
  readonly manifests?: string;
  /** It contacts the host among its arguments. */
  readonly contacts?: true;
  /** Arguments with which it sends data to hosts from its own settings. */
  readonly sends?: RegExp;
  /** Arguments with which it shows or fetches text by others. */
  readonly fetches?: RegExp;
  /** It changes the folder of the commands after it. 1 is the name that shells know best; see `selectEntered`. */
  readonly enters?: 1 | 2 | 3 | 4;
  /** It writes to or removes all its operands, or the last. */
  readonly writes?: "all" | "last";
  /** It changes its operands in place with the flags for that. */
  readonly inPlace?: true;
  /** Subcommands that create or change the place that they name. */
  readonly creates?: RegExp;
  /** Flags that name nothing that it writes, though those of most programs do. */
  readonly otherFlags?: RegExp;
  /** It can write, though the table of read-only lines knows it. */
  readonly alsoWrites?: true;
  /** It deletes, overwrites or locks folders as a whole. */
  readonly deletes?: FolderRemover;
  /** It removes or empties its operands. */
  readonly removes?: true;
  /** It overwrites or ends in another way what it didn't make. */
  readonly loses?: true;
  /** Arguments, joined by blanks, with which it ends the machine. */
  readonly stops?: RegExp;
  /** It writes to disk devices: by its last operand, by `of=`, or by itself. */
  readonly disk?: "last" | "of" | DiskTool;
  /** It reads everything below folders; the first row whose arguments fit counts. */
  readonly readsBelow?: readonly FolderReader[];
  /** It lists files for other programs, or prints names. */
  readonly lists?: "files" | "names";
  /** It shows the content of its operands; "rarely": its arguments are mostly something else. */
  readonly shows?: "files" | "rarely";
  /** Its last operand is written, and those before are read. */
  readonly copies?: true;
  /** Its first operand is text. */
  readonly textFirst?: true;
  /** Flags with a file that lists what it reads. */
  readonly listFlag?: RegExp;
  /** It reads the files whose names it gets from its input. */
  readonly namesFromInput?: true;
  /** On Windows it's a batch file, whose arguments `cmd.exe` reads once more. */
  readonly isBatchFile?: true;
  /** Its arguments with blanks are only text. */
  readonly takesText?: true;
  /** The arguments with which it only reads, in shells other than PowerShell. */
  readonly reads?: Check;
  /** The same for PowerShell, where it differs. */
  readonly readsOnWindows?: Check;
  /** It's the same program in every shell. */
  readonly isEverywhere?: true;
  /** Arguments, separated by blanks, each of which only shows its version. */
  readonly showsVersion?: string;
  /** `--help` and `--version` only show a text. */
  readonly showsHelp?: true;
  /** It shows found files or their properties, and treats one file like many. */
  readonly getsFound?: true;
  /** It accepts any names, even those of flags, and only shows properties of files. */
  readonly takesAnyName?: true;
  /** Arguments, joined by blanks, with which it passes lines of a pipe on unchanged. */
  readonly passesOn?: RegExp;
  /** It's a cmdlet: its full name, and the arguments with which it only reads. */
  readonly cmdlet?: { readonly name: string; readonly check: Check };
}

/** Facts by the names of programs, as in `indexByName`. */
export type Rows = Readonly<Record<string, ProgramFacts>>;

/** Flags whose value is a program. A program without flags is the first operand, as for awk. */
interface CodeFlags {
  readonly flags?: RegExp;
  /** The first operand is a program, unless one of these flags names a file with the program. */
  readonly operandUnless?: RegExp;
}

/** How a program deletes or takes over folders with everything below. */
interface FolderRemover {
  /** Absent: it always does. */
  readonly flag?: RegExp;
  /** The operands that it deletes; absent: all. */
  readonly operands?: "sources" | "last";
  /** It's everyday work in the current folder. */
  readonly isHarmlessHere?: true;
}

/** A program that changes disks: with an argument that fits `when`, and without one that fits `unless`. */
interface DiskTool {
  readonly when?: RegExp;
  readonly unless?: RegExp;
}

/** How a program reads everything below the folders among its arguments. */
interface FolderReader {
  /** Tested on the arguments, joined by blanks; absent: the program always reads everything. */
  readonly args?: RegExp;
  /** Leading operands that aren't folders. */
  readonly textFirst?: number;
  /** Without an operand: this folder. */
  readonly isHereByDefault?: true;
  /** The program skips hidden files unless a flag matches. */
  readonly hiddenOnlyWith?: RegExp;
}

/** A place that a command enters, with how well its program's name is known for that. */
export interface EnteredPlace {
  readonly place: string;
  readonly enters: NonNullable<ProgramFacts["enters"]>;
}

/** The first places of each rank and those better known, since names that a shell may not know must not displace others. */
export function selectEntered(entered: readonly EnteredPlace[], most: number): readonly string[] {
  const ranks = [1, 2, 3, 4].flatMap((rank) => entered.filter(({ enters }) => enters <= rank).slice(0, most));
  return [...new Set(ranks.map(({ place }) => place))];
}

/**
 * Returns a function that finds the rows of a program's name, in order. A row's names are separated by blanks: `python#` also means
 * `python3.11`, and `mkfs.*` any name that begins so.
 */
export function indexByName<T>(rows: readonly (readonly [names: string, row: T])[]): (name: string) => readonly T[] {
  const places = rows.flatMap(([names, row], at) => names.split(" ").map((name) => ({ name, row, at })));
  const { open = [], closed = [] } = Object.groupBy(places, ({ name }) => (/[#*]$/.test(name) ? "open" : "closed"));
  const exact = Map.groupBy(closed, ({ name }) => name);
  return (name) =>
    [...(exact.get(name) ?? []), ...open.filter((place) => isOpenMatch(place.name, name))]
      .sort((one, other) => one.at - other.at)
      .map(({ row }) => row);
}

function isOpenMatch(pattern: string, name: string): boolean {
  const start = pattern.slice(0, -1);
  return name.startsWith(start) && (pattern.endsWith("*") || /^[\d.]*$/.test(name.slice(start.length)));
}
