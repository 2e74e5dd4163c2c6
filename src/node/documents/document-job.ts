import type { DocumentKind } from "../../core/ports/workspace.ts";

/** What the reader of documents is given. */
export interface DocumentJob {
  readonly kind: DocumentKind;
  /** The file as it is; of kinds that are text themselves, that text in UTF-8. */
  readonly bytes: Uint8Array;
}

/** What it makes of that; an error is half a sentence. */
export type DocumentReading = { readonly text: string } | { readonly error: string };
