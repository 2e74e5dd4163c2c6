import { waitUntilAborted } from "../../core/base/async.ts";
import { Channel, PluginError } from "./channel.ts";
import { type ChildStart, type PluginChild, startChild } from "./plugin-child.ts";
import type { PluginLog } from "./plugin-log.ts";

/** How to start a plugin with a separate process. */
export interface ProcessOptions {
  /** Verifies that the user has allowed what starts. Called before each start; throwing prevents it. */
  prepare(): Promise<ChildStart>;
  /** The first message to each process. The answer means that the plugin is loaded; an error is the plugin's, and final. */
  readonly hello: Readonly<Record<string, unknown>>;
  readonly log: PluginLog;
  /** Called once, when the plugin can't be loaded. */
  handleLoadFailure?(why: string): void;
}

/** The most restarts of a process that ended. */
const MOST_RESTARTS = 3;

/** The time limit for loading a plugin. */
const LOADING_SECONDS = 15;

interface Running {
  readonly child: PluginChild;
  readonly channel: Channel;
  /** Its answer after loading. */
  readonly answer: unknown;
}

/** A plugin in a separate process, which starts at the first call and restarts after a crash. */
export class PluginProcess {
  private readonly options: ProcessOptions;
  private readonly children = new Set<PluginChild>();
  private running: Promise<Running> | undefined;
  private current: PluginChild | undefined;
  private crashes = 0;
  private closings = 0;
  private refused: Error | undefined;

  constructor(options: ProcessOptions) {
    this.options = options;
  }

  /** Starts it unless it's running, and resolves with its answer to `hello`. */
  async start(signal: AbortSignal): Promise<unknown> {
    return (await waitUntilAborted(this.ensureRunning(), signal)).answer;
  }

  /** Calls the plugin. Throws its error, why its process ended, or the signal's reason. */
  async call(
    message: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    output?: (chunk: string) => void,
  ): Promise<unknown> {
    const { channel } = await waitUntilAborted(this.ensureRunning(), signal);
    return channel.call(message, signal, output);
  }

  /** Ends its processes. A later call restarts it. */
  async close(): Promise<void> {
    this.closings++;
    this.running = undefined;
    await Promise.all([...this.children].map((child) => child.end()));
    await this.options.log.close();
  }

  private async ensureRunning(): Promise<Running> {
    if (this.refused) throw this.refused;
    if (this.running !== undefined) return this.running;
    if (this.crashes > MOST_RESTARTS)
      throw new Error(`its process ended ${this.crashes} times, so it isn't started again`);
    const running = this.launch();
    this.running = running;
    try {
      return await running;
    } catch (error) {
      this.forget(running);
      if (error instanceof PluginError) {
        this.refused = error;
        this.options.handleLoadFailure?.(error.message);
      }
      throw error;
    }
  }

  private async launch(): Promise<Running> {
    const { closings } = this;
    const { prepare, hello, log } = this.options;
    const child = await startChild(await prepare());
    this.children.add(child);
    this.current = child;
    if (closings !== this.closings) {
      await child.end();
      throw new Error("it was closed");
    }
    log.follow(child.stdout, child.stderr);
    const channel = this.connect(child);
    try {
      const answer = await channel.call(hello, AbortSignal.timeout(LOADING_SECONDS * 1000));
      return { child, channel, answer };
    } catch (error) {
      void child.end();
      throw isTimeout(error) ? new Error(`it wasn't loaded within ${LOADING_SECONDS} s`) : error;
    }
  }

  private connect(child: PluginChild): Channel {
    const { closings } = this;
    let killed: string | undefined;
    const channel = new Channel(child.channel, (why) => {
      killed = why;
      if (this.current === child) this.running = undefined;
      void child.end();
    });
    void child.exited.then(async ({ how }) => {
      if (this.current === child) this.running = undefined;
      await child.end();
      channel.close(killed ?? `its process ${how}${this.options.log.describeLastLine()}`);
      if (closings === this.closings) this.crashes++;
      this.children.delete(child);
    });
    return channel;
  }

  private forget(running: Promise<Running>): void {
    if (this.running === running) this.running = undefined;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
