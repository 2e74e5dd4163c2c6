import { IN_EDITOR, type NextSteps, ON_COMMAND_LINE } from "../models/http/endpoint.ts";
import type { Settings } from "../schema/settings.ts";

/** The settings of everything that leaves the machine, except models. */
export type ServiceSettings = Pick<Settings, "web" | "downloads" | "image" | "audio">;

/** Reads these settings. `value` returns a setting by its name below `autogpt.`, or the fallback if it isn't set. */
export function readAwaySettings(value: <T>(name: string, fallback: T) => T): ServiceSettings {
  return {
    web: {
      enabled: value("web.enabled", true),
      searchProvider: value<ServiceSettings["web"]["searchProvider"]>("web.searchProvider", "duckduckgo"),
      searchUrl: value("web.searchUrl", "").trim(),
      searchHeaders: value<Readonly<Record<string, string>>>("web.searchHeaders", {}),
      googleEngineId: value("web.googleEngineId", "").trim(),
      allowHosts: value<readonly string[]>("web.allowHosts", []),
      maxBytes: value("web.maxBytes", 5_000_000),
      browser: value("web.browser", "auto").trim(),
    },
    downloads: { enabled: value("downloads.enabled", false) },
    image: {
      provider: value<ServiceSettings["image"]["provider"]>("image.provider", "openai"),
      baseUrl: value("image.baseUrl", "https://api.openai.com/v1").trim(),
      model: value("image.model", "gpt-image-1").trim(),
      size: value("image.size", "1024x1024").trim(),
    },
    audio: {
      baseUrl: value("audio.baseUrl", "https://api.openai.com/v1").trim(),
      model: value("audio.model", "gpt-4o-mini-transcribe").trim(),
    },
  };
}

/** The key that is stored for an address's origin; undefined when there is none. */
export type KeyFor = (address: string) => Promise<string | undefined>;

/** Where the agent runs, which determines how its user sets keys. */
export type HostKind = "editor" | "commandLine";

/** Services with a key, other than models, each with its environment variable on a command line. */
const VARIABLES = {
  google: "GOOGLE_API_KEY",
  search: "SEARCH_API_KEY",
  image: "IMAGE_API_KEY",
  audio: "AUDIO_API_KEY",
  stableDiffusion: "SD_WEBUI_AUTH",
  x: "TW_CONSUMER_KEY, TW_CONSUMER_SECRET, TW_ACCESS_TOKEN and TW_ACCESS_TOKEN_SECRET",
} as const;

/** Next steps when a service doesn't respond, as parts of sentences. */
export function serviceSteps(host: HostKind, service: keyof typeof VARIABLES): NextSteps {
  return host === "editor"
    ? IN_EDITOR
    : {
        ...ON_COMMAND_LINE,
        key: `set ${VARIABLES[service]}${service === "stableDiffusion" ? " to user:password" : ""}`,
      };
}
