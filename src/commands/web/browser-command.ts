import { cutText } from "../../core/base/text.ts";
import type { Command, PreparedCall, RunContext } from "../../core/commands/command.ts";
import { createPreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { BrowserEffect, BrowserPage, BrowserReading, RunBrowser } from "../../core/ports/browser.ts";
import { WebError } from "../../core/ports/services.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import type { Args } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { explainMissingService, findService, isMissing, type ServiceDependencies } from "./services.ts";

/** The schema of an argument that names an element. */
export const REFERENCE = {
  type: "string",
  minLength: 2,
  maxLength: 20,
  description: "Like e12, from read_page.",
} as const;

/** Other names of that argument. */
export const REFERENCE_ALIASES: Readonly<Record<string, string>> = {
  reference: "ref",
  element: "ref",
  element_ref: "ref",
  target: "ref",
};

/** Creates a command of the browser. They're found by searching, so prompts don't grow with them. */
export function createBrowserCommand(
  place: ServiceDependencies,
  command: Omit<Command, "category" | "withheld" | "prepare"> & {
    readonly prepareWith: (browser: RunBrowser, args: Args) => Promise<PreparedCall | Outcome> | PreparedCall | Outcome;
  },
): Command {
  const { prepareWith, ...rest } = command;
  return {
    ...rest,
    category: "web",
    withheld: () => explainMissingService(findService(place, "browser")),
    async prepare(args) {
      const browser = findService(place, "browser");
      if (isMissing(browser)) return createFailure("There is no browser here. Use browse_website, or tell the user.");
      try {
        return await prepareWith(browser, args);
      } catch (error) {
        return createBrowserFailure(browser, error);
      }
    },
  };
}

/** Prepares a call that acts on a document. It's shown and judged again if that is another one's by then, which `fresh` says. */
export function prepareAction(
  browser: RunBrowser,
  address: URL,
  text: string,
  act: (running: RunContext) => Promise<Outcome>,
  more: Pick<PreparedCall, "fresh"> & Parameters<typeof createPreparedCall>[3],
): PreparedCall {
  return createPreparedCall("network", text, (running) => runInBrowser(browser, () => act(running)), {
    hosts: [address.hostname],
    ...(browser.judgeOrigin(address) === "approved" && more.onlyByUser === undefined ? { onApprovedOrigin: true } : {}),
    ...more,
  });
}

/** The page that is shown, or a sentence that none is. */
export function requireAddress(browser: RunBrowser): URL {
  const url = browser.findAddress();
  if (!url) throw new WebError("No page is open in the browser. Open one with open_page.");
  return url;
}

/** An address on a card, where a page's own path must not push the rest out of sight. */
export function showAddress({ href }: URL): string {
  return cutText(href, 300);
}

/** Runs a call, whose failures are sentences. */
export async function runInBrowser(browser: RunBrowser, act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    return createBrowserFailure(browser, error);
  }
}

function createBrowserFailure(browser: RunBrowser, error: unknown): Outcome {
  if (!(error instanceof WebError)) throw error;
  const url = browser.findAddress();
  const failure = createFailure(error.message, error.shown);
  // Such a sentence may quote the page.
  return url && failure.status === "failed" ? { ...failure, source: { kind: "web", name: showAddress(url) } } : failure;
}

/** An outcome with text from the page, which is quoted as data and counts as untrusted. */
export function createShownPageOutcome(
  page: BrowserPage,
  parts: readonly string[],
  summary: DisplayText = describePage(page),
): Extract<Outcome, { readonly status: "done" }> {
  const { url, title, notes, problems } = page;
  const head = [title === "" ? "" : `Title: ${title}`, `Address: ${url}`, ...notes.map((note) => `[${note}]`)];
  const errors = problems.length === 0 ? "" : `Errors since the last command:\n${problems.join("\n")}`;
  const text = [head.filter((line) => line !== "").join("\n"), errors, ...parts];
  return {
    status: "done",
    output: text.filter((part) => part !== "").join("\n\n"),
    source: { kind: "web", name: url },
    summary,
  };
}

function describePage({ title, url }: BrowserPage): DisplayText {
  return displayText("results.text", { text: (title === "" ? url : title).slice(0, 100) });
}

/** The lines of a reading, with a sentence about the others. */
export function renderReading({ tree, rest }: BrowserReading): string {
  const lines = tree === "" ? "[There is nothing to read.]" : tree;
  return rest === "" ? lines : `${lines}\n[${rest}]`;
}

/** The outcome of an action: the new page, or the lines that are new. */
export function createEffectOutcome(effect: BrowserEffect, summary: DisplayText): Outcome {
  if (effect.isNewPage) return createShownPageOutcome(effect, ["A new page is shown:", renderReading(effect)]);
  const change = effect.tree === "" ? "Nothing new is on the page." : `New on the page:\n${renderReading(effect)}`;
  return createShownPageOutcome(effect, [change], summary);
}
