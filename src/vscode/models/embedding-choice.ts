import * as vscode from "vscode";
import { errorMessage } from "../../core/base/errors.ts";
import { ENCODER, type EncoderArchive, encoderInstalled } from "../../memory/embedding/encoder-files.ts";
import { installEncoder } from "../../memory/embedding/encoder-installation.ts";
import { providerEmbedder } from "../../memory/embedding/provider-embedder.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import type { PluginModels } from "../../plugins/plugin-models.ts";
import {
  type EmbeddingChoice,
  embeddingChoices,
  OFFLINE,
  providerEmbedding,
  USUAL_EMBEDDING,
} from "../../runtime/provider-embedding.ts";
import { displayText, type Sentence, thrownText } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showError, showMessage, withProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { writeSettings } from "./model-setup.ts";

/** Dependencies of choosing how memories are found by meaning. */
export interface EmbeddingChoiceParts {
  readonly desk: ModelResolver;
  readonly pluginModels: Pick<PluginModels, "embedders">;
  /** The folder of the encoder on this machine. */
  readonly encoder: string;
}

type ProviderChoice = Extract<EmbeddingChoice, { kind: "provider" }>;

/** Lets the user choose the source of vectors. Whatever sends texts or downloads something asks first. */
export async function chooseEmbedding(parts: EmbeddingChoiceParts): Promise<void> {
  const isInstalled = await encoderInstalled(parts.encoder);
  const choices = await embeddingChoices(parts.desk, readSettings(), await parts.pluginModels.embedders());
  const picked = await vscode.window.showQuickPick(
    choices.map((choice) => ({
      label: `${choice.isChosen ? "$(check) " : ""}${labelOf(choice)}`,
      detail: costOf(choice, isInstalled),
      choice,
    })),
    { title: t("actions.embedding.title"), placeHolder: t("actions.embedding.placeHolder") },
  );
  if (!picked) return;
  const { choice } = picked;
  const value = await agreed(choice, parts);
  if (value !== undefined) await useEmbedding(value, choice.kind === "provider" ? value : labelOf(choice));
}

async function useEmbedding(value: string, way: string): Promise<void> {
  await writeSettings({ "model.embedding": value });
  void showMessage("info", displayText("actions.embedding.chosen", { way }));
}

/** Offers the provider's embeddings where there are any, once. */
export async function offerProvider(parts: EmbeddingChoiceParts, state: vscode.Memento): Promise<void> {
  if (state.get(OFFERED)) return;
  const choices = await embeddingChoices(parts.desk, readSettings(), []);
  const usual = choices.find((one) => one.kind === "provider" && one.model === USUAL_EMBEDDING);
  if (!usual) return;
  await state.update(OFFERED, true);
  const offer = t("actions.embedding.offer", { model: USUAL_EMBEDDING, cost: costOf(usual, false) });
  const more = t("actions.embedding.moreButton");
  const use = t("actions.embedding.useButton");
  const answer = await vscode.window.showInformationMessage(offer, use, more, t("actions.notNowButton"));
  if (answer === use) await useEmbedding(usual.value, USUAL_EMBEDDING);
  else if (answer === more) await chooseEmbedding(parts);
}

const OFFERED = "embeddingOffered";

function labelOf(choice: EmbeddingChoice): string {
  switch (choice.kind) {
    case "builtIn":
      return t("actions.embedding.builtIn");
    case "encoder":
      return t("actions.embedding.encoder");
    case "provider":
      return choice.model || t("actions.embedding.another", { host: choice.host });
    case "plugin":
      return choice.name;
  }
}

function costOf(choice: EmbeddingChoice, isInstalled: boolean): string {
  switch (choice.kind) {
    case "builtIn":
      return t("actions.embedding.builtInCost");
    case "encoder":
      return isInstalled
        ? t("actions.embedding.encoderInstalled")
        : t("actions.embedding.encoderCost", { megabytes: megabytesOf(ENCODER) });
    case "provider": {
      const { host, price } = choice;
      return price === undefined
        ? t("actions.embedding.sent", { host })
        : t("actions.embedding.sentFor", { host, price: String(price) });
    }
    case "plugin":
      return t("actions.embedding.pluginCost");
  }
}

/** The value of the setting once the user has agreed to what the choice needs. */
async function agreed(choice: EmbeddingChoice, parts: EmbeddingChoiceParts): Promise<string | undefined> {
  switch (choice.kind) {
    case "builtIn":
    case "plugin":
      return choice.value;
    case "encoder":
      return (await askAndFetch(parts.encoder)) ? OFFLINE : undefined;
    case "provider":
      return agreedToSend(choice, parts);
  }
}

async function agreedToSend(
  choice: ProviderChoice,
  parts: EmbeddingChoiceParts,
): Promise<string | undefined> {
  const { host, provider } = choice;
  const model = choice.model || (await askModel(host))?.trim();
  if (!model) return undefined;
  const yes = t("actions.embedding.sendButton");
  const detail = `${costOf(choice, false)} ${t("actions.embedding.sendDetail")}`;
  const ask = t("actions.embedding.sendAsk", { host });
  const answer = await vscode.window.showWarningMessage(ask, { modal: true, detail }, yes);
  if (answer !== yes) return undefined;
  const value = choice.value || `${model}@${provider}`;
  return (await givesVectors(value, host, parts)) ? value : undefined;
}

function askModel(host: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: t("actions.embedding.name", { host }),
    placeHolder: USUAL_EMBEDDING,
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === "" ? t("actions.embedding.noName") : undefined),
  });
}

/** Tries a model with one word. False when it gives no vectors, which is reported, or the user stops. */
async function givesVectors(value: string, host: string, parts: EmbeddingChoiceParts): Promise<boolean> {
  const { desk } = parts;
  const settings = readSettings();
  const named = { ...settings, model: { ...settings.model, embedding: value } };
  try {
    await withProgress(t("actions.embedding.checking", { model: value }), async (signal) => {
      const source = await providerEmbedding(desk, named, () => undefined);
      if (source?.kind === "provider") await providerEmbedder(source.options).embed(["AutoGPT"], signal);
    });
    return true;
  } catch (error) {
    if (error instanceof vscode.CancellationError) return false;
    const said = errorMessage(error instanceof Error && error.cause ? error.cause : error);
    const again = t("actions.embedding.againButton");
    const text = displayText("actions.embedding.notWorking", { host, model: value, said });
    showMessage("warning", text, again)
      .then((picked) => (picked === again ? chooseEmbedding(parts) : undefined))
      .catch(showError);
    return false;
  }
}

/** Offers the encoder that the setting names but that isn't here. False when the user declines or the download fails, which is reported. */
export async function offerEncoder(folder: string): Promise<boolean> {
  const details = t("actions.encoder.detailsButton");
  const offer = t("actions.encoder.offer", { megabytes: megabytesOf(ENCODER) });
  const answer = await vscode.window.showInformationMessage(offer, details, t("actions.notNowButton"));
  return answer === details && askAndFetch(folder);
}

async function askAndFetch(folder: string): Promise<boolean> {
  try {
    if (await encoderInstalled(folder)) return true;
    if (!(await isWanted())) return false;
    return await withProgress(t("actions.encoder.progress"), (signal, report) =>
      installEncoder({ folder, consent: async () => true, signal, progress: arrival(report) }),
    );
  } catch (error) {
    if (error instanceof vscode.CancellationError) return false;
    const again = t("actions.encoder.againButton");
    const picked = await showMessage("warning", thrownText(error), again);
    return picked === again && askAndFetch(folder);
  }
}

/** Reports how much of all archives has arrived, a megabyte at a time. */
function arrival(report: (text: Sentence) => void): (archive: EncoderArchive, bytes: number) => void {
  const arrived = new Map<EncoderArchive, number>();
  let shown = -1;
  return (archive, bytes) => {
    arrived.set(archive, bytes);
    const done = megabytesOf([...arrived.values()].map((one) => ({ bytes: one })));
    if (done === shown) return;
    shown = done;
    report(displayText("actions.encoder.megabytes", { done, all: megabytesOf(ENCODER) }));
  };
}

/** Shows what would be downloaded, from where, and asks. */
async function isWanted(): Promise<boolean> {
  const yes = t("actions.encoder.downloadButton");
  const files = ENCODER.flatMap((archive) => archive.files);
  const detail = [
    t("actions.encoder.askDetail", { installed: megabytesOf(files) }),
    ...ENCODER.map((archive) => {
      const { title, license, url, sha256 } = archive;
      return t("actions.encoder.archive", { title, license, url, sha256, megabytes: megabytesOf([archive]) });
    }),
  ].join("\n\n");
  const ask = t("actions.encoder.ask", { megabytes: megabytesOf(ENCODER) });
  return (await vscode.window.showInformationMessage(ask, { modal: true, detail }, yes)) === yes;
}

function megabytesOf(files: readonly Pick<EncoderArchive, "bytes">[]): number {
  return Math.round(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000);
}
