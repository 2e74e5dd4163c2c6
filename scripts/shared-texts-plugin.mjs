/** The entry of the English texts, by name; see `sharedTextsPlugin`. */
export const TEXTS_ENTRY = { english: "src/texts/english.ts" };

/** esbuild plugin: the texts are in nearly every part, so they're a part of their own, which is loaded once. */
export const sharedTextsPlugin = {
  name: "shared-texts",
  setup({ onResolve }) {
    onResolve({ filter: /\/english\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "./english.cjs", external: true },
    );
  },
};
