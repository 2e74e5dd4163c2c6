import type { Missing } from "../../commands/web/services.ts";
import type { WebSearch } from "../../core/ports/services.ts";
import type { AddressCheck } from "../../node/web/address-check.ts";
import { checkSearchTemplate, createCustomWebSearch } from "../../node/web/custom-search.ts";
import { createDuckDuckGoSearch } from "../../node/web/duckduckgo.ts";
import { createGoogleWebSearch, GOOGLE_ADDRESS } from "../../node/web/google-search.ts";
import { displayText, writeInEnglish } from "../../texts/display-text.ts";
import { getServiceNextSteps, type HostKind, type KeyFor, type ServiceSettings } from "./settings.ts";

type WebSettings = ServiceSettings["web"];

/** Dependencies of a search engine. */
interface SearchDependencies {
  readonly checkAddress: AddressCheck;
  readonly worker: string | URL;
  readonly keyFor: KeyFor;
  readonly host: HostKind;
}

type MakeSearch = (
  settings: WebSettings,
  dependencies: SearchDependencies,
) => WebSearch | Missing | Promise<WebSearch | Missing>;

/** One row for each value of `autogpt.web.searchProvider`. */
const ENGINES: Readonly<Record<WebSettings["searchProvider"], MakeSearch>> = {
  duckduckgo: (_settings, { checkAddress, worker }) => createDuckDuckGoSearch({ checkAddress, worker }),
  google: createGoogleSearch,
  custom: createCustomSearch,
};

/** The search engine that the settings name. */
export async function searchService(
  settings: WebSettings,
  dependencies: SearchDependencies,
): Promise<WebSearch | Missing> {
  return ENGINES[settings.searchProvider](settings, dependencies);
}

async function createGoogleSearch(
  { googleEngineId: engine }: WebSettings,
  { checkAddress, keyFor, host }: SearchDependencies,
): Promise<WebSearch | Missing> {
  if (engine === "") return { missing: displayText("trouble.googleNeedsEngine") };
  const key = await keyFor(GOOGLE_ADDRESS);
  const { key: keyStep } = getServiceNextSteps(host, "google");
  if (key === undefined) return { missing: displayText("trouble.googleNeedsKey", { key: keyStep }) };
  return createGoogleWebSearch({ checkAddress, key, keyStep: writeInEnglish(keyStep), engine });
}

async function createCustomSearch(
  { searchUrl, searchHeaders }: WebSettings,
  { keyFor, host }: SearchDependencies,
): Promise<WebSearch | Missing> {
  const problem = checkSearchTemplate(searchUrl);
  if (problem !== undefined) return { missing: problem };
  const { key: keyStep } = getServiceNextSteps(host, "search");
  const key = (await keyFor(searchUrl)) ?? "";
  const needsKey = Object.values(searchHeaders).some((header) => header.includes("{key}"));
  if (needsKey && key === "")
    return {
      missing: displayText("trouble.searchNeedsKey", {
        host: new URL(searchUrl).host,
        key: keyStep,
      }),
    };
  return createCustomWebSearch({
    template: searchUrl,
    headers: searchHeaders,
    key,
    keyStep: writeInEnglish(keyStep),
  });
}
