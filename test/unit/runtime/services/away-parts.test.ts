import assert from "node:assert/strict";
import { isMissing } from "../../../../src/commands/web/services.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { createServices } from "../../../../src/runtime/services/services.ts";
import type { HostKind, KeyFor, ServiceSettings } from "../../../../src/runtime/services/settings.ts";
import { DEFAULT_SETTINGS } from "../../../../src/schema/read-settings.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

const DEFAULTS: ServiceSettings = DEFAULT_SETTINGS;

/** What each part is, or why it is missing. */
async function told(
  change: (settings: ServiceSettings) => Partial<ServiceSettings>,
  keys: Readonly<Record<string, string>> = {},
  host: HostKind = "editor",
): Promise<Readonly<Record<string, string>>> {
  const keyFor: KeyFor = async (address) => keys[new URL(address).origin];
  const parts = await createServices({
    settings: { ...DEFAULTS, ...change(DEFAULTS) },
    allowHosts: () => [],
    isBrowserVisible: () => false,
    files: createNodeWorkspace({ folders: [] }),
    worker: "",
    keyFor,
    host,
    getFastModel: () => Promise.reject(new Error("It is not asked.")),
  });
  const { web, search, downloads, images, audio, tweets } = parts;
  return Object.fromEntries(
    Object.entries({ web, search, downloads, images, audio, tweets }).map(([name, part]) => [
      name,
      isMissing(part) ? writeInEnglish(part.missing) : "name" in part ? part.name : "there",
    ]),
  );
}

describe("what leaves the machine", () => {
  it("is the web without downloads, and what there are keys for", async () => {
    assert.deepEqual(await told(() => ({})), {
      web: "there",
      search: "DuckDuckGo",
      downloads: "Downloads are turned off (autogpt.downloads.enabled).",
      images: 'Pictures need an API key for https://api.openai.com. To fix that, run "AutoGPT: Set API Key…".',
      audio: 'Recordings need an API key for https://api.openai.com. To fix that, run "AutoGPT: Set API Key…".',
      tweets: 'Posting on X needs four keys of an app. To fix that, run "AutoGPT: Set API Key…".',
    });
  });

  it("names the variables of its keys on a command line", async () => {
    const drawn = await told(({ image }) => ({ image: { ...image, provider: "openai" } }), {}, "commandLine");
    const searched = await told(
      ({ web }) => ({ web: { ...web, searchProvider: "google", googleEngineId: "e" } }),
      {},
      "commandLine",
    );
    assert.deepEqual(
      [drawn.images, drawn.audio, drawn.tweets, searched.search],
      [
        "Pictures need an API key for https://api.openai.com. To fix that, set IMAGE_API_KEY.",
        "Recordings need an API key for https://api.openai.com. To fix that, set AUDIO_API_KEY.",
        "Posting on X needs four keys of an app. To fix that, set TW_CONSUMER_KEY, TW_CONSUMER_SECRET, TW_ACCESS_TOKEN and TW_ACCESS_TOKEN_SECRET.",
        "Google search needs a key. To fix that, set GOOGLE_API_KEY.",
      ],
    );
  });

  it("is all of it once it is set up", async () => {
    const keys = {
      "https://api.openai.com": "k",
      "https://api.x.com": "a b c d",
      "https://www.googleapis.com": "g",
    };
    const change = ({ web }: ServiceSettings): Partial<ServiceSettings> => ({
      web: { ...web, searchProvider: "google", googleEngineId: "e" },
      downloads: { enabled: true },
    });
    assert.deepEqual(await told(change, keys), {
      web: "there",
      search: "Google",
      downloads: "there",
      images: "gpt-image-1 at api.openai.com",
      audio: "gpt-4o-mini-transcribe at api.openai.com",
      tweets: "X",
    });
  });

  it("is nothing when the web is turned off, and says what is wrong with the rest", async () => {
    const change = ({ web, image }: ServiceSettings): Partial<ServiceSettings> => ({
      web: { ...web, enabled: false },
      downloads: { enabled: true },
      image: { ...image, provider: "off" },
    });
    const { audio: _audio, ...others } = await told(change, { "https://api.x.com": "only three keys" });
    const off = "The web is turned off (autogpt.web.enabled).";
    assert.deepEqual(others, {
      web: off,
      search: off,
      downloads: off,
      images: "Pictures are turned off (autogpt.image.provider).",
      tweets:
        'The keys for X must be four: API key, API key secret, access token, access token secret. To set them, run "AutoGPT: Set API Key…", with spaces between them.',
    });
  });

  it("says what a search service lacks", async () => {
    const search = async (change: Partial<ServiceSettings["web"]>, keys = {}) =>
      (await told(({ web }) => ({ web: { ...web, ...change } }), keys)).search;
    const custom = { searchProvider: "custom", searchUrl: "https://s.example/?q={query}" } as const;
    const withKey = { ...custom, searchHeaders: { token: "{key}" } };
    assert.deepEqual(
      [
        await search({ searchProvider: "google" }),
        await search({ searchProvider: "google", googleEngineId: "e" }),
        await search({ searchProvider: "custom" }),
        await search(custom),
        await search(withKey),
        await search(withKey, { "https://s.example": "k" }),
      ],
      [
        "Google search needs the ID of a search engine (autogpt.web.googleEngineId).",
        'Google search needs a key. To fix that, run "AutoGPT: Set API Key…".',
        "The address of the search service must be a web address with {query} in it, like https://search.example.com/search?q={query}&format=json (autogpt.web.searchUrl).",
        "s.example",
        'The search service needs a key for s.example. To fix that, run "AutoGPT: Set API Key…".',
        "s.example",
      ],
    );
  });
});
