import { IN_EDITOR, type NextSteps, ON_COMMAND_LINE } from "../models/next-steps.ts";

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
