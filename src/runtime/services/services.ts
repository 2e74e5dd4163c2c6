import type { Missing, OnlineServices } from "../../commands/web/services.ts";
import type { Model } from "../../core/ports/model.ts";
import type { ImageGenerator, Transcriber, TweetPublisher, Web, WebSearch } from "../../core/ports/services.ts";
import type { BinaryFiles } from "../../core/ports/workspace.ts";
import { isLocal } from "../../models/http/endpoint.ts";
import {
  createHuggingFaceImages,
  createHuggingFaceTranscriber,
  resolveHuggingFaceAddress,
} from "../../models/media/hugging-face.ts";
import { openAiImages, openAiTranscriber } from "../../models/media/openai-media.ts";
import { createStableDiffusion } from "../../models/media/stable-diffusion.ts";
import { findBrowserProgram } from "../../node/browser/program.ts";
import { createRunBrowser } from "../../node/browser/run-browser.ts";
import { type AddressCheck, createAddressCheck } from "../../node/web/address-check.ts";
import { createBrowser } from "../../node/web/browser.ts";
import { checkSearchTemplate, createCustomWebSearch } from "../../node/web/custom-search.ts";
import { createDuckDuckGoSearch } from "../../node/web/duckduckgo.ts";
import { createGoogleWebSearch, GOOGLE_ADDRESS } from "../../node/web/google-search.ts";
import { createNodeWeb } from "../../node/web/node-web.ts";
import { createXPublisher, readOAuthKeys, X_ADDRESS } from "../../node/web/tweets.ts";
import { mayHoldSecrets } from "../../safety/paths/sensitive.ts";
import { displayText, writeInEnglish } from "../../texts/display-text.ts";
import { getServiceNextSteps, type HostKind, type KeyFor, type ServiceSettings } from "./settings.ts";

/** Dependencies of the web and media services. */
interface ServicesOptions {
  readonly settings: ServiceSettings;
  /** Hosts allowed in any network, as of each request. */
  allowHosts(): readonly string[];
  readonly files: BinaryFiles;
  /** `page-worker.ts`, or its bundle. */
  readonly worker: string | URL;
  readonly keyFor: KeyFor;
  readonly host: HostKind;
  /** Whether the browser's windows are shown, as of its start. */
  isBrowserVisible(): boolean;
  /** The model that reads pages. */
  getFastModel(): Promise<Model>;
}

const OFF: Missing = { missing: displayText("trouble.webOff") };
const NO_DOWNLOADS: Missing = { missing: displayText("trouble.downloadsOff") };

/** All services that leave the machine, according to the settings. Nothing is requested or started before its first use. */
export async function createServices({
  settings,
  allowHosts,
  isBrowserVisible,
  files,
  worker,
  keyFor,
  host,
  getFastModel,
}: ServicesOptions): Promise<OnlineServices> {
  const checkAddress = createAddressCheck(allowHosts);
  const program = findBrowserProgram(settings.web.browser, settings.browser.channel);
  const web = settings.web.enabled ? createWeb(settings, checkAddress, worker, program) : OFF;
  const [search, images, audio, tweets] = await Promise.all([
    settings.web.enabled ? searchService(settings.web, { checkAddress, worker, keyFor, host }) : OFF,
    createImageService(settings, keyFor, host),
    createAudioService(settings, keyFor, host),
    createTweetService(keyFor, host),
  ]);
  const downloads = settings.downloads.enabled ? web : NO_DOWNLOADS;
  const browser = settings.web.enabled
    ? chooseBrowser(settings, program, { allowHosts, checkAddress, isBrowserVisible })
    : OFF;
  return { web, search, downloads, images, audio, tweets, browser, files, isSecret: mayHoldSecrets, getFastModel };
}

/** The run's browser, or why there is none. */
function chooseBrowser(
  { web }: ServiceSettings,
  program: string | undefined,
  parts: Pick<ServicesOptions, "allowHosts" | "isBrowserVisible"> & { readonly checkAddress: AddressCheck },
): OnlineServices["browser"] {
  const { allowHosts, checkAddress, isBrowserVisible: isVisible } = parts;
  if (program !== undefined) return createRunBrowser({ program, isVisible, allowHosts, checkAddress });
  return { missing: displayText(web.browser === "off" ? "trouble.browserOff" : "trouble.noBrowser") };
}

function createWeb(
  { web }: ServiceSettings,
  checkAddress: AddressCheck,
  worker: string | URL,
  program: string | undefined,
): Web {
  return createNodeWeb({
    checkAddress,
    maxBytes: web.maxBytes,
    worker,
    ...(program === undefined ? {} : { browse: createBrowser(program, checkAddress) }),
  });
}

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
async function searchService(settings: WebSettings, dependencies: SearchDependencies): Promise<WebSearch | Missing> {
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

type MediaSettings = Pick<ServiceSettings, "model" | "image" | "audio">;
type ImageSettings = MediaSettings["image"];

type MakeImages = (settings: MediaSettings, key: string | undefined, host: HostKind) => ImageGenerator | Missing;

/** One row for each value of `autogpt.image.provider`. */
const IMAGE_SERVICES: Readonly<Record<ImageSettings["provider"], MakeImages>> = {
  openai: ({ image: { baseUrl, model, size }, model: account }, key, host) => {
    const steps = getServiceNextSteps(host, "image");
    return key === undefined
      ? {
          missing: displayText("trouble.picturesNeedKey", {
            address: getMediaOrigin(baseUrl),
            key: steps.key,
          }),
        }
      : openAiImages({ baseUrl, apiKey: key, account, model, size, steps });
  },
  stableDiffusion: ({ image: { baseUrl, size } }, key = "", host) =>
    createStableDiffusion({ baseUrl, login: key, size, steps: getServiceNextSteps(host, "stableDiffusion") }),
  huggingFace: ({ image: { baseUrl, model, size } }, key, host) => {
    const steps = getServiceNextSteps(host, "huggingFace");
    return key === undefined
      ? {
          missing: displayText("trouble.picturesNeedKey", {
            address: getMediaOrigin(resolveHuggingFaceAddress(baseUrl)),
            key: steps.key,
          }),
        }
      : createHuggingFaceImages({ baseUrl, apiKey: key, model, size, steps });
  },
  off: () => ({ missing: displayText("trouble.picturesOff") }),
};

/** The image service that the settings name. */
async function createImageService(
  settings: MediaSettings,
  keyFor: KeyFor,
  host: HostKind,
): Promise<ImageGenerator | Missing> {
  const { provider, baseUrl } = settings.image;
  const address = provider === "huggingFace" ? resolveHuggingFaceAddress(baseUrl) : baseUrl;
  const key = provider === "off" ? undefined : await findMediaKey(address, keyFor);
  return IMAGE_SERVICES[provider](settings, key, host);
}

/** The transcription service. */
async function createAudioService(
  { audio: { provider, baseUrl, model }, model: account }: MediaSettings,
  keyFor: KeyFor,
  host: HostKind,
): Promise<Transcriber | Missing> {
  if (provider === "huggingFace") {
    const address = resolveHuggingFaceAddress(baseUrl);
    const token = await findMediaKey(address, keyFor);
    const steps = getServiceNextSteps(host, "huggingFace");
    return token === undefined
      ? {
          missing: displayText("trouble.recordingsNeedKey", {
            address: getMediaOrigin(address),
            key: steps.key,
          }),
        }
      : createHuggingFaceTranscriber({ baseUrl, apiKey: token, model, steps });
  }
  const key = await findMediaKey(baseUrl, keyFor);
  const steps = getServiceNextSteps(host, "audio");
  return key === undefined
    ? {
        missing: displayText("trouble.recordingsNeedKey", {
          address: getMediaOrigin(baseUrl),
          key: steps.key,
        }),
      }
    : openAiTranscriber({ baseUrl, apiKey: key, account, model, steps });
}

/** The service that posts on X. */
async function createTweetService(keyFor: KeyFor, host: HostKind): Promise<TweetPublisher | Missing> {
  const { key: keyStep } = getServiceNextSteps(host, "x");
  const line = await keyFor(X_ADDRESS);
  if (line === undefined) return { missing: displayText("trouble.tweetsNeedKeys", { key: keyStep }) };
  const keys = readOAuthKeys(line);
  return keys
    ? createXPublisher(keys, writeInEnglish(keyStep))
    : {
        missing: displayText("trouble.tweetsBadKeys", { key: keyStep }),
      };
}

/** Finds a key. A server on this machine or its network may not need one. */
async function findMediaKey(address: string, keyFor: KeyFor): Promise<string | undefined> {
  const key = await keyFor(address).catch(() => undefined);
  return key ?? (isLocal(address) ? "" : undefined);
}

function getMediaOrigin(address: string): string {
  return URL.parse(address)?.origin ?? address;
}
