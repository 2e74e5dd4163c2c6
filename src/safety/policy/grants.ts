import { Emitter } from "../../core/base/emitter.ts";
/** Approvals that the user gave in advance. They live in memory only; no log and no setting restores them. */
export class Grants {
  private granted = 0;
  private continuous = 0;
  /** Number of untrusted sources that the run had read when the user gave the grant. */
  private grantedAfter = 0;
  private continuousAfter = 0;
  private readonly sources: () => number;
  /** The commands for which the user approved each host. */
  private readonly allowedHosts = new Map<string, Set<string>>();
  private readonly changes = new Emitter();

  /** `sources` counts the untrusted texts that the run has read so far. */
  constructor(sources: () => number = () => 0) {
    this.sources = sources;
  }

  /** Which approvals are older than the latest untrusted text. */
  get outdated(): { readonly grant: boolean; readonly continuous: boolean } {
    const sources = this.sources();
    return { grant: sources > this.grantedAfter, continuous: sources > this.continuousAfter };
  }

  /** Number of further commands that are approved in advance. */
  get left(): number {
    return this.granted;
  }

  /** Number of further commands that continuous mode approves; 0 when it's off. */
  get continuousLeft(): number {
    return this.continuous;
  }

  /** Hosts that the user approved a command for in this run. */
  get hosts(): readonly string[] {
    return [...this.allowedHosts.keys()];
  }

  /** Hosts that the user approved for this command. An approval to read a page doesn't allow sending to its host. */
  listApprovedHosts(command: string): readonly string[] {
    return this.hosts.filter((host) => this.allowedHosts.get(host)?.has(command));
  }

  allowHosts(hosts: readonly string[], command: string): void {
    const before = this.allowedHosts.size;
    for (const host of hosts.map((one) => one.toLowerCase()))
      this.allowedHosts.set(host, new Set([...(this.allowedHosts.get(host) ?? []), command]));
    if (this.allowedHosts.size !== before) this.changes.fire();
  }

  forgetHost(host: string): void {
    if (this.allowedHosts.delete(host.toLowerCase())) this.changes.fire();
  }

  /** Approves the next `count` commands, including one that is waiting for a decision. */
  grantNext(count: number): void {
    this.grantedAfter = this.sources();
    this.set(convertToWholeNumber(count), this.continuous);
  }

  /** Ends the rest of a grant. */
  endGrant(): void {
    this.set(0, this.continuous);
  }

  /**
   * Turns continuous mode on for at most `limit` commands. The approval was given after `after` untrusted sources, by default all so far.
   */
  startContinuous(limit: number, after: number = this.sources()): void {
    this.continuousAfter = after;
    this.set(this.granted, convertToWholeNumber(limit));
  }

  stopContinuous(): void {
    this.set(this.granted, 0);
  }

  /** Ends all approvals, so that a resumed run asks again. */
  endAll(): void {
    this.set(0, 0);
  }

  /** Counts a command that was approved in advance, or by the user during a grant. */
  use(by: "grant" | "continuous"): void {
    if (by === "grant") this.set(Math.max(0, this.granted - 1), this.continuous);
    else this.set(this.granted, Math.max(0, this.continuous - 1));
  }

  /** Calls `listener` after every change. Returns a function that stops the calls. */
  onChange(listener: () => void): () => void {
    return this.changes.subscribe(listener);
  }

  private set(granted: number, continuous: number): void {
    if (granted === this.granted && continuous === this.continuous) return;
    this.granted = granted;
    this.continuous = continuous;
    this.changes.fire();
  }
}

/** Not-a-number grants nothing. Classic `y -5` means five. */
function convertToWholeNumber(count: number): number {
  return Number.isFinite(count) ? Math.floor(Math.abs(count)) : 0;
}
