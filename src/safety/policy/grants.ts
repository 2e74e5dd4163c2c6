/** What the user has allowed in advance. It lives in memory only: no log and no setting brings it back. */
export class Grants {
  private granted = 0;
  private continuous = 0;
  private readonly allowedHosts = new Set<string>();
  private readonly listeners = new Set<() => void>();

  /** How many more commands are approved in advance. */
  get left(): number {
    return this.granted;
  }

  /** How many more commands continuous mode approves; 0 when it is off. */
  get continuousLeft(): number {
    return this.continuous;
  }

  /** The hosts that the user approved a command for, in this run. */
  get hosts(): readonly string[] {
    return [...this.allowedHosts];
  }

  allowHosts(hosts: readonly string[]): void {
    const before = this.allowedHosts.size;
    for (const host of hosts) this.allowedHosts.add(host.toLowerCase());
    if (this.allowedHosts.size !== before) this.notify();
  }

  forgetHost(host: string): void {
    if (this.allowedHosts.delete(host.toLowerCase())) this.notify();
  }

  /** Approves the next `count` commands; one that waits for a decision just now is the first of them. */
  grantNext(count: number): void {
    this.set(wholeNumber(count), this.continuous);
  }

  /** Takes back what is left of a grant. */
  endGrant(): void {
    this.set(0, this.continuous);
  }

  /** Turns continuous mode on for at most `limit` commands. */
  startContinuous(limit: number): void {
    this.set(this.granted, wholeNumber(limit));
  }

  stopContinuous(): void {
    this.set(this.granted, 0);
  }

  /** Takes back everything: a run that goes on after its end asks again. */
  endAll(): void {
    this.set(0, 0);
  }

  /** Counts one command that was approved in advance, or by the user while a grant was on. */
  use(by: "grant" | "continuous"): void {
    if (by === "grant") this.set(Math.max(0, this.granted - 1), this.continuous);
    else this.set(this.granted, Math.max(0, this.continuous - 1));
  }

  /** Called after every change. Returns what ends the calls. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private set(granted: number, continuous: number): void {
    if (granted === this.granted && continuous === this.continuous) return;
    this.granted = granted;
    this.continuous = continuous;
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Anything that is not a positive number grants nothing. Classic `y -5` means five. */
function wholeNumber(count: number): number {
  return Number.isFinite(count) ? Math.floor(Math.abs(count)) : 0;
}
