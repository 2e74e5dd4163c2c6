import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

/** How a server of the tests is started. */
export interface ChildProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** A real server of the tests: a process with its data in a folder of its own, which can be killed and started again. */
export abstract class ChildServer {
  readonly port: number;
  protected readonly folder: string;
  private child: ChildProcess | undefined;
  private readonly killNow = () => this.child?.kill("SIGKILL");

  constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
    process.once("exit", this.killNow);
  }

  protected abstract readonly program: ChildProgram;

  /** Whether it can be used now. */
  protected abstract answers(): Promise<boolean>;

  async start(): Promise<void> {
    const { program, args, ...user } = this.program;
    const child = spawn(program, args, { ...user, cwd: this.folder, stdio: "ignore" });
    this.child = child;
    for (let tries = 0; tries < 600; tries++) {
      if (await this.answers()) return;
      if (child.exitCode !== null) break;
      await pause(50);
    }
    throw new Error(`${program} didn't start.`);
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    process.off("exit", this.killNow);
    await this.kill();
    await fs.rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
