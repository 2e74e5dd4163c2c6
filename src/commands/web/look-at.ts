import { type Prepared, prepared, type Running } from "../../core/command.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Page } from "../../core/web.ts";
import { type Args, requiredText } from "../arguments.ts";
import { type AwayParts, type AwayPlace, isMissing, partOf } from "../away-parts.ts";
import { onWeb } from "../on-web.ts";
import { failed } from "../outcomes.ts";
import { readAddress } from "./address.ts";

/** What a command does with a page. */
export interface Look {
  /** What it wants of it, as a sentence for people. */
  readonly what: string;
  /** A real browser may open a page that is empty without its scripts. */
  readonly browser: boolean;
  read(page: Page, running: Running, away: AwayParts): Promise<Outcome> | Outcome;
}

/** The opening of the page that a call names, as it is shown and judged; or why it is not opened. */
export function lookAt(place: AwayPlace, args: Args, { what, browser, read }: Look): Prepared | Outcome {
  const web = partOf(place, "web");
  const { away } = place;
  if (isMissing(web) || !away) return failed("The web is turned off.");
  const url = readAddress(requiredText(args, "url"));
  if (typeof url === "string") return failed(url);
  return prepared(
    "network",
    `Open ${url.href}\n${what}`,
    (running) =>
      onWeb(async () => {
        const { signal, output } = running;
        output(`Opening ${url.href}\n`);
        const page = await web.page(url, { signal, browser, notice: (text) => output(`${text}\n`) });
        return read(page, running, away);
      }),
    { hosts: [url.hostname] },
  );
}
