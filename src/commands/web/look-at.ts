import type { Running } from "../../core/command.ts";
import type { Page, Web } from "../../core/web.ts";

/** Opens a page, and says so. */
export async function lookAt(
  web: Web,
  url: URL,
  { signal, output }: Pick<Running, "signal" | "output">,
  browser: boolean,
): Promise<Page> {
  output(`Opening ${url.href}\n`);
  return web.page(url, { signal, browser, notice: (text) => output(`${text}\n`) });
}
