import { GOOGLE_ADDRESS } from "../../node/web/search/google.ts";
import { X_ADDRESS } from "../../node/web/tweets.ts";
import { originOf } from "../keys.ts";
import type { Settings } from "../settings.ts";

/** A service that takes a key. */
export interface KeyService {
  readonly label: string;
  readonly description: string;
  readonly address: string;
  /** What to type, where it is not simply a key. */
  readonly what?: string;
}

const OPENAI = "https://api.openai.com/v1";

/** The services that the settings name, each origin once. `all`: also those that no setting names. */
export function keyServices({ model, azure, away }: Settings, all: boolean): readonly KeyService[] {
  const { web, image, audio } = away;
  const services: readonly KeyService[] = [
    service("The configured server", model.baseUrl),
    ...(azure.endpoint === "" ? [] : [service("Azure OpenAI", azure.endpoint)]),
    service("OpenAI", OPENAI),
    ...(web.searchProvider === "google" ? [service("Google search", GOOGLE_ADDRESS)] : []),
    ...(web.searchProvider === "custom" ? [service("Web search", web.searchUrl)] : []),
    ...(image.provider === "openai" ? [service("Pictures", image.baseUrl)] : []),
    ...(image.provider === "stableDiffusion"
      ? [
          {
            ...service("Stable Diffusion", image.baseUrl),
            what: "The login of the web UI, as user:password.",
          },
        ]
      : []),
    service("Recordings", audio.baseUrl),
    ...(all ? [{ ...service("X (Twitter)", X_ADDRESS), what: FOUR_KEYS }] : []),
  ];
  const origins = services.map(({ address }) => webOrigin(address));
  return services.filter((_one, index) => {
    const origin = origins[index];
    return index === 0 || (origin !== undefined && origins.indexOf(origin) === index);
  });
}

const FOUR_KEYS =
  "Four keys of an app that may write, in one line with spaces between: API key, API key secret, access token, access token secret.";

function service(label: string, address: string): KeyService {
  return { label, description: address, address };
}

function webOrigin(address: string): string | undefined {
  try {
    return originOf(address);
  } catch {
    return undefined;
  }
}
