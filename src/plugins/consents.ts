import { Queue } from "../core/base/async.ts";
import { tryJson } from "../core/base/json.ts";
import { readLinkedText } from "../disk/plain-file.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { CONSENTS_VERSION } from "../schema/formats.ts";
import { isStoredConsents } from "../schema/host-validators.ts";
import type { PluginConsent } from "../schema/stored-files.ts";

/** The user's answer so far: `changed` means that they agreed to an earlier version. */
export type ConsentState = "allowed" | "denied" | "new" | "changed";

/** The user's consents to plugins, servers and their tools, stored in a user file outside all workspaces. */
export class Consents {
  private readonly path: string;
  private readonly turns = new Queue();

  constructor(path: string) {
    this.path = path;
  }

  async list(): Promise<readonly PluginConsent[]> {
    const value = tryJson(await readLinkedText(this.path).catch(() => ""));
    return isStoredConsents(value) ? value.consents : [];
  }

  async find(key: string): Promise<PluginConsent | undefined> {
    return (await this.list()).find((consent) => consent.key === key);
  }

  /** Stores the user's answer and replaces an earlier one. */
  async set(consent: PluginConsent): Promise<void> {
    await this.change((all) => [...all.filter(({ key }) => key !== consent.key), consent]);
  }

  /** Removes the user's answer, so that they are asked again. */
  async forget(key: string): Promise<void> {
    await this.change((all) => all.filter((consent) => consent.key !== key));
  }

  private async change(edit: (all: readonly PluginConsent[]) => readonly PluginConsent[]): Promise<void> {
    await this.turns.add(async () => {
      const stored = { version: CONSENTS_VERSION, consents: edit(await this.list()) };
      await replaceFile(this.path, JSON.stringify(stored), { private: true, makeFolder: true });
    });
  }
}

/** State of a consent for something with this hash. A refusal also applies to later versions. */
export function consentState(consent: PluginConsent | undefined, hash: string): ConsentState {
  if (!consent) return "new";
  if (!consent.allowed) return "denied";
  return consent.hash === hash ? "allowed" : "changed";
}
