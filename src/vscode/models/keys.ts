import type * as vscode from "vscode";

const PREFIX = "autogpt.key:";
const INDEX = "autogpt.keyOrigins";

/** The user's API keys, each stored for one origin and only ever handed out for it. They live in SecretStorage alone. */
export interface KeyRing {
  get(address: string): Promise<string | undefined>;
  set(address: string, key: string): Promise<void>;
  clear(origin: string): Promise<void>;
  /** All keys there are, to keep them out of logs. */
  all(): Promise<readonly string[]>;
  /** The origins that have a key; never the keys. */
  origins(): readonly string[];
}

/** The origin of an address, as `https://api.openai.com`; throws a sentence for what is none. */
export function originOf(address: string): string {
  const url = URL.parse(address);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new Error(
      `"${address}" is not a web address. Set autogpt.model.baseUrl to one like https://api.openai.com/v1.`,
    );
  }
  return url.origin;
}

/** The key ring over VS Code's stores: keys in `secrets`, the list of origins in `state`. */
export function keyRing(secrets: vscode.SecretStorage, state: vscode.Memento): KeyRing {
  const origins = (): readonly string[] => state.get<string[]>(INDEX, []);
  return {
    get: async (address) => secrets.get(PREFIX + originOf(address)),
    async set(address, key) {
      const origin = originOf(address);
      await secrets.store(PREFIX + origin, key);
      await state.update(INDEX, [...new Set([...origins(), origin])]);
    },
    async clear(origin) {
      await secrets.delete(PREFIX + origin);
      await state.update(
        INDEX,
        origins().filter((known) => known !== origin),
      );
    },
    all: async () => {
      const found = await Promise.all(origins().map((origin) => secrets.get(PREFIX + origin)));
      return found.filter((key) => key !== undefined);
    },
    origins,
  };
}
