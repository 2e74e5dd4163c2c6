import { displayText, IN_ENGLISH } from "../../texts/display-text.ts";
import { ENGLISH } from "../../texts/english.ts";
import { getWritingDirection, LANGUAGE_ID } from "../../texts/languages.ts";
import { type Language, writeText } from "../../texts/writer.ts";

/** Values from the webview for the panel's page. */
export interface PageOptions {
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Origin of the webview's own files, for the content security policy. */
  readonly cspSource: string;
  /** A new value for each page. Only scripts with this value may run. */
  readonly nonce: string;
  /** English by default. The page contains its texts for the first drawing. */
  readonly language?: Language;
}

/** The panel's page: nothing from other origins, nothing inline, and a text to read while the script loads. */
export function renderPanelPage({ scriptUri, styleUri, cspSource, nonce, language = IN_ENGLISH }: PageOptions): string {
  const policy = [
    "default-src 'none'",
    `img-src ${cspSource} data:`,
    `style-src ${cspSource}`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  // The panel's script has the English texts itself.
  const sent = { ...language, texts: language.tag === "en" ? {} : language.texts };
  const restoring = writeText(displayText("common.restoring"), language, ENGLISH);
  return `<!DOCTYPE html>
<html lang="${escapeAttribute(language.tag)}" dir="${getWritingDirection(language)}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${escapeAttribute(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>AutoGPT</title>
    <link rel="stylesheet" href="${escapeAttribute(styleUri)}">
  </head>
  <body>
    <div id="panel"><p class="starting" role="status">${escapeAttribute(restoring)}</p></div>
    <script type="application/json" id="${LANGUAGE_ID}">${encodeData(sent)}</script>
    <script nonce="${escapeAttribute(nonce)}" src="${escapeAttribute(scriptUri)}"></script>
  </body>
</html>
`;
}

/** Encodes a value as JSON that can't close its element. */
function encodeData(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function escapeAttribute(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
