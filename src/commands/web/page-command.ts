import { createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { WebPage } from "../../core/ports/services.ts";
import { type Args, getRequiredText } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import {
  catchServiceErrors,
  findService,
  isMissing,
  type OnlineServices,
  type ServiceDependencies,
} from "./services.ts";

/** A command's use of a page. */
export interface PageView {
  /** Its purpose, as a sentence for people. */
  readonly what: string;
  /** A real browser may open the page if it's empty without scripts. */
  readonly browser: boolean;
  read(page: WebPage, running: RunContext, services: OnlineServices): Promise<Outcome> | Outcome;
}

/** Prepares a call that opens a page, to be shown and judged; returns an outcome if the page isn't opened. */
export function preparePage(
  place: ServiceDependencies,
  args: Args,
  { what, browser, read }: PageView,
): PreparedCall | Outcome {
  const web = findService(place, "web");
  const { services } = place;
  if (isMissing(web) || !services) return createFailure("The web is turned off.");
  const url = readAddress(getRequiredText(args, "url"));
  if (typeof url === "string") return createFailure(url);
  return createPreparedCall(
    "network",
    `Open ${url.href}\n${what}`,
    (running) =>
      catchServiceErrors(async () => {
        const { signal, output } = running;
        output(`Opening ${url.href}\n`);
        const page = await web.openPage(url, { signal, browser, notice: (text) => output(`${text}\n`) });
        return read(page, running, services);
      }),
    { hosts: [url.hostname] },
  );
}

const LONGEST = 4000;

/** Converts an address as a model writes it to a URL that can be opened, or explains in a sentence why it can't be. */
export function readAddress(written: string): URL | string {
  const text = written.trim().replace(/^<(.*)>$/s, "$1");
  if (text.length > LONGEST) return `The address is longer than ${LONGEST} characters. Give a shorter one.`;
  const url = URL.parse(addScheme(text));
  if (!url) return `"${shortenAddress(text)}" is not a web address. Give one like https://example.com/page.`;
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return `Only http and https addresses are opened, not ${url.protocol} ones. Files of the workspace are read with read_file.`;
  if (url.username !== "" || url.password !== "")
    return "The address holds a user name or password. Leave it out: no credentials are sent.";
  return url;
}

/** `www.example.com/page` means https; local and numeric addresses usually use http. */
function addScheme(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  if (text.startsWith("//")) return `https:${text}`;
  if (!/^(?:[\p{L}\p{N}_.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?#]|$)/iu.test(text)) return text;
  return /^(?:localhost|\d+\.\d+\.\d+\.\d+|\[)/i.test(text) ? `http://${text}` : `https://${text}`;
}

function shortenAddress(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`;
}

/** The schema of an argument with an address. */
export const URL_ARGUMENT = {
  type: "string",
  minLength: 1,
} as const;

/** Older and other names of that argument. */
export const URL_ALIASES: Readonly<Record<string, string>> = {
  website: "url",
  link: "url",
  address: "url",
  uri: "url",
  page: "url",
  web_page: "url",
};
