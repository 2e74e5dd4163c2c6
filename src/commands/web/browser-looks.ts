import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import { addShownPictures, type Outcome, showPictures } from "../../core/commands/outcome.ts";
import type { RunBrowser } from "../../core/ports/browser.ts";
import { displayText } from "../../texts/display-text.ts";
import { createObjectSchema, getFlagArgument, getRequiredText, getTextArgument } from "../arguments.ts";
import { NOTHING_FOUND } from "../outcomes.ts";
import {
  createBrowserCommand,
  createShownPageOutcome,
  REFERENCE,
  REFERENCE_ALIASES,
  renderReading,
  requireAddress,
  runInBrowser,
  showAddress,
} from "./browser-command.ts";
import { BROWSER_RANK } from "./browser-pages.ts";
import type { ServiceDependencies } from "./services.ts";

/** Prepares a look at the page that is already shown, which sends nothing. */
function prepareLook(browser: RunBrowser, text: string, run: PreparedCall["run"]): PreparedCall {
  const shown = showAddress(requireAddress(browser));
  return createPreparedCall("none", `${text} on ${shown}`, (running) => runInBrowser(browser, () => run(running)));
}

/** Reads the page that is shown. */
export function readShownPage(place: ServiceDependencies): Command {
  return createBrowserCommand(place, {
    name: "read_page",
    aliases: ["browser_snapshot", "page_snapshot", "snapshot"],
    effect: "none",
    traits: { titles: [{ code: "ReadBrowserPage" }], rank: BROWSER_RANK, reads: "state" },
    description:
      "Reads the page in the browser: its elements with references. Long pages are cut: read `of` one element, or `from` one on.",
    parameters: createObjectSchema({ of: REFERENCE, from: REFERENCE }),
    argumentAliases: { ...REFERENCE_ALIASES, ref: "of" },
    prepareWith: (browser, args) =>
      prepareLook(browser, "Read the elements", async ({ signal }) => {
        const [of, from] = [getTextArgument(args, "of"), getTextArgument(args, "from")];
        const part = { ...(of ? { of } : {}), ...(from ? { from } : {}) };
        const reading = await browser.read(part, signal);
        return createShownPageOutcome(reading, [renderReading(reading)]);
      }),
  });
}

/** Finds a text on the page that is shown. */
export function findInPage(place: ServiceDependencies): Command {
  return createBrowserCommand(place, {
    name: "find_in_page",
    aliases: ["search_page", "browser_find"],
    effect: "none",
    traits: { titles: [{ code: "FindInPage", query: "text" }], rank: BROWSER_RANK, reads: "state" },
    description: "Finds a text on the page in the browser: elements with it, their references, and those around them.",
    parameters: createObjectSchema({ text: { type: "string", minLength: 1, maxLength: 200 } }, ["text"]),
    argumentAliases: { query: "text", needle: "text", search: "text" },
    prepareWith: (browser, args) =>
      prepareLook(browser, "Find a text", async ({ signal }) => {
        const text = getRequiredText(args, "text");
        const found = await browser.find(text, signal);
        if (found.count === 0)
          return createShownPageOutcome(found, [`${JSON.stringify(text)} is not on the page.`], NOTHING_FOUND);
        const summary = displayText("results.places", { count: found.count });
        return createShownPageOutcome(found, [renderReading(found)], summary);
      }),
  });
}

/** Takes a picture of the page that is shown. */
export function takeScreenshot(place: ServiceDependencies): Command {
  return createBrowserCommand(place, {
    name: "screenshot",
    aliases: ["take_screenshot", "browser_take_screenshot", "page_screenshot"],
    effect: "none",
    traits: { titles: [{ code: "TakeScreenshot" }], rank: BROWSER_RANK, reads: "once" },
    description: "Takes a picture of the page in the browser as it's seen, of the whole page, or `of` an element.",
    parameters: createObjectSchema({ of: REFERENCE, full_page: { type: "boolean" } }),
    argumentAliases: { ...REFERENCE_ALIASES, ref: "of", fullPage: "full_page", whole: "full_page" },
    prepareWith: (browser, args) =>
      prepareLook(browser, "Take a picture", async ({ signal, showPicture, step }): Promise<Outcome> => {
        const of = getTextArgument(args, "of");
        const isWhole = getFlagArgument(args, "full_page");
        const { data, ...page } = await browser.takePicture({ ...(of ? { of } : {}), isWhole }, signal);
        const shown = await showPictures(showPicture, [{ name: `screenshot-${step}.png`, data }]);
        return addShownPictures(
          createShownPageOutcome(
            page,
            shown.map(({ text }) => text),
          ),
          shown,
        );
      }),
  });
}

/** Lists what the page has written to its console. */
export function readConsole(place: ServiceDependencies): Command {
  return createBrowserCommand(place, {
    name: "page_console",
    aliases: ["browser_console_messages", "console_messages"],
    effect: "none",
    traits: { titles: [{ code: "ReadConsole" }], rank: BROWSER_RANK, reads: "state" },
    description: "Lists the latest messages of the browser's console and failed requests.",
    parameters: createObjectSchema({}),
    prepareWith: (browser) =>
      prepareLook(browser, "List messages of the console", async () => {
        const { messages, ...page } = await browser.listMessages();
        const list = messages.length === 0 ? "The console is empty, and no request has failed." : messages.join("\n");
        const summary = displayText("results.messages", { count: messages.length });
        return createShownPageOutcome({ ...page, problems: [] }, [list], summary);
      }),
  });
}
