import type { Missing } from "../commands/away-parts.ts";
import type { WebSearch } from "../core/web.ts";
import type { Reach } from "../node/web/reach.ts";
import { duckDuckGo } from "../node/web/search/duckduckgo.ts";
import { GOOGLE_ADDRESS, googleSearch } from "../node/web/search/google.ts";
import { templateProblem, templateSearch } from "../node/web/search/template.ts";
import type { KeyFor } from "./key-for.ts";
import type { AwaySettings } from "./settings.ts";

/** The search engine that the settings name. */
export async function searchPart(
  settings: AwaySettings["web"],
  way: Reach,
  worker: string | URL,
  keyFor: KeyFor,
): Promise<WebSearch | Missing> {
  switch (settings.searchProvider) {
    case "google":
      return google(settings.googleEngineId, way, await keyFor(GOOGLE_ADDRESS));
    case "custom":
      return custom(settings, keyFor);
    default:
      return duckDuckGo({ reach: way, worker });
  }
}

function google(engine: string, way: Reach, key: string | undefined): WebSearch | Missing {
  if (engine === "")
    return { missing: "Google search needs the id of a search engine (autogpt.web.googleEngineId)." };
  if (key === undefined) return { missing: `Google search needs a key (AutoGPT: Set API Key…).` };
  return googleSearch({ reach: way, key, engine });
}

async function custom(
  { searchUrl, searchHeaders }: AwaySettings["web"],
  keyFor: KeyFor,
): Promise<WebSearch | Missing> {
  const problem = templateProblem(searchUrl);
  if (problem !== undefined) return { missing: problem };
  const key = (await keyFor(searchUrl)) ?? "";
  const needsKey = Object.values(searchHeaders).some((header) => header.includes("{key}"));
  if (needsKey && key === "")
    return {
      missing: `The search service needs a key for ${new URL(searchUrl).host} (AutoGPT: Set API Key…).`,
    };
  return templateSearch({ template: searchUrl, headers: searchHeaders, key });
}
