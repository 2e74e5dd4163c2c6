import { IN_EDITOR, type NextSteps, ON_COMMAND_LINE } from "../models/http/endpoint.ts";

/** The settings of all that leaves the machine, beside the models. */
export interface ServiceSettings {
  readonly web: {
    readonly enabled: boolean;
    readonly searchProvider: "duckduckgo" | "google" | "custom";
    /** With `{query}`, for `custom`. */
    readonly searchUrl: string;
    /** With `{key}` where the key goes, for `custom`. */
    readonly searchHeaders: Readonly<Record<string, string>>;
    readonly googleEngineId: string;
    readonly allowHosts: readonly string[];
    readonly maxBytes: number;
    /** `auto`, `off` or a program. */
    readonly browser: string;
  };
  readonly downloads: { readonly enabled: boolean };
  readonly image: {
    readonly provider: "openai" | "stableDiffusion" | "off";
    readonly baseUrl: string;
    readonly model: string;
    readonly size: string;
  };
  readonly audio: { readonly baseUrl: string; readonly model: string };
}

/** Reads them; `value` gives a setting by its name below `autogpt.`, or the fallback where it is not set. */
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

/** Where the agent runs, which decides how its user sets keys. */
export type HostKind = "editor" | "commandLine";

/** Services other than the model's that take a key, each with its environment variable on a command line. */
const VARIABLES = {
  google: "GOOGLE_API_KEY",
  search: "SEARCH_API_KEY",
  image: "IMAGE_API_KEY",
  audio: "AUDIO_API_KEY",
  stableDiffusion: "SD_WEBUI_AUTH",
  x: "TW_CONSUMER_KEY, TW_CONSUMER_SECRET, TW_ACCESS_TOKEN and TW_ACCESS_TOKEN_SECRET",
} as const;

/** The next steps when a service doesn't answer, as parts of sentences. */
export function serviceSteps(host: HostKind, service: keyof typeof VARIABLES): NextSteps {
  return host === "editor"
    ? IN_EDITOR
    : {
        ...ON_COMMAND_LINE,
        key: `set ${VARIABLES[service]}${service === "stableDiffusion" ? " to user:password" : ""}`,
      };
}
