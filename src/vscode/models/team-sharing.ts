import * as vscode from "vscode";
import { isUriPath } from "../../core/base/uri-path.ts";
import type { PluginMemoryStores } from "../../memory/shared/plugin-log.ts";
import {
  agreementKey,
  passwordAddress,
  SHARED_KINDS,
  type SharedAmount,
  type SharingPlace,
  serverName,
  sharingPlace,
} from "../../memory/shared/sharing.ts";
import type { SharedMemoryOptions } from "../../memory/shared/team-memory.ts";
import { authorName, remoteAddress } from "../../node/git/author.ts";
import type { Settings } from "../../schema/settings.ts";
import type { KeyRing } from "../../services/key-ring.ts";
import { fail, thrownText } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showMessage } from "../host/notifications.ts";

const PREFIX = "autogpt.sharedMemory:";

type Answer = SharedAmount | "no";

/** The user's agreements to share memories, each for one folder, server and project. They are kept outside any workspace. */
export class TeamSharing {
  private readonly state: vscode.Memento;
  private readonly keys: Pick<KeyRing, "get" | "set">;
  private readonly stores: Pick<PluginMemoryStores, "get">;
  private readonly asked = new Set<string>();

  constructor(
    state: vscode.Memento,
    keys: Pick<KeyRing, "get" | "set">,
    stores: Pick<PluginMemoryStores, "get">,
  ) {
    this.state = state;
    this.keys = keys;
    this.stores = stores;
  }

  /**
   * The server that a folder's memory is shared through; undefined if it isn't. The user is asked once in a session, and `agreed` is
   * called when they agree.
   */
  async of(folder: string, settings: Settings, agreed: () => void): Promise<SharedMemoryOptions | undefined> {
    const place = await placeOf(folder, settings);
    if (!place) return undefined;
    const key = agreementKey(folder, place);
    const answer = this.state.get<Answer>(PREFIX + key);
    if (answer === undefined && !this.asked.has(key)) {
      this.asked.add(key);
      this.offer(folder, place).then(
        (amount) => amount !== undefined && agreed(),
        (error: unknown) => showMessage("warning", thrownText(error)),
      );
    }
    if (answer !== "notes" && answer !== "all") return undefined;
    const secret = await this.keys.get(passwordAddress(place));
    return {
      ...place,
      ...(secret === undefined ? {} : { secret }),
      stores: (id) => this.stores.get(id),
      kinds: SHARED_KINDS[answer],
      author: () => authorName(folder),
    };
  }

  /** Lets the user change what is shared, or enter the password. False when nothing changed. */
  async change(folder: string, settings: Settings): Promise<boolean> {
    const place = await placeOf(folder, settings);
    if (!place) return fail("runs.share.notSetUp");
    const picks = [
      { label: t("runs.share.notes"), description: t("runs.share.notesDetail"), answer: "notes" },
      { label: t("runs.share.all"), description: t("runs.share.allDetail"), answer: "all" },
      { label: t("runs.share.nothing"), description: t("runs.share.nothingDetail"), answer: "no" },
      { label: t("runs.share.password"), description: "", answer: "password" },
    ] as const;
    const picked = await vscode.window.showQuickPick(picks, {
      title: t("runs.share.title", facts(place)),
      placeHolder: t("runs.share.author", { author: await authorName(folder) }),
    });
    if (!picked) return false;
    if (picked.answer === "password") return this.enterPassword(place);
    await this.state.update(PREFIX + agreementKey(folder, place), picked.answer);
    if (picked.answer !== "no" && (await this.keys.get(passwordAddress(place))) === undefined)
      await this.enterPassword(place);
    return true;
  }

  private async offer(folder: string, place: SharingPlace): Promise<SharedAmount | undefined> {
    const author = await authorName(folder);
    const [notes, all, no] = [
      t("runs.share.notesButton"),
      t("runs.share.allButton"),
      t("runs.share.noButton"),
    ];
    const picked = await vscode.window.showInformationMessage(
      t("runs.share.ask", { ...facts(place), author }),
      ...[notes, all, no],
    );
    const answer = picked === notes ? "notes" : picked === all ? "all" : picked === no ? "no" : undefined;
    if (answer === undefined) return undefined;
    await this.state.update(PREFIX + agreementKey(folder, place), answer);
    if (answer === "no") return undefined;
    await this.enterPassword(place);
    return answer;
  }

  /** A server without passwords is used when nothing is entered. */
  private async enterPassword(place: SharingPlace): Promise<boolean> {
    const password = await vscode.window.showInputBox({
      title: t("runs.share.passwordTitle", { server: serverName(place.url) }),
      prompt: t("runs.share.passwordPrompt"),
      password: true,
      ignoreFocusOut: true,
    });
    if (!password) return false;
    await this.keys.set(passwordAddress(place), password);
    return true;
  }
}

async function placeOf(folder: string, { memory }: Settings): Promise<SharingPlace | undefined> {
  if (memory.backend === "local" || isUriPath(folder)) return undefined;
  return sharingPlace(memory, memory.project === "" ? await remoteAddress(folder) : undefined);
}

function facts({ url, project }: SharingPlace): { server: string; project: string } {
  return { server: serverName(url), project };
}
