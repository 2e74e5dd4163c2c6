// Ports of commands that leave the machine: the web, searching it, and downloads.

/** Something on the web that could not be had; `message` is a sentence that says what to do instead. */
export class WebError extends Error {
  override readonly name = "WebError";
}

/** A link of a page; both are what a reader would see. */
export interface Link {
  readonly text: string;
  /** Absolute. */
  readonly url: string;
}

/** A page as somebody would read it. */
export interface Page {
  /** Where it was in the end. */
  readonly url: string;
  /** "" when it has none. */
  readonly title: string;
  /** Its main content as Markdown, or its text as it stands when it is no HTML. */
  readonly text: string;
  readonly links: readonly Link[];
  /** Sentences about what is missing or was done differently. */
  readonly notes: readonly string[];
}

/** How a page is looked at. */
interface Looking {
  readonly signal: AbortSignal;
  /** A page that is empty without its scripts may be opened in a browser. */
  readonly browser: boolean;
  /** A sentence for people on what takes so long. */
  notice?(text: string): void;
}

/** A file as it came from the web. */
interface Downloaded {
  /** Where it was in the end. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Its media type as the server says; "" when it says none. */
  readonly type: string;
}

/** How a file is downloaded. */
interface Downloading {
  readonly signal: AbortSignal;
  progress?(bytes: number, total: number | undefined): void;
}

/** Reads addresses of the web. Nothing on this machine or in its network is asked unless the user allows the host. Throws `WebError`. */
export interface Web {
  page(url: URL, looking: Looking): Promise<Page>;
  download(url: URL, downloading: Downloading): Promise<Downloaded>;
}

/** One thing that a search found. */
export interface Found {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
}

/** Searches the web. Throws `WebError`. */
export interface WebSearch {
  /** The service's name for people. */
  readonly name: string;
  /** The host that is asked. */
  readonly host: string;
  find(query: string, count: number, signal: AbortSignal): Promise<readonly Found[]>;
}
