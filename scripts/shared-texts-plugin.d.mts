import type { Plugin } from "esbuild";

/** The entry of the English texts, by name; see `sharedTextsPlugin`. */
export const TEXTS_ENTRY: { readonly english: string };

/** esbuild plugin: the texts are in nearly every part, so they're a part of their own, which is loaded once. */
export const sharedTextsPlugin: Plugin;
