import { quotePictureName } from "../../core/base/pictures.ts";
import { escapeForApproval } from "../../core/base/text.ts";
import type { Command, PreparedCall, RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { RunBrowser } from "../../core/ports/browser.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, FILENAME, getRequiredText, getTextArgument } from "../arguments.ts";
import { createFailure, createTextSummary } from "../outcomes.ts";
import { createTouch } from "../places.ts";
import { formatByteSize } from "../units.ts";
import {
  createBrowserCommand,
  createEffectOutcome,
  prepareAction,
  REFERENCE,
  REFERENCE_ALIASES,
  requireAddress,
  showAddress,
} from "./browser-command.ts";
import { BROWSER_RANK } from "./browser-pages.ts";
import type { ServiceDependencies } from "./services.ts";

const MOST_UPLOADED = 20_000_000;

/** Clicks an element of the page. */
export function clickElement(place: ServiceDependencies): Command {
  return createBrowserCommand(place, {
    name: "click",
    aliases: ["browser_click", "click_element"],
    effect: "network",
    traits: { titles: [{ code: "ClickElement" }], question: { code: "click" }, rank: BROWSER_RANK },
    description:
      "Clicks an element of the page in the browser. A file is given to the file chooser that the click opens.",
    parameters: createObjectSchema({ ref: REFERENCE, file: FILENAME }, ["ref"]),
    argumentAliases: { ...REFERENCE_ALIASES, filename: "file", upload: "file", path: "file" },
    prepareWith: (browser, args) => prepareClick(place, browser, args),
  });
}

/** The element that a call names. Its document decides, which may be that of a frame within the page. */
async function findElement(browser: RunBrowser, args: Args) {
  const page = requireAddress(browser);
  const ref = getRequiredText(args, "ref");
  const { text: element, address } = await browser.describe(ref);
  const around = address.origin === page.origin ? "" : `, in a frame of ${showAddress(page)}`;
  const checkOrigin = (): Promise<boolean> =>
    browser.describe(ref).then(
      (now) => now.address.origin === address.origin,
      () => false,
    );
  return { ref, element, address, where: `on ${showAddress(address)}${around}`, fresh: checkOrigin };
}

async function prepareClick(
  { workspace, services }: ServiceDependencies,
  browser: RunBrowser,
  args: Args,
): Promise<PreparedCall | Outcome> {
  const { ref, element, address, where, fresh } = await findElement(browser, args);
  const shown = `Click: ${element}\n${where}`;
  const finish = async (running: RunContext, place?: ResolvedPath): Promise<Outcome> => {
    const bytes = place && (await services?.files.readBytes(place));
    const file = place && bytes ? { name: getFileName(place), bytes, origin: address.origin } : undefined;
    return createEffectOutcome(await browser.click(ref, file, running.signal), createTextSummary(element));
  };
  const file = getTextArgument(args, "file") ?? "";
  if (file === "")
    return prepareAction(browser, address, escapeForApproval(shown), (running) => finish(running), { fresh });
  const place = await workspace.locate(file);
  const problem = explainUpload(place, services?.isSecret);
  if (problem !== undefined || place.kind !== "file") return createFailure(problem ?? "");
  const text = `${shown}\nand give it "${place.label}" (${formatByteSize(place.bytes)}).`;
  const reason = displayText("safety.uploads", { file: place.label, origin: address.origin });
  return prepareAction(browser, address, escapeForApproval(text), (running) => finish(running, place), {
    fresh,
    touches: [createTouch(place, "read")],
    onlyByUser: { rule: "uploads", reason },
  });
}

/** Why a file isn't given to a page. */
function explainUpload(place: ResolvedPath, isSecret: ((label: string) => boolean) | undefined): string | undefined {
  if (place.kind !== "file") return `There is no file ${quotePictureName(place.label)}. Look around with list_files.`;
  if (isSecret?.(place.label) ?? true)
    return `"${place.label}" may hold secrets, so no page gets it. Take another file.`;
  if (place.bytes > MOST_UPLOADED)
    return `"${place.label}" has ${formatByteSize(place.bytes)}; pages get files of up to ${formatByteSize(MOST_UPLOADED)}.`;
  return undefined;
}

function getFileName({ label }: ResolvedPath): string {
  return label.slice(label.lastIndexOf("/") + 1);
}

/** Types into an element of the page. */
export function typeText(place: ServiceDependencies): Command {
  return createBrowserCommand(place, {
    name: "type_text",
    aliases: ["browser_type", "fill", "type", "select_option"],
    effect: "network",
    traits: { titles: [{ code: "TypeText" }], question: { code: "typeText" }, rank: BROWSER_RANK },
    description:
      "Replaces the text of a field of the page in the browser, or chooses an option by its label, and then presses a key if one is named, such as Enter.",
    parameters: createObjectSchema(
      { ref: REFERENCE, text: { type: "string", maxLength: 20_000 }, press: { type: "string", maxLength: 30 } },
      ["ref"],
    ),
    argumentAliases: { ...REFERENCE_ALIASES, value: "text", contents: "text", key: "press" },
    prepareWith: prepareTyping,
  });
}

const KEY = /^(?:(?:Control|Shift|Alt|Meta|ControlOrMeta)\+)*(?:[A-Z][A-Za-z]+\d{0,2}|[ -~])$/;

/** Keys that put something into the person's clipboard, or what they have copied into the page. */
const CLIPBOARD =
  /(?:Control|Meta)\+(?:.*\+)?(?:(?:Key)?[CVX]|Insert|Numpad0)$|Shift\+(?:.*\+)?(?:Insert|Delete|NumpadDecimal)$|^(?:Copy|Cut|Paste)$/i;

async function prepareTyping(browser: RunBrowser, args: Args): Promise<PreparedCall | Outcome> {
  const { ref, element, address, where, fresh } = await findElement(browser, args);
  const text = getTextArgument(args, "text");
  const press = getTextArgument(args, "press");
  if (text === undefined && press === undefined) return createFailure("Give the text to type, or a key to press.");
  if (press !== undefined && !KEY.test(press))
    return createFailure(`${JSON.stringify(press)} is no key. Name one like Enter, Escape, ArrowDown or Control+A.`);
  if (press !== undefined && CLIPBOARD.test(press))
    return createFailure(`${press} would use the user's clipboard. Give the text to type instead.`);
  const lines = [
    `In: ${element}`,
    where,
    ...(text === undefined ? [] : ["Type:", text]),
    ...(press === undefined ? [] : [`Press: ${press}`]),
  ];
  const summary: DisplayText = createTextSummary(element);
  const type = async ({ signal }: RunContext): Promise<Outcome> =>
    createEffectOutcome(await browser.type(ref, { text, press }, signal), summary);
  return prepareAction(browser, address, escapeForApproval(lines.join("\n")), type, { fresh });
}
