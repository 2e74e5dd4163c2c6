import * as vscode from "vscode";
import { assertNever, getErrorMessage } from "../../core/base/errors.ts";
import { ENCODER, type EncoderArchive, isEncoderInstalled } from "../../memory/embedding/encoder-files.ts";
import { installEncoder } from "../../memory/embedding/encoder-installation.ts";
import { createProviderEmbedder } from "../../memory/embedding/provider-embedder.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import type { PluginModels } from "../../plugins/plugin-models.ts";
import {
  createProviderEmbedding,
  type EmbeddingChoice,
  listEmbeddingChoices,
  OFFLINE,
  USUAL_EMBEDDING,
} from "../../runtime/provider-embedding.ts";
import { displayText, getErrorText, type Sentence } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showError, showMessage, showProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { writeSettings } from "./model-setup.ts";

/** Dependencies of choosing how memories are found by meaning. */
export interface EmbeddingChoiceParts {
  readonly desk: ModelResolver;
  readonly pluginModels: Pick<PluginModels, "listEmbedders">;
  /** The folder of the encoder on this machine. */
  readonly encoder: string;
}

type ProviderChoice = Extract<EmbeddingChoice, { kind: "provider" }>;

/** Lets the user choose a source of vectors. Choices that send texts or download something ask first. */
export async function chooseEmbedding(parts: EmbeddingChoiceParts): Promise<void> {
  const isInstalled = await isEncoderInstalled(parts.encoder);
  const choices = await listEmbeddingChoices(parts.desk, readSettings(), await parts.pluginModels.listEmbedders());
  const picked = await vscode.window.showQuickPick(
    choices.map((choice) => ({
      label: `${choice.isChosen ? "$(check) " : ""}${getChoiceLabel(choice)}`,
      detail: describeCost(choice, isInstalled),
      choice,
    })),
    { title: t("actions.embedding.title"), placeHolder: t("actions.embedding.placeHolder") },
  );
  if (!picked) return;
  const { choice } = picked;
  const value = await confirmChoice(choice, parts);
  if (value !== undefined) await useEmbedding(value, choice.kind === "provider" ? value : getChoiceLabel(choice));
}

async function useEmbedding(value: string, way: string): Promise<void> {
  await writeSettings({ "model.embedding": value });
  void showMessage("info", displayText("actions.embedding.chosen", { way }));
}

/** Offers the provider's embeddings once, if there are any. */
export async function offerProvider(parts: EmbeddingChoiceParts, state: vscode.Memento): Promise<void> {
  if (state.get(OFFERED)) return;
  const choices = await listEmbeddingChoices(parts.desk, readSettings(), []);
  const usual = choices.find((one) => one.kind === "provider" && one.model === USUAL_EMBEDDING);
  if (!usual) return;
  await state.update(OFFERED, true);
  const offer = t("actions.embedding.offer", { model: USUAL_EMBEDDING, cost: describeCost(usual, false) });
  const more = t("actions.embedding.moreButton");
  const use = t("actions.embedding.useButton");
  const answer = await vscode.window.showInformationMessage(offer, use, more, t("actions.notNowButton"));
  if (answer === use) await useEmbedding(usual.value, USUAL_EMBEDDING);
  else if (answer === more) await chooseEmbedding(parts);
}

const OFFERED = "embeddingOffered";

function getChoiceLabel(choice: EmbeddingChoice): string {
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

function describeCost(choice: EmbeddingChoice, isInstalled: boolean): string {
  switch (choice.kind) {
    case "builtIn":
      return t("actions.embedding.builtInCost");
    case "encoder":
      return isInstalled
        ? t("actions.embedding.encoderInstalled")
        : t("actions.embedding.encoderCost", { megabytes: sumMegabytes(ENCODER) });
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

/** Returns the setting's value once the user has agreed to the choice's requirements. */
async function confirmChoice(choice: EmbeddingChoice, parts: EmbeddingChoiceParts): Promise<string | undefined> {
  switch (choice.kind) {
    case "builtIn":
    case "plugin":
      return choice.value;
    case "encoder":
      return (await askAndFetch(parts.encoder)) ? OFFLINE : undefined;
    case "provider":
      return confirmSending(choice, parts);
    default:
      return assertNever(choice);
  }
}

async function confirmSending(choice: ProviderChoice, parts: EmbeddingChoiceParts): Promise<string | undefined> {
  const { host, provider } = choice;
  const model = choice.model || (await askModel(host))?.trim();
  if (!model) return undefined;
  const yes = t("actions.embedding.sendButton");
  const detail = `${describeCost(choice, false)} ${t("actions.embedding.sendDetail")}`;
  const ask = t("actions.embedding.sendAsk", { host });
  const answer = await vscode.window.showWarningMessage(ask, { modal: true, detail }, yes);
  if (answer !== yes) return undefined;
  const value = choice.value || `${model}@${provider}`;
  return (await canEmbed(value, host, parts)) ? value : undefined;
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
async function canEmbed(value: string, host: string, parts: EmbeddingChoiceParts): Promise<boolean> {
  const { desk } = parts;
  const settings = readSettings();
  const named = { ...settings, model: { ...settings.model, embedding: value } };
  try {
    await showProgress(t("actions.embedding.checking", { model: value }), async (signal) => {
      const source = await createProviderEmbedding(desk, named, () => undefined);
      if (source?.kind === "provider") await createProviderEmbedder(source.options).embed(["AutoGPT"], signal);
    });
    return true;
  } catch (error) {
    if (error instanceof vscode.CancellationError) return false;
    const said = getErrorMessage(error instanceof Error && error.cause ? error.cause : error);
    const again = t("actions.embedding.againButton");
    const text = displayText("actions.embedding.notWorking", { host, model: value, said });
    showMessage("warning", text, again)
      .then((picked) => (picked === again ? chooseEmbedding(parts) : undefined))
      .catch(showError);
    return false;
  }
}

/** Offers to download the encoder that the setting names. False if the user declines or the download fails, which is reported. */
export async function offerEncoder(folder: string): Promise<boolean> {
  const details = t("actions.encoder.detailsButton");
  const offer = t("actions.encoder.offer", { megabytes: sumMegabytes(ENCODER) });
  const answer = await vscode.window.showInformationMessage(offer, details, t("actions.notNowButton"));
  return answer === details && askAndFetch(folder);
}

async function askAndFetch(folder: string): Promise<boolean> {
  try {
    if (await isEncoderInstalled(folder)) return true;
    if (!(await isWanted())) return false;
    return await showProgress(t("actions.encoder.progress"), (signal, report) =>
      installEncoder({
        folder,
        consent: async () => true,
        signal,
        reportProgress: createArrivalReporter(report),
      }),
    );
  } catch (error) {
    if (error instanceof vscode.CancellationError) return false;
    const again = t("actions.encoder.againButton");
    const picked = await showMessage("warning", getErrorText(error), again);
    return picked === again && askAndFetch(folder);
  }
}

/** Reports the total download progress of all archives in steps of a megabyte. */
function createArrivalReporter(report: (text: Sentence) => void): (archive: EncoderArchive, bytes: number) => void {
  const arrived = new Map<EncoderArchive, number>();
  let shown = -1;
  return (archive, bytes) => {
    arrived.set(archive, bytes);
    const done = sumMegabytes([...arrived.values()].map((one) => ({ bytes: one })));
    if (done === shown) return;
    shown = done;
    report(displayText("actions.encoder.megabytes", { done, all: sumMegabytes(ENCODER) }));
  };
}

/** Shows what would be downloaded and from where, and asks the user. */
async function isWanted(): Promise<boolean> {
  const yes = t("actions.encoder.downloadButton");
  const files = ENCODER.flatMap((archive) => archive.files);
  const detail = [
    t("actions.encoder.askDetail", { installed: sumMegabytes(files) }),
    ...ENCODER.map((archive) => {
      const { title, license, url, sha256 } = archive;
      return t("actions.encoder.archive", {
        title,
        license,
        url,
        sha256,
        megabytes: sumMegabytes([archive]),
      });
    }),
  ].join("\n\n");
  const ask = t("actions.encoder.ask", { megabytes: sumMegabytes(ENCODER) });
  return (await vscode.window.showInformationMessage(ask, { modal: true, detail }, yes)) === yes;
}

function sumMegabytes(files: readonly Pick<EncoderArchive, "bytes">[]): number {
  return Math.round(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000);
}
