const PREFIX = "autogpt.key:";
const INDEX = "autogpt.keyOrigins";

/** The user's API keys, each stored for one origin and provided only to that origin. They are only in secret storage. */
export interface KeyRing {
  get(address: string): Promise<string | undefined>;
  set(address: string, key: string): Promise<void>;
  clear(origin: string): Promise<void>;
  /** All keys, so that logs can leave them out. */
  listKeys(): Promise<readonly string[]>;
  /** The origins that have a key; never the keys. */
  listOrigins(): readonly string[];
}

/** Where keys are stored, such as VS Code's secret storage. */
interface SecretStore {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
}

/** Where the list of origins is stored, such as VS Code's global state. */
interface OriginStore {
  get(name: string, fallback: readonly string[]): readonly string[];
  update(name: string, value: readonly string[]): PromiseLike<void>;
}

/** Secrets that aren't for web servers have their own addresses: a plugin's, a team memory's, and a fleet's. */
const OWN_PROTOCOLS: ReadonlySet<string> = new Set(["autogpt-plugin:", "autogpt-memory:", "temporal:"]);

/**
 * The origin of an address, such as `https://api.openai.com`; a plugin's secret has its own address. Throws a sentence for anything else;
 * `setting` names the source of the address.
 */
export function getKeyOrigin(address: string, setting?: string): string {
  const url = URL.parse(address);
  if (url && (url.protocol === "https:" || url.protocol === "http:")) return url.origin;
  if (url && OWN_PROTOCOLS.has(url.protocol) && url.host !== "") return url.href;
  const fix = setting === undefined ? "" : ` Set ${setting} to one like https://api.openai.com/v1.`;
  throw new Error(`"${address}" is not a web address.${fix}`);
}

/** Creates a key ring over two stores. `settingOf` names the setting with an address, for the sentence about a wrong one. */
export function createKeyRing(
  secrets: SecretStore,
  state: OriginStore,
  settingOf: (address: string) => string | undefined,
): KeyRing {
  const listOrigins = (): readonly string[] => state.get(INDEX, []);
  const resolveOrigin = (address: string): string => getKeyOrigin(address, settingOf(address));
  return {
    get: async (address) => secrets.get(PREFIX + resolveOrigin(address)),
    async set(address, key) {
      const origin = resolveOrigin(address);
      await secrets.store(PREFIX + origin, key);
      await state.update(INDEX, [...new Set([...listOrigins(), origin])]);
    },
    async clear(origin) {
      await secrets.delete(PREFIX + origin);
      await state.update(
        INDEX,
        listOrigins().filter((known) => known !== origin),
      );
    },
    listKeys: async () => {
      const found = await Promise.all(listOrigins().map((origin) => secrets.get(PREFIX + origin)));
      return found.filter((key) => key !== undefined);
    },
    listOrigins,
  };
}
