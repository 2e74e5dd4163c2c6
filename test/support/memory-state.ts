/** A store of the editor that is gone with the test. */
export class MemoryState {
  private readonly values = new Map<string, unknown>();

  readonly get = <Value>(key: string, fallback: Value): Value =>
    (this.values.get(key) as Value | undefined) ?? fallback;

  readonly update = async (key: string, value: unknown): Promise<void> => void this.values.set(key, value);
}
