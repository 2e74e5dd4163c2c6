import type { Git, Shell } from "../../core/ports/programs.ts";
import type { RunProcesses } from "../../node/processes/background-processes.ts";
import type { ProgramWalls } from "../../node/processes/programs.ts";
import type { SANDBOX_LIMITS } from "../../schema/run-values.ts";
import type { Sentence } from "../../texts/display-text.ts";
import type { Copy } from "../copy/copy.ts";

/** A way to confine the programs of isolated runs. */
export type WallsEngine = "bubblewrap" | "seatbelt" | "docker" | "podman";

/** The limits that an engine enforces on this system, according to its probe. */
type WallsLimits = Readonly<Record<(typeof SANDBOX_LIMITS)[number], boolean>>;

/** Confines the programs of isolated runs, as proven by a probe. */
export interface Walls {
  readonly engine: WallsEngine;
  readonly limits: WallsLimits;
  /** True if programs can write to borrowed folders without changing the originals. */
  readonly hasLayers: boolean;
  /** Makes the programs of a run over its copy. */
  createPrograms(copy: Copy, options: WalledOptions): Promise<WalledPrograms>;
}

/** No engine works here. */
export interface NoWalls {
  readonly engine: "none";
  /** The reason and a way out, as a sentence. */
  readonly why: Sentence;
}

/** Options for the programs of one isolated run. */
export interface WalledOptions {
  /** The run's own folder, for outputs and code. */
  readonly runHome: string;
  /** Hosts that programs may reach; absent ports mean 443 and 80. None: no network. */
  readonly hosts: readonly string[];
  /** Removes secrets from a text before it's saved. */
  redact(text: string): string;
  /** Maximum size of the copy in bytes; a line that exceeds it is ended. */
  readonly quotaBytes?: number;
  readonly env?: NodeJS.ProcessEnv;
}

/** The programs of one isolated run. All of them run within the walls. */
export interface WalledPrograms {
  readonly shell: Shell;
  readonly processes: RunProcesses;
  readonly git: Git | undefined;
  /** Walls for others' programs, such as hooks. */
  readonly walls: ProgramWalls;
  /** Ends everything that still runs, and its network. */
  dispose(): Promise<void>;
}
