import type { PageLink, SearchHit } from "../../core/ports/services.ts";

/** What a worker is asked to read. */
export interface PageJob {
  readonly bytes: Uint8Array;
  /** `Content-Type`; "" when the server sent none. */
  readonly type: string;
  /** Where it was; links are relative to it. */
  readonly url: string;
  /** A list of search results instead of a page. */
  readonly results?: boolean;
}

/** What a worker made of it. */
export type PageReading =
  | {
      readonly kind: "page";
      readonly title: string;
      readonly text: string;
      readonly links: readonly PageLink[];
      /** There is nothing to read, but scripts that would make it. */
      readonly isEmptyWithoutScripts: boolean;
    }
  | { readonly kind: "results"; readonly found: readonly SearchHit[] }
  /** It is no text. */
  | { readonly kind: "binary" };
