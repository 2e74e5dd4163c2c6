import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { RunBrowser } from "../../core/ports/browser.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, getRequiredText } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import {
  createBrowserCommand,
  createShownPageOutcome,
  prepareAction,
  renderReading,
  runInBrowser,
  showAddress,
} from "./browser-command.ts";
import { readAddress, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import type { ServiceDependencies } from "./services.ts";

/** The rank of the browser's commands: they are found together. */
export const BROWSER_RANK = 290;

/** Opens a page in the run's browser. */
export function openPage(place: ServiceDependencies): Command {
  return createBrowserCommand(place, {
    name: "open_page",
    aliases: ["navigate", "goto", "browser_navigate", "open_in_browser"],
    effect: "network",
    traits: {
      titles: [{ code: "OpenPage", address: "url" }],
      question: { code: "openPage", address: "url" },
      rank: BROWSER_RANK,
    },
    description:
      "Opens a page in a real browser, such as that of a dev server on localhost, and reads it: elements with references like [e12] for click and type_text.",
    parameters: createObjectSchema({ url: URL_ARGUMENT }, ["url"]),
    argumentAliases: URL_ALIASES,
    prepareWith: prepareOpening,
  });
}

function prepareOpening(browser: RunBrowser, args: Args): PreparedCall | Outcome {
  const url = readAddress(getRequiredText(args, "url"));
  if (typeof url === "string") return createFailure(url);
  const kind = browser.judgeOrigin(url);
  const run = (running: RunContext): Promise<Outcome> =>
    runInBrowser(browser, async () => {
      // Only a person's answer opens this machine, whatever else may have allowed the call.
      if (browser.judgeOrigin(url) === "local" && !running.approvedByUser)
        return createFailure(
          `Only the user can allow ${url.origin}, on the card of this call or in autogpt.web.allowHosts.`,
        );
      running.output(`Opening ${url.href}\n`);
      const reading = await browser.open(url, running.signal);
      return createShownPageOutcome(reading, [renderReading(reading)]);
    });
  const text = `Open ${url.href} in the browser.`;
  const hosts = [url.hostname];
  switch (kind) {
    case "web":
      return createPreparedCall("network", text, run, { hosts });
    case "approved":
      return createPreparedCall("network", text, run, { hosts, onApprovedOrigin: true });
    case "local": {
      const reason = displayText("safety.localOrigin", { origin: url.origin });
      return createPreparedCall("network", text, run, { hosts, onlyByUser: { rule: "local-origin", reason } });
    }
  }
}

/** Goes back to the page before. */
export function goBack(place: ServiceDependencies): Command {
  return createBrowserCommand(place, {
    name: "go_back",
    aliases: ["navigate_back", "browser_back"],
    effect: "network",
    traits: { titles: [{ code: "GoBack" }], rank: BROWSER_RANK },
    description: "Goes back to the page before in the browser.",
    parameters: createObjectSchema({}),
    async prepareWith(browser) {
      const url = await browser.findPrevious();
      if (!url) return createFailure("There is no page to go back to. Open one with open_page.");
      return prepareAction(
        browser,
        url,
        `Go back to ${showAddress(url)}`,
        async ({ signal }) => {
          const reading = await browser.goBack(signal);
          return createShownPageOutcome(reading, [renderReading(reading)]);
        },
        { fresh: async () => (await browser.findPrevious())?.href === url.href },
      );
    },
  });
}
