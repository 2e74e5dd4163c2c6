import * as vscode from "vscode";
import type { Welcome } from "../protocol.ts";
import { modelOffers } from "./actions/setup.ts";
import type { KeyRing } from "./keys.ts";
import type { ModelDesk } from "./model-desk.ts";
import { placeProblem } from "./place.ts";
import { readSettings } from "./settings.ts";
import type { Starter } from "./starter.ts";

/** The start page lists at most this many models; Select Model… has them all. */
const MAX_MODELS = 12;

/** What the start page offers just now; with `quick` before models were looked for. */
export async function welcome(
  {
    keys,
    desk,
    starter,
  }: {
    keys: KeyRing;
    desk: ModelDesk;
    starter: Starter;
  },
  { quick }: { readonly quick: boolean },
): Promise<Welcome> {
  const [offers, key, last] = await Promise.all([
    quick ? [] : modelOffers(desk, keys).catch(() => []),
    keys.get(readSettings().model.baseUrl).catch(() => undefined),
    starter.lastProfile().catch(() => undefined),
  ]);
  const blocked = placeProblem();
  return {
    hasKey: key !== undefined,
    models: offers
      .slice(0, MAX_MODELS)
      .map(({ id, label, detail, chosen }) => ({ id, label, detail, chosen })),
    ...(quick ? { looking: true } : {}),
    ...(blocked === undefined
      ? {}
      : { blocked, unblock: vscode.workspace.isTrusted ? "openFolder" : "manageTrust" }),
    ...(last ? { lastProfile: last } : {}),
  };
}
