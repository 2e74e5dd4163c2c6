import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { THEME_IDS, THEMES } from "../../panel/support/themes.ts";

const FOLDER = path.join(import.meta.dirname, "../../../src/webview/styles");
const sheets = fs.readdirSync(FOLDER).map((name) => fs.readFileSync(path.join(FOLDER, name), "utf8"));

describe("the panel's styles", () => {
  it("take their colours from VS Code's variables alone", () => {
    const literal =
      /#[0-9a-f]{3,8}\b(?!\s*\{)|\b(?:rgba?|hsla?|oklch|lab)\(|:\s*(?:white|black|red|green|blue|gray|grey)\b/gi;
    const found = sheets.flatMap((sheet) => sheet.match(literal) ?? []);
    assert.deepEqual(found, []);
  });

  it("name no left and no right, so that right-to-left mirrors", () => {
    const sided = sheets
      .flatMap((sheet) => sheet.replace(/\/\*.*?\*\//gs, "").match(/[\w-]+:[^;{}]+;/g) ?? [])
      .filter((rule) => {
        const [, top, end, , start] = /: (\S+) (\S+) (\S+) (\S+);$/.exec(rule) ?? [];
        const isSides = /^(margin|padding|inset|border-(width|style|color|radius)):/.test(rule);
        return /\b(left|right)\b/.test(rule) || (isSides && top !== undefined && end !== start);
      });
    assert.deepEqual(sided, []);
  });

  it("name only variables that VS Code has", () => {
    const known = new Set(THEME_IDS.flatMap((id) => Object.keys(THEMES[id].variables)));
    const used = sheets.flatMap((sheet) =>
      [...sheet.matchAll(/var\((--vscode-[\w-]+)/g)].map((match) => match[1] ?? ""),
    );
    assert.deepEqual(
      [...new Set(used)].filter((name) => !known.has(name)),
      [],
    );
  });
});
