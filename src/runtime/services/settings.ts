import { IN_EDITOR, type NextSteps, ON_COMMAND_LINE } from "../../models/http/endpoint.ts";
import type { Settings } from "../../schema/settings.ts";

/** The settings of everything that leaves the machine, except models. */
export type ServiceSettings = Pick<Settings, "model" | "web" | "browser" | "downloads" | "image" | "audio">;

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
  huggingFace: "HUGGINGFACE_API_TOKEN",
  x: "TW_CONSUMER_KEY, TW_CONSUMER_SECRET, TW_ACCESS_TOKEN and TW_ACCESS_TOKEN_SECRET",
} as const;

/** Next steps when a service doesn't respond, as parts of sentences. */
export function getServiceNextSteps(host: HostKind, service: keyof typeof VARIABLES): NextSteps {
  return host === "editor"
    ? IN_EDITOR
    : {
        ...ON_COMMAND_LINE,
        key: `set ${VARIABLES[service]}${service === "stableDiffusion" ? " to user:password" : ""}`,
      };
}
