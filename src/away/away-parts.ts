import type { Missing, OnlineServices } from "../commands/web/services.ts";
import type { Model } from "../core/ports/model.ts";
import type { Web } from "../core/ports/services.ts";
import type { BinaryFiles } from "../core/ports/workspace.ts";
import { browser } from "../node/web/browser.ts";
import { browserProgram } from "../node/web/browser-program.ts";
import { nodeWeb } from "../node/web/node-web.ts";
import { type Reach, reach } from "../node/web/reach.ts";
import type { HostKind, KeyFor } from "./key-for.ts";
import { audioPart, imagesPart, tweetsPart } from "./media.ts";
import { searchPart } from "./search.ts";
import type { AwaySettings } from "./settings.ts";

/** What reaching out is made of. */
export interface ReachingOut {
  readonly settings: AwaySettings;
  /** The hosts that may be anywhere, as they are at each request. */
  allowHosts(): readonly string[];
  readonly files: BinaryFiles;
  /** `page-worker.ts`, or what it was bundled to. */
  readonly worker: string | URL;
  readonly keyFor: KeyFor;
  readonly host: HostKind;
  /** The model that reads pages. */
  fast(): Promise<Model>;
}

const OFF: Missing = { missing: "The web is turned off (autogpt.web.enabled)." };
const NO_DOWNLOADS: Missing = { missing: "Downloads are turned off (autogpt.downloads.enabled)." };

/** All that leaves the machine, as the settings want it. Nothing is asked or started before it is used. */
export async function awayParts({
  settings,
  allowHosts,
  files,
  worker,
  keyFor,
  host,
  fast,
}: ReachingOut): Promise<OnlineServices> {
  const way = reach(allowHosts);
  const web = settings.web.enabled ? webOf(settings, way, worker) : OFF;
  const [search, images, audio, tweets] = await Promise.all([
    settings.web.enabled ? searchPart(settings.web, { way, worker, keyFor, host }) : OFF,
    imagesPart(settings.image, keyFor, host),
    audioPart(settings.audio, keyFor, host),
    tweetsPart(keyFor, host),
  ]);
  const downloads = settings.downloads.enabled ? web : NO_DOWNLOADS;
  return { web, search, downloads, images, audio, tweets, files, fast };
}

function webOf({ web }: AwaySettings, way: Reach, worker: string | URL): Web {
  const program = browserProgram(web.browser);
  return nodeWeb({
    reach: way,
    maxBytes: web.maxBytes,
    worker,
    ...(program === undefined ? {} : { browse: browser(program, way) }),
  });
}
