import type { FromPanel } from "../protocol.ts";

/** What VS Code gives to a webview's script, once. */
export interface EditorApi {
  postMessage(message: FromPanel): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  function acquireVsCodeApi(): EditorApi;
}
