import { displayText, IN_ENGLISH } from "../texts/display-text.ts";
import { ENGLISH } from "../texts/english.ts";
import { getWritingDirection, LANGUAGE_ID } from "../texts/languages.ts";
import { type Language, writeText } from "../texts/writer.ts";

/** Values that the panel's page gets from the webview that shows it. */
export interface PageOptions {
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Origin of the webview's own files, as its content security policy names it. */
  readonly cspSource: string;
  /** New for each page; only the script that has it may run. */
  readonly nonce: string;
  /** English if it isn't given. Its texts are in the page for the first thing that is drawn. */
  readonly language?: Language;
}

/** The panel's page: nothing from other origins, nothing inline, and a text to read while the script loads. */
export function renderPanelPage({
  scriptUri,
  styleUri,
  cspSource,
  nonce,
  language = IN_ENGLISH,
}: PageOptions): string {
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

/** A value as JSON that can't end the element it's in. */
function encodeData(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function escapeAttribute(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
