import { isObject } from "../../core/base/json.ts";
import { formatSecretAddress } from "../call-context.ts";
import { formatPasswordName, readAccount } from "./mail-account.ts";

/** The user's settings of one API. */
export interface ApiSettings {
  readonly name: string;
  /** An address that replaces the description's servers. */
  readonly server?: string;
  /** Values for variables in the server's address. */
  readonly variables: Readonly<Record<string, string>>;
  /** Prefixes of the included operations' paths; empty: all operations. */
  readonly paths: readonly string[];
}

/** An API as configured in `autogpt.plugins.config.openapi`. */
export interface ConfiguredApi extends ApiSettings {
  /** The plugin's id. */
  readonly id: string;
  /** Address or path of the description. */
  readonly from: string;
  /** The only origin to which the user's key is sent. */
  readonly keyOrigin?: string;
}

type Config = Readonly<Record<string, unknown>>;

/** The configured APIs, each as a value or as a sentence about what is wrong with it. */
export function listConfiguredApis(
  config: Config,
): readonly { readonly name: string; readonly api: ConfiguredApi | string }[] {
  const apis = config.openapi;
  if (!isObject(apis)) return [];
  return Object.entries(apis).map(([name, value]) => ({ name, api: parseConfiguredApi(name, value) }));
}

function parseConfiguredApi(name: string, value: unknown): ConfiguredApi | string {
  const place = `autogpt.plugins.config.openapi.${name}`;
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,23}$/.test(name))
    return `${place}: a name has up to 24 letters, digits, "-" and "_", and begins with a letter.`;
  const given = typeof value === "string" ? { url: value } : value;
  if (!isObject(given) || typeof given.url !== "string" || given.url.trim() === "")
    return `${place} needs "url": the address or the path of the description.`;
  const { server, variables, paths } = given;
  if (server !== undefined && !isWebAddress(server))
    return `${place}: "server" has to be a web address, such as https://api.example.com/v1.`;
  const from = given.url.trim();
  const origin = isWebAddress(server) ? server : from;
  return {
    id: `openapi.${name}`,
    name,
    from,
    ...(isWebAddress(server) ? { server } : {}),
    ...(isWebAddress(origin) ? { keyOrigin: new URL(origin).origin } : {}),
    variables: isObject(variables)
      ? Object.fromEntries(Object.entries(variables).map(([key, text]) => [key, String(text)]))
      : {},
    paths: Array.isArray(paths) ? paths.map(String) : [],
  };
}

function isWebAddress(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\/[^/]/i.test(value) && URL.canParse(value);
}

/** A secret of a built-in plugin, as the user enters it. */
export interface OwnSecret {
  readonly label: string;
  /** Its storage address; see `formatSecretAddress`. */
  readonly address: string;
  /** Where it's sent, for people. */
  readonly place: string;
  /** Describes what to enter, as a sentence. */
  readonly what: string;
  /** Its environment variable on a command line. */
  readonly variable: string;
}

/** The secrets that the built-in plugins' settings require. */
export function listOwnSecrets(config: Config): readonly OwnSecret[] {
  const account = readAccount(config.email);
  const mail =
    typeof account === "object"
      ? [
          {
            label: `E-mail: ${account.user}`,
            address: formatSecretAddress("email", formatPasswordName(account)),
            place: [account.imap?.host, account.smtp?.host].filter((host) => host !== undefined).join(", "),
            what: `The password of ${account.user}. It's sent to no other server.`,
            variable: "EMAIL_PASSWORD",
          },
        ]
      : [];
  const apis = listConfiguredApis(config).flatMap(({ api }) =>
    typeof api === "string" || api.keyOrigin === undefined
      ? []
      : [
          {
            label: `API: ${api.name}`,
            address: formatSecretAddress(api.id, api.keyOrigin),
            place: api.keyOrigin,
            what: `The key for ${api.keyOrigin}, or user:password. It's sent to no other server.`,
            variable: `OPENAPI_KEY_${api.name.toUpperCase().replaceAll("-", "_")}`,
          },
        ],
  );
  return [...mail, ...apis];
}
