import type { UnsavedText, UnsavedTexts } from "../../src/core/ports/unsaved-texts.ts";
import type { TextFile } from "../../src/core/ports/workspace.ts";

/** Editors with texts that aren't saved, by the real paths of their files. */
export class FakeEditors implements UnsavedTexts {
  readonly texts = new Map<string, TextFile>();

  /** Types a text that isn't saved. */
  type(path: string, text: string, more: Partial<TextFile> = {}): void {
    this.texts.set(path, { text, encoding: "utf-8", bom: false, eol: "\n", ...more });
  }

  listTextsBelow(folder: string): readonly UnsavedText[] {
    return [...this.texts.keys()]
      .filter((path) => path === folder || path.startsWith(`${folder}/`))
      .map((path) => this.unsavedText(path));
  }

  private unsavedText(path: string): UnsavedText {
    const read = () => {
      const file = this.texts.get(path);
      if (!file) throw new Error(`${path} has no unsaved text.`);
      return { kind: "text", file, version: `editor:${file.text}` } as const;
    };
    return {
      path,
      read,
      replace: async (version, { text }) => {
        if (!this.texts.has(path) || read().version !== version) return false;
        this.type(path, text, { ...read().file, text });
        return true;
      },
    };
  }
}
