import fs from "node:fs";
import path from "node:path";

/** A theme as VS Code 1.139 hands it to a webview: the variables it sets that have to do with views. */
export interface Theme {
  readonly name: string;
  readonly kind: string;
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}

export const THEME_IDS = ["dark-2026", "light-2026", "dark", "light", "hc-dark", "hc-light"] as const;

export type ThemeId = (typeof THEME_IDS)[number];

const FILE = path.join(import.meta.dirname, "../../fixtures/panel-themes.json");

export const THEMES: Readonly<Record<ThemeId, Theme>> = JSON.parse(fs.readFileSync(FILE, "utf8"));
