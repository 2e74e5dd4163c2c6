import { type RecallSettings, readRecallSettings } from "../memory/recall/recall-settings.ts";
import { readAwaySettings, type ServiceSettings } from "../services/settings.ts";
import { UsageError } from "./usage-error.ts";

/** Settings that a command line can give. */
export type GivenSettings = ServiceSettings & {
  readonly model: { readonly contextWindow: number };
  readonly agents: { readonly max: number };
  readonly memory: RecallSettings;
};

/** Reads `--set NAME=VALUE` flags, VALUE as JSON or as plain text. Throws `UsageError` for a name that is none and a value of another type. */
export function givenSettings(flags: readonly string[]): GivenSettings {
  const given = new Map(flags.map(pairOf));
  const known = new Set<string>();
  const read = <T>(name: string, fallback: T): T => {
    known.add(name);
    return given.has(name) ? typedValue(name, given.get(name) ?? "", fallback) : fallback;
  };
  const settings = {
    ...readAwaySettings(read),
    model: { contextWindow: read("model.contextWindow", 0) },
    agents: { max: read("agents.max", 3) },
    memory: readRecallSettings(read),
  };
  const stranger = [...given.keys()].find((name) => !known.has(name));
  if (stranger !== undefined)
    throw new UsageError(`--set knows no "${stranger}". It knows ${[...known].join(", ")}.`);
  return settings;
}

function pairOf(flag: string): readonly [string, string] {
  const at = flag.indexOf("=");
  if (at < 1) throw new UsageError(`--set takes NAME=VALUE, like web.allowHosts=localhost, not "${flag}".`);
  return [flag.slice(0, at).replace(/^autogpt\./, ""), flag.slice(at + 1)];
}

/** The type is that of the default; a list may be written with commas. */
function typedValue<T>(name: string, text: string, fallback: T): T {
  const read = parse(text);
  if (Array.isArray(fallback)) {
    const items = Array.isArray(read) ? read : text.split(",").map((item) => item.trim());
    return items.filter((item) => typeof item === "string" && item !== "") as T;
  }
  if (typeof fallback === "string") return text as T;
  if (typeof read !== typeof fallback || read === null)
    throw new UsageError(`--set ${name} takes a value of type ${typeof fallback}, not "${text}".`);
  return read as T;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
