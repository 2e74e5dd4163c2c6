/** The page of the browser after a command. */
export interface BrowserPage {
  readonly url: string;
  readonly title: string;
  /** Sentences about dialogs, refused requests and downloads, new tabs and the like since the last command. */
  readonly notes: readonly string[];
  /** Errors of the console and failed requests since the last command. */
  readonly problems: readonly string[];
}

/** A page with a part of its accessibility tree. */
export interface BrowserReading extends BrowserPage {
  /** Lines of elements with their references, such as `[e12]`; "" if there are none. */
  readonly tree: string;
  /** A sentence about lines that are left out, and how to read them; "" if there are none. */
  readonly rest: string;
}

/** An action's effect on the page: all of a new one, or the lines of the same one that are new. */
export interface BrowserEffect extends BrowserReading {
  readonly isNewPage: boolean;
}

/** An element of the page, or of a frame within it. */
export interface BrowserElement {
  /** Its line, as it was last read. */
  readonly text: string;
  /** The address of the document that it's in, which decides on what it does. */
  readonly address: URL;
}

/** A file for an upload. */
export interface UploadFile {
  /** Only documents of this origin get it. */
  readonly origin: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Input for an element. */
export interface BrowserInput {
  /** Replaces the element's text; undefined leaves it. */
  readonly text?: string | undefined;
  /** A key that is pressed afterward, as `Enter` or `Control+A`. */
  readonly press?: string | undefined;
  readonly file?: UploadFile | undefined;
}

/**
 * How an address is judged. One of this machine is `local` until the user has allowed its origin for the run, and `approved` afterward; all
 * others are `web`.
 */
export type OriginKind = "web" | "local" | "approved";

/** The browser of a run, which starts with the first page. Its methods throw `WebError`. */
export interface RunBrowser {
  /** The origin's kind, by the address of a page or of a request. */
  judgeOrigin(url: URL): OriginKind;
  /** Address of the page that is shown; undefined before the first. */
  findAddress(): URL | undefined;
  /** Address of the page before it. */
  findPrevious(): Promise<URL | undefined>;
  /** The element as it is now, or throws a sentence. */
  describe(reference: string): Promise<BrowserElement>;
  /** Opens a page that the user has allowed. */
  open(url: URL, signal: AbortSignal): Promise<BrowserReading>;
  goBack(signal: AbortSignal): Promise<BrowserReading>;
  click(reference: string, file: UploadFile | undefined, signal: AbortSignal): Promise<BrowserEffect>;
  type(reference: string, input: BrowserInput, signal: AbortSignal): Promise<BrowserEffect>;
  /** Reads the page, the part `of` an element, or `from` an element on. */
  read(part: { readonly of?: string; readonly from?: string }, signal: AbortSignal): Promise<BrowserReading>;
  /** Lines with a text and those around them. */
  find(text: string, signal: AbortSignal): Promise<BrowserReading & { readonly count: number }>;
  /** A picture of what is shown, of the whole page, or of an element. */
  takePicture(
    what: { readonly of?: string; readonly isWhole: boolean },
    signal: AbortSignal,
  ): Promise<BrowserPage & { readonly data: Uint8Array }>;
  /** The latest messages of the console and failed requests, oldest first. */
  listMessages(): Promise<BrowserPage & { readonly messages: readonly string[] }>;
  close(): Promise<void>;
}
