import type { Missing, OnlineServices } from "../../commands/web/services.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Web } from "../../core/ports/services.ts";
import type { BinaryFiles } from "../../core/ports/workspace.ts";
import { type AddressCheck, createAddressCheck } from "../../node/web/address-check.ts";
import { createBrowser, findBrowserProgram } from "../../node/web/browser.ts";
import { createNodeWeb } from "../../node/web/node-web.ts";
import { displayText } from "../../texts/display-text.ts";
import { createAudioService, createImageService, createTweetService } from "./media.ts";
import { searchService } from "./search.ts";
import type { HostKind, KeyFor, ServiceSettings } from "./settings.ts";

/** Dependencies of the web and media services. */
export interface ServicesOptions {
  readonly settings: ServiceSettings;
  /** Hosts allowed in any network, as of each request. */
  allowHosts(): readonly string[];
  readonly files: BinaryFiles;
  /** `page-worker.ts`, or its bundle. */
  readonly worker: string | URL;
  readonly keyFor: KeyFor;
  readonly host: HostKind;
  /** The model that reads pages. */
  getFastModel(): Promise<Model>;
}

const OFF: Missing = { missing: displayText("trouble.webOff") };
const NO_DOWNLOADS: Missing = { missing: displayText("trouble.downloadsOff") };

/** All services that leave the machine, according to the settings. Nothing is requested or started before its first use. */
export async function createServices({
  settings,
  allowHosts,
  files,
  worker,
  keyFor,
  host,
  getFastModel,
}: ServicesOptions): Promise<OnlineServices> {
  const checkAddress = createAddressCheck(allowHosts);
  const web = settings.web.enabled ? createWeb(settings, checkAddress, worker) : OFF;
  const [search, images, audio, tweets] = await Promise.all([
    settings.web.enabled ? searchService(settings.web, { checkAddress, worker, keyFor, host }) : OFF,
    createImageService(settings, keyFor, host),
    createAudioService(settings, keyFor, host),
    createTweetService(keyFor, host),
  ]);
  const downloads = settings.downloads.enabled ? web : NO_DOWNLOADS;
  return { web, search, downloads, images, audio, tweets, files, getFastModel };
}

function createWeb({ web }: ServiceSettings, checkAddress: AddressCheck, worker: string | URL): Web {
  const program = findBrowserProgram(web.browser);
  return createNodeWeb({
    checkAddress,
    maxBytes: web.maxBytes,
    worker,
    ...(program === undefined ? {} : { browse: createBrowser(program, checkAddress) }),
  });
}
