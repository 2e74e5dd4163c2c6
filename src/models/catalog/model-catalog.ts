import { askServedModel, askSight, listModels, type OfferedModel, type ServedModel } from "./list-models.ts";
import { findLocalServers, type LocalServer } from "./local-servers.ts";

/** After this time, local servers are searched for again, and servers are asked for their models again. */
const FRESH_MS = 20_000;
const LIST_SECONDS = 10;

interface Timed<T> {
  readonly at: number;
  readonly value: T;
}

/** Requests of the catalog; tests replace them. */
export interface CatalogSources {
  getNow(): number;
  askServed: typeof askServedModel;
  list: typeof listModels;
  findServers(): Promise<readonly LocalServer[]>;
}

const SOURCES: CatalogSources = {
  getNow: () => Date.now(),
  askServed: askServedModel,
  list: listModels,
  findServers: () => findLocalServers(),
};

/** Facts about models that servers report. Each fact is remembered for a short time, so that a start requests it only once. */
export class ModelCatalog {
  private readonly sources: CatalogSources;
  private readonly served = new Map<string, Timed<Promise<ServedModel>>>();
  private readonly lists = new Map<string, Timed<Promise<OfferedModel[]>>>();
  private servers: Timed<Promise<readonly LocalServer[]>> | undefined;

  /** `sources`: replacements for requests to servers. */
  constructor(sources: Partial<CatalogSources> = {}) {
    this.sources = { ...SOURCES, ...sources };
  }

  /** A model as a server runs it. */
  fetchServedModel(model: string, baseUrl: string, apiKey: string): Promise<ServedModel> {
    const name = `${baseUrl} ${model}`;
    const known = this.served.get(name);
    if (known && this.isFresh(known)) return known.value;
    const listing = { baseUrl, apiKey, prices: {}, timeoutSeconds: LIST_SECONDS };
    const value = this.sources.askServed(model, listing, new AbortController().signal, this.list);
    this.served.set(name, { at: this.sources.getNow(), value });
    return value;
  }

  /** Whether a model on a server accepts pictures; undefined if unknown. */
  async canSeePictures(model: string, baseUrl: string, apiKey: string): Promise<boolean | undefined> {
    const listing = { baseUrl, apiKey, prices: {}, timeoutSeconds: LIST_SECONDS };
    return askSight(model, listing, new AbortController().signal, this.list);
  }

  /** Lists a server's models, with one request for all facts. */
  private readonly list: typeof listModels = (listing, signal) => {
    const known = this.lists.get(listing.baseUrl);
    if (known && this.isFresh(known)) return known.value;
    const value = this.sources.list(listing, signal);
    this.lists.set(listing.baseUrl, { at: this.sources.getNow(), value });
    return value;
  };

  /** The model servers of this machine; none if the search fails. */
  listLocalServers(): Promise<readonly LocalServer[]> {
    if (!this.servers || !this.isFresh(this.servers)) {
      const value = this.sources.findServers().catch(() => []);
      this.servers = { at: this.sources.getNow(), value };
    }
    return this.servers.value;
  }

  /** Makes the next call search for local servers again. */
  forgetLocalServers(): void {
    this.servers = undefined;
  }

  private isFresh({ at }: Timed<unknown>): boolean {
    return this.sources.getNow() - at < FRESH_MS;
  }
}
