import type { Missing } from "../commands/web/services.ts";
import type { WebSearch } from "../core/ports/services.ts";
import type { AddressCheck } from "../node/web/address-check.ts";
import { customSearch, customSearchProblem } from "../node/web/custom-search.ts";
import { duckDuckGo } from "../node/web/duckduckgo.ts";
import { GOOGLE_ADDRESS, googleSearch } from "../node/web/google-search.ts";
import { type HostKind, type KeyFor, type ServiceSettings, serviceSteps } from "./settings.ts";

/** Dependencies of a search engine. */
interface SearchDependencies {
  readonly way: AddressCheck;
  readonly worker: string | URL;
  readonly keyFor: KeyFor;
  readonly host: HostKind;
}

/** The search engine that the settings name. */
export async function searchService(
  settings: ServiceSettings["web"],
  { way, worker, keyFor, host }: SearchDependencies,
): Promise<WebSearch | Missing> {
  switch (settings.searchProvider) {
    case "google":
      return google(settings.googleEngineId, way, await keyFor(GOOGLE_ADDRESS), host);
    case "custom":
      return custom(settings, keyFor, host);
    default:
      return duckDuckGo({ reach: way, worker });
  }
}

function google(
  engine: string,
  way: AddressCheck,
  key: string | undefined,
  host: HostKind,
): WebSearch | Missing {
  if (engine === "")
    return { missing: "Google search needs the id of a search engine (autogpt.web.googleEngineId)." };
  const { key: keyStep } = serviceSteps(host, "google");
  if (key === undefined) return { missing: `Google search needs a key. To fix that, ${keyStep}.` };
  return googleSearch({ reach: way, key, keyStep, engine });
}

async function custom(
  { searchUrl, searchHeaders }: ServiceSettings["web"],
  keyFor: KeyFor,
  host: HostKind,
): Promise<WebSearch | Missing> {
  const problem = customSearchProblem(searchUrl);
  if (problem !== undefined) return { missing: problem };
  const { key: keyStep } = serviceSteps(host, "search");
  const key = (await keyFor(searchUrl)) ?? "";
  const needsKey = Object.values(searchHeaders).some((header) => header.includes("{key}"));
  if (needsKey && key === "")
    return {
      missing: `The search service needs a key for ${new URL(searchUrl).host}. To fix that, ${keyStep}.`,
    };
  return customSearch({ template: searchUrl, headers: searchHeaders, key, keyStep });
}
