/** The settings of all that leaves the machine, beside the models. */
export interface AwaySettings {
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
export function readAwaySettings(value: <T>(name: string, fallback: T) => T): AwaySettings {
  return {
    web: {
      enabled: value("web.enabled", true),
      searchProvider: value<AwaySettings["web"]["searchProvider"]>("web.searchProvider", "duckduckgo"),
      searchUrl: value("web.searchUrl", "").trim(),
      searchHeaders: value<Readonly<Record<string, string>>>("web.searchHeaders", {}),
      googleEngineId: value("web.googleEngineId", "").trim(),
      allowHosts: value<readonly string[]>("web.allowHosts", []),
      maxBytes: value("web.maxBytes", 5_000_000),
      browser: value("web.browser", "auto").trim(),
    },
    downloads: { enabled: value("downloads.enabled", false) },
    image: {
      provider: value<AwaySettings["image"]["provider"]>("image.provider", "openai"),
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
