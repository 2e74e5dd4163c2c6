import { waitUntilAborted } from "../../core/base/async.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import type { DisplayText } from "../../texts/display-text.ts";

/** A terminal of the host. Only the agent's lines are typed into it, except by the user. */
export interface LineTerminal {
  /** Whether the host reports its output. */
  readonly isReadable: boolean;
  /** Types a line at its prompt, and presses Enter. Returns the output until the next prompt, if the host reports it. */
  type(line: string): AsyncIterable<string> | undefined;
  /** Presses Ctrl+C. */
  interrupt(): void;
  /** True at the prompt; false while a program runs. */
  isFree(): Promise<boolean>;
  /** Resolves when the prompt is back, or after a short while. */
  waitUntilSettled(): Promise<void>;
  readonly isClosed: boolean;
  /** Resolves when anyone has closed it. */
  readonly closed: Promise<void>;
  /** Brings it to the front without taking the focus. */
  show(): void;
  dispose(): void;
}

/** The host's terminals. */
export interface HostTerminals {
  /** The user's shell in new terminals: "zsh". */
  readonly shell: string;
  /** Resolves once `shell` is known, or is unlikely to be known soon. */
  waitForShell?(): Promise<void>;
  /** A sentence about their environment that the user should read. */
  describeEnvironment?(): DisplayText | undefined;
  /** Opens a terminal in a folder, and resolves once its shell seems ready. */
  open(folder: string): Promise<LineTerminal>;
}

/** A terminal that is reserved for one line. */
export interface TakenTerminal {
  readonly terminal: LineTerminal;
  /** Returns the terminal once `isUsable` is settled. A terminal that can't be used again is left to the user. */
  release(isUsable: Promise<boolean>): void;
}

/** The most lines that run at once; others wait. */
const MOST_OPEN = 4;

interface Member {
  readonly terminal: LineTerminal;
  /** `returning`: its line has ended, but the prompt isn't back yet. */
  state: "free" | "taken" | "returning";
  /** The run that used it last. */
  owner: string;
  /** The folder that it was opened in. */
  readonly folder: string;
}

/** The terminals of a window's runs. Each runs one line at a time, and is reused for later lines of its folder. */
export class LineTerminals {
  /** A sentence about why a terminal couldn't start a line; undefined if that has never happened. */
  trouble: string | undefined;
  private readonly host: HostTerminals;
  private readonly waiting: (() => void)[] = [];
  private members: readonly Member[] = [];
  private opening = 0;

  constructor(host: HostTerminals) {
    this.host = host;
  }

  /** Resolves once the user's shell is known. A card that is shown earlier would have to be shown again. */
  async waitForShell(): Promise<void> {
    await this.host.waitForShell?.();
  }

  /** For cards: the user's shell, and what else they should know. */
  get place(): Pick<HostTerminals, "shell" | "describeEnvironment"> {
    return this.host;
  }

  /** A free terminal, preferably one that the run used before. Waits if all are in use. */
  async take(owner: string, folder: string, signal: AbortSignal): Promise<TakenTerminal> {
    for (;;) {
      signal.throwIfAborted();
      const free = await this.takeFreeMember(owner, folder);
      if (free) return this.takeTerminal(free, owner);
      const isSoonFree = this.members.some((member) => member.state === "returning" && isFor(member, owner, folder));
      const inUse = this.members.filter(({ state }) => state !== "free").length + this.opening;
      if (!isSoonFree && inUse < MOST_OPEN) return this.openTerminal(owner, folder);
      await this.waitForRelease(signal);
    }
  }

  /** Brings the terminal to the front in which a line of a run is at work. False if there is none. */
  show(owner: string): boolean {
    const used = this.members.find((member) => member.owner === owner && member.state === "taken");
    used?.terminal.show();
    return used !== undefined;
  }

  dispose(): void {
    for (const { terminal } of this.members) terminal.dispose();
    this.members = [];
  }

  /** A terminal at its prompt. A terminal in which the user has started something belongs to the user from then on. */
  private async takeFreeMember(owner: string, folder: string): Promise<Member | undefined> {
    const idle = this.members.filter((member) => member.state === "free" && isFor(member, owner, folder));
    for (const member of idle.toSorted((one) => (one.owner === owner ? -1 : 1))) {
      if (member.state !== "free") continue;
      member.state = "taken";
      if (!member.terminal.isClosed && (await member.terminal.isFree())) return member;
      this.drop(member);
    }
    return undefined;
  }

  private async openTerminal(owner: string, folder: string): Promise<TakenTerminal> {
    this.opening++;
    try {
      const member: Member = { terminal: await this.host.open(folder), state: "taken", owner, folder };
      this.members = [...this.members, member];
      return this.takeTerminal(member, owner);
    } finally {
      this.opening--;
    }
  }

  private takeTerminal(member: Member, owner: string): TakenTerminal {
    const { terminal } = member;
    if (member.owner !== owner) terminal.show();
    member.owner = owner;
    const release = async (isUsable: Promise<boolean>): Promise<void> => {
      member.state = "returning";
      if (await isUsable.catch(() => false)) await terminal.waitUntilSettled();
      else this.drop(member);
      member.state = "free";
      this.proceed();
    };
    return { terminal, release: (isUsable) => void release(isUsable) };
  }

  private drop(member: Member): void {
    this.members = this.members.filter((other) => other !== member);
    this.proceed();
  }

  /** Makes all waiting lines check again. */
  private proceed(): void {
    for (const look of this.waiting.splice(0)) look();
  }

  private async waitForRelease(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.push(resolve);
    await waitUntilAborted(promise, signal);
  }
}

/** True for a terminal of the run, or of its folder: at another folder's prompt, a line would seem to be about that one. */
function isFor(member: Member, owner: string, folder: string): boolean {
  return member.owner === owner || isAtOrBelow(member.folder, folder) || isAtOrBelow(folder, member.folder);
}
