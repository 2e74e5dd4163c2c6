import type { DisplayText } from "../../texts/display-text.ts";

/** A failed access to the web; `message` is a sentence that says what to do instead. */
export class WebError extends Error {
  override readonly name = "WebError";
  /** The same for people, in a few words. */
  readonly shown?: DisplayText;

  constructor(message: string, { shown, ...options }: ErrorOptions & { readonly shown?: DisplayText } = {}) {
    super(message, options);
    if (shown) this.shown = shown;
  }
}

/** A link of a page, as a reader sees it. */
export interface PageLink {
  readonly text: string;
  /** Absolute address. */
  readonly url: string;
}

/** A page reduced to its readable content. */
export interface WebPage {
  /** Address after redirects. */
  readonly url: string;
  /** "" if it has none. */
  readonly title: string;
  /** Main content as Markdown, or the plain text if it isn't HTML. */
  readonly text: string;
  readonly links: readonly PageLink[];
  /** Sentences about missing content or other deviations. */
  readonly notes: readonly string[];
}

/** Options of opening a page. */
interface OpenPageOptions {
  readonly signal: AbortSignal;
  /** Allows a browser for pages that are empty without their scripts. */
  readonly browser: boolean;
  /** Shows a sentence about a long wait to people. */
  notice?(text: string): void;
}

/** A file from the web. */
interface DownloadedFile {
  /** Address after redirects. */
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Media type according to the server; "" if unknown. */
  readonly type: string;
}

/** Options of a download. */
interface DownloadOptions {
  readonly signal: AbortSignal;
  reportProgress?(bytes: number, total: number | undefined): void;
}

/** A single request. Only GET and HEAD follow redirects, within the same site. */
export interface ApiRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** A server's response with any status. */
export interface ApiResponse {
  /** Address after redirects. */
  readonly url: string;
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The body was longer than the limit, and is cut there. */
  readonly isCut: boolean;
}

/** Reads web addresses. Hosts on this machine or in its network need the user's permission. Throws `WebError`. */
export interface Web {
  openPage(url: URL, looking: OpenPageOptions): Promise<WebPage>;
  download(url: URL, downloading: DownloadOptions): Promise<DownloadedFile>;
  send(url: URL, request: ApiRequest): Promise<ApiResponse>;
}

/** One result of a web search. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
}

/** Searches the web. Throws `WebError`. */
export interface WebSearch {
  /** The service's name for people. */
  readonly name: string;
  /** Host that receives the requests. */
  readonly host: string;
  find(query: string, count: number, signal: AbortSignal): Promise<readonly SearchHit[]>;
}

/** A service outside this machine. Its methods throw `WebError` or `ModelError`. */
interface ExternalService {
  /** Name for people. */
  readonly name: string;
  /** Host that receives the requests. */
  readonly host: string;
}

interface GeneratedImage {
  readonly bytes: Uint8Array;
  readonly model: string;
  /** US dollars; absent if the price isn't known. */
  readonly costUsd?: number;
}

/** Generates images. */
export interface ImageGenerator extends ExternalService {
  /** Default size, for example `1024x1024`. */
  readonly size: string;
  draw(prompt: string, size: string, signal: AbortSignal): Promise<GeneratedImage>;
}

interface Transcript {
  readonly text: string;
  readonly model: string;
  readonly costUsd?: number;
}

/** Transcribes recordings. */
export interface Transcriber extends ExternalService {
  /** Maximum size of a recording in bytes. */
  readonly most: number;
  transcribe(bytes: Uint8Array, fileName: string, signal: AbortSignal): Promise<Transcript>;
}

/** Publishes short texts in the user's name. */
export interface TweetPublisher extends ExternalService {
  /** Returns the address of the publication. */
  post(text: string, signal: AbortSignal): Promise<string>;
}
