/** Use of what the run and the agents of one copy share. */
export interface SharedUse<Shared> {
  /** Opens it when the first of them needs it, and again if that failed. */
  openShared(): Promise<Shared>;
  /** The last one that leaves closes it. May be called again. */
  leave(): Promise<void>;
}

interface Users<Shared> {
  count: number;
  readonly open: () => Promise<Shared>;
  shared: Promise<Shared> | undefined;
}

/** Keeps what the programs of a copy share, by the folder of the copy. The first user's way to open it counts. */
export class SharedByCopy<Shared> {
  private readonly byCopy = new Map<string, Users<Shared>>();
  private readonly close: (shared: Shared) => Promise<void>;

  constructor(close: (shared: Shared) => Promise<void>) {
    this.close = close;
  }

  enter(copy: string, open: () => Promise<Shared>): SharedUse<Shared> {
    const users = this.byCopy.get(copy) ?? { count: 0, open, shared: undefined };
    this.byCopy.set(copy, users);
    users.count++;
    let isIn = true;
    return {
      openShared: () => {
        users.shared ??= users.open().catch((error: unknown) => {
          users.shared = undefined;
          throw error;
        });
        return users.shared;
      },
      leave: async () => {
        if (!isIn) return;
        isIn = false;
        users.count--;
        if (users.count > 0) return;
        this.byCopy.delete(copy);
        const shared = await users.shared?.catch(() => undefined);
        if (shared !== undefined) await this.close(shared);
      },
    };
  }
}
