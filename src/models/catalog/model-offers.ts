import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { formatUsd } from "../../texts/language.ts";
import { isLocal, normalizeBaseUrl } from "../http/endpoint.ts";
import { formatModelReference, type NamedProvider } from "../named-providers.ts";
import type { Price } from "./facts.ts";
import type { FoundModels, ReportedModel } from "./provider-reports.ts";

/** A model to choose, with its provider. */
export interface ModelOffer {
  /** The value of `model.smart` or `model.fast` that selects it. */
  readonly id: string;
  readonly label: string;
  /** The provider's label. */
  readonly provider: string;
  /** Context window and price, as far as they are known. */
  readonly facts: readonly DisplayText[];
  readonly chosen: boolean;
}

/** Lists all usable models, with the current main or fast model first. That one is offered even if its server lists nothing. */
export function listModelOffers(
  { providers, inUse }: Pick<FoundModels, "providers" | "inUse">,
  role: "smart" | "fast" = "smart",
): readonly ModelOffer[] {
  const used = inUse?.[role];
  return providers
    .flatMap((report) => {
      const { provider, models } = report;
      const own = used?.provider === provider.id ? used.model : undefined;
      const isListed = own === undefined || models.some(({ name }) => name === own);
      return [...(isListed ? [] : [{ name: own }]), ...models].map((model) =>
        createModelOffer(model, provider, own === model.name),
      );
    })
    .toSorted((a, b) => Number(b.chosen) - Number(a.chosen));
}

/** Converts a model to an offer. */
export function createModelOffer(model: ReportedModel, provider: NamedProvider, chosen = false): ModelOffer {
  const { name, label, vendor } = model;
  return {
    id: formatModelReference(name, provider),
    label: label ?? name,
    provider: vendor === undefined ? provider.label : `${provider.label}, ${vendor}`,
    facts: listOfferFacts(model, provider),
    chosen,
  };
}

function listOfferFacts({ contextWindow, price }: ReportedModel, { address }: NamedProvider): readonly DisplayText[] {
  const isFree = price ? price.input === 0 && price.output === 0 : address !== "" && isLocal(address);
  return [
    ...(contextWindow ? [displayText("models.window", { thousands: Math.round(contextWindow / 1000) })] : []),
    ...(price && !isFree ? [formatPrice(price)] : []),
    ...(isFree ? [displayText("models.free")] : []),
  ];
}

function formatPrice({ input, output }: Price): DisplayText {
  return displayText("models.price", { input: formatUsd(input), output: formatUsd(output) });
}

/** Why an entered address can't be used; undefined when it can. */
export function findAddressProblem(text: string): DisplayText | undefined {
  const address = normalizeBaseUrl(text);
  if (address === "") return displayText("models.emptyAddress");
  const url = URL.parse(address);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    return displayText("models.wrongAddress", { address });
  return url.username === "" && url.password === "" ? undefined : displayText("models.addressWithKey");
}

/** The address to try next if there is no API at the entered one. */
export function addApiVersion(address: string): string | undefined {
  return /\/v\d+\w*$/.test(address) ? undefined : `${address}/v1`;
}

/**
 * The settings that make a model the main or the fast one. A fast model without a provider is reset, as it would change with the main one.
 */
export function createChosenSettings(
  role: "smart" | "fast",
  id: string,
  { smart, fast }: { readonly smart: string; readonly fast: string },
): Readonly<Record<string, string>> {
  if (role === "fast") return { "model.fast": id === smart ? "" : id };
  const keepsFast = fast.includes("@") && fast !== id;
  return { "model.smart": id, ...(fast === "" || keepsFast ? {} : { "model.fast": "" }) };
}
