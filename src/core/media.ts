// Ports of services that make and read pictures and sound, and that publish. Each throws `WebError` or `ModelError`.

/** A service that is asked for something. */
interface AskedService {
  /** For people. */
  readonly name: string;
  /** The host that is asked. */
  readonly host: string;
}

interface MadeImage {
  readonly bytes: Uint8Array;
  readonly model: string;
  /** US dollars; absent where the price is not known. */
  readonly costUsd?: number;
}

/** Draws pictures. */
export interface Images extends AskedService {
  /** As `1024x1024`, when the call asks for none. */
  readonly size: string;
  draw(prompt: string, size: string, signal: AbortSignal): Promise<MadeImage>;
}

interface Transcript {
  readonly text: string;
  readonly model: string;
  readonly costUsd?: number;
}

/** Writes down what is said in a recording. */
export interface Transcriber extends AskedService {
  /** Bytes; larger recordings are not taken. */
  readonly most: number;
  transcribe(bytes: Uint8Array, fileName: string, signal: AbortSignal): Promise<Transcript>;
}

/** Publishes short texts under the user's name. */
export interface Tweets extends AskedService {
  /** Returns the address of what was published. */
  post(text: string, signal: AbortSignal): Promise<string>;
}
