/** A terminal that the user has opened. */
export interface UserTerminal {
  /** Its name without spaces, unique among the open ones. */
  readonly label: string;
  readonly isActive: boolean;
  /** The user lets agents read the terminal. */
  readonly isShared: boolean;
}

/** A command that ran in a terminal. */
export interface TerminalCommand {
  readonly line: string;
  /** "" if unknown. */
  readonly cwd: string;
  readonly state: "running" | "ended";
  /** Exit code; absent while it runs or if it's unknown. */
  readonly code?: number;
  readonly output: string;
}

/** The user's terminals. Their content is never read before the user shares one. */
export interface UserTerminals {
  list(): readonly UserTerminal[];
  /** Starts reading a terminal, until it's closed or the user stops sharing it. */
  share(label: string): void;
  /** The latest commands of a shared terminal, oldest first; undefined if it isn't shared or is closed. */
  read(label: string): Promise<readonly TerminalCommand[] | undefined>;
}
