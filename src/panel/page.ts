/** Values that the panel's page gets from the webview that shows it. */
export interface PageOptions {
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Origin of the webview's own files, as its content security policy names it. */
  readonly cspSource: string;
  /** New for each page; only the script that has it may run. */
  readonly nonce: string;
}

/** The panel's page: nothing from other origins, nothing inline, and a text to read while the script loads. */
export function panelPage({ scriptUri, styleUri, cspSource, nonce }: PageOptions): string {
  const policy = [
    "default-src 'none'",
    `img-src ${cspSource} data:`,
    `style-src ${cspSource}`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>AutoGPT</title>
    <link rel="stylesheet" href="${attribute(styleUri)}">
  </head>
  <body>
    <div id="panel"><p class="starting" role="status">Restoring…</p></div>
    <script nonce="${attribute(nonce)}" src="${attribute(scriptUri)}"></script>
  </body>
</html>
`;
}

function attribute(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
