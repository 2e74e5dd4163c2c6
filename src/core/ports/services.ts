// Ports of commands that leave the machine: the web, searching it, and downloads.

/** Something on the web that could not be had; `message` is a sentence that says what to do instead. */
export class WebError extends Error {
  override readonly name = "WebError";
}

/** A link of a page; both are what a reader would see. */
export interface PageLink {
  readonly text: string;
  /** Absolute. */
  readonly url: string;
}

/** A page as somebody would read it. */
export interface WebPage {
  /** Where it was in the end. */
  readonly url: string;
  /** "" when it has none. */
  readonly title: string;
  /** Its main content as Markdown, or its text as it stands when it is no HTML. */
  readonly text: string;
  readonly links: readonly PageLink[];
  /** Sentences about what is missing or was done differently. */
  readonly notes: readonly string[];
}

/** How a page is looked at. */
interface OpenPageOptions {
  readonly signal: AbortSignal;
  /** A page that is empty without its scripts may be opened in a browser. */
  readonly browser: boolean;
  /** A sentence for people on what takes so long. */
  notice?(text: string): void;
}

/** A file as it came from the web. */
interface DownloadedFile {
  /** Where it was in the end. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Its media type as the server says; "" when it says none. */
  readonly type: string;
}

/** How a file is downloaded. */
interface DownloadOptions {
  readonly signal: AbortSignal;
  progress?(bytes: number, total: number | undefined): void;
}

/** Reads addresses of the web. Nothing on this machine or in its network is asked unless the user allows the host. Throws `WebError`. */
export interface Web {
  page(url: URL, looking: OpenPageOptions): Promise<WebPage>;
  download(url: URL, downloading: DownloadOptions): Promise<DownloadedFile>;
}

/** One thing that a search found. */
export interface SearchHit {
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
  find(query: string, count: number, signal: AbortSignal): Promise<readonly SearchHit[]>;
}

// Ports of services that make and read pictures and sound, and that publish. Each throws `WebError` or `ModelError`.

/** A service that is asked for something. */
interface ExternalService {
  /** For people. */
  readonly name: string;
  /** The host that is asked. */
  readonly host: string;
}

interface GeneratedImage {
  readonly bytes: Uint8Array;
  readonly model: string;
  /** US dollars; absent where the price is not known. */
  readonly costUsd?: number;
}

/** Draws pictures. */
export interface ImageGenerator extends ExternalService {
  /** As `1024x1024`, when the call asks for none. */
  readonly size: string;
  draw(prompt: string, size: string, signal: AbortSignal): Promise<GeneratedImage>;
}

interface Transcript {
  readonly text: string;
  readonly model: string;
  readonly costUsd?: number;
}

/** Writes down what is said in a recording. */
export interface Transcriber extends ExternalService {
  /** Bytes; larger recordings are not taken. */
  readonly most: number;
  transcribe(bytes: Uint8Array, fileName: string, signal: AbortSignal): Promise<Transcript>;
}

/** Publishes short texts under the user's name. */
export interface TweetPublisher extends ExternalService {
  /** Returns the address of what was published. */
  post(text: string, signal: AbortSignal): Promise<string>;
}
