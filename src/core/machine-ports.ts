// Ports for the programs of the machine; the others are in ports.ts.

// ---- Python ----------------------------------------------------------------

/** How a file of Python is started. */
export interface PythonStart {
  /** The program and its arguments, the file among them; the file's own arguments come behind. */
  readonly words: readonly string[];
  /** Where that is, for people: "on this machine". */
  readonly where: string;
  /** It runs in a container, so the words are not a command line to judge by what it names. */
  readonly confined?: boolean;
  /** Ends what the words may leave behind when they are cut off. */
  clear?(): Promise<void>;
}

/** Python, as the user wants it used. */
export interface Python {
  /** Why it cannot be used, as a sentence; undefined when it can. */
  readonly problem?: string;
  /** Where a step's own code would be kept. */
  codeFile(step: number): string;
  keep(step: number, code: string): Promise<void>;
  /** How to run a file, given by its real path, in a folder. Throws `WorkspaceError` when there is no Python any more. */
  start(file: string, cwd: string): Promise<PythonStart>;
}
