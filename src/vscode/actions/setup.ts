import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { listModelOffers } from "../../models/catalog/model-offers.ts";
import { isOpenAi } from "../../models/http/endpoint.ts";
import { findNamedProvider } from "../../models/named-providers.ts";
import { findPresetByKey, getPreset } from "../../models/presets.ts";
import { addPreset } from "../../models/provider-settings.ts";
import { createProfiles } from "../../runs/profiles/profiles.ts";
import {
  addImportedEntries,
  type ClassicItem,
  describeClassicImport,
  listClassicRows,
} from "../../runtime/services/classic-report.ts";
import {
  createNamedService,
  getStoredKeyLabel,
  type KeyService,
  listKeyServices,
  listModelServices,
} from "../../runtime/services/key-services.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showMessage } from "../host/notifications.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { readSettings } from "../host/settings.ts";
import { addProvider, useServer } from "../models/add-provider.ts";
import { findModels, selectModel, useModel } from "../models/model-picker.ts";
import { type ModelSetup, writeSettings } from "../models/model-setup.ts";
import { listAllFolders } from "../workspace/folders.ts";
import { askForKey, enterKey, takeKey } from "./set-key.ts";

/** Dependencies of the setup actions. */
interface SetupDependencies extends ModelSetup {
  readonly library: RunLibrary;
  /** Shows the Models page. */
  showModels(): void;
  /** Moves the focus to the panel in the side bar, unless one of our pages is in front. */
  focusPanel(): Promise<void>;
}

/** Actions on keys, models and classic settings. */
export function createSetupActions(setting: SetupDependencies) {
  return {
    /**
     * "model" or "panel" sets the key of the models' provider, and the address of a service sets that service's key. Otherwise the user
     * picks the service. "panel" moves the focus to the panel afterward.
     */
    setApiKey: (given?: unknown) => {
      if (given === "panel") return setModelKey(setting, () => setting.focusPanel());
      return given === "model" ? setModelKey(setting) : setServiceKey(setting, given);
    },
    clearApiKey: () => clearApiKey(setting),
    /** "server" asks directly for another server's address; "smart" or "fast" selects only that model. */
    selectModel: (given?: unknown) => {
      if (given === "server") return useServer(setting);
      return selectModel(setting, given === "smart" || given === "fast" ? given : undefined);
    },
    openModels: async () => setting.showModels(),
    importClassicSettings: (given?: unknown) => importClassicSettings(setting, given),
    chooseModel: (id: string) => chooseModel(setting, id),
  };
}

/** Sets the key of the main model's provider, or of the fast model's if only that one has none. Calls `asked` when the box closes. */
async function setModelKey(setting: SetupDependencies, asked?: () => Promise<void>): Promise<void> {
  const services = listModelServices(readSettings());
  const stored = await Promise.all(services.map(({ address }) => setting.keys.get(address).catch(() => "")));
  const missing = services.filter((_service, index) => stored[index] === undefined);
  const [only = services[0]] = missing;
  const service = services.length > 1 && missing.length !== 1 ? await pickService(services) : only;
  const key = service && (await askForKey(service));
  await asked?.();
  if (!key) return;
  const preset = isOpenAi(service.address) ? findPresetByKey(key) : undefined;
  const provider = preset && preset !== "openai" ? findNamedProvider(preset, readSettings()) : undefined;
  if (!preset || !provider) return void (await takeKey(setting, service, key));
  const verdict = await takeKey(setting, createNamedService(provider), key);
  if (verdict !== "rejected") return addProvider(setting, preset);
  await writeSettings(addPreset(preset, getPreset(preset).address, readSettings()).changes);
  setting.notifySetupChanged();
}

async function setServiceKey(setting: SetupDependencies, given: unknown): Promise<void> {
  const services = listKeyServices(readSettings(), setting.keys.listOrigins().length > 0);
  const service = services.find(({ address }) => address === given) ?? (await pickService(services));
  if (service) await enterKey(setting, service);
}

async function pickService(services: readonly KeyService[]): Promise<KeyService | undefined> {
  return vscode.window.showQuickPick(services, {
    title: t("models.setKey"),
    placeHolder: t("models.whichService"),
  });
}

async function clearApiKey({ keys, notifySetupChanged: changed }: SetupDependencies): Promise<void> {
  const origins = keys.listOrigins();
  if (origins.length === 0) {
    void showMessage("info", t("models.noKeyStored"));
    return;
  }
  const options = { title: t("models.clearKey"), placeHolder: t("models.removeWhichKey") };
  const settings = readSettings();
  const items = origins.map((origin) => ({ ...getStoredKeyLabel(origin, settings), origin }));
  const picked = await vscode.window.showQuickPick(items, options);
  if (!picked) return;
  await keys.clear(picked.origin);
  changed();
  void showMessage("info", t("models.keyRemoved", { origin: picked.label }));
}

async function chooseModel(setting: SetupDependencies, id: string): Promise<void> {
  const found = await findModels(setting.desk, new AbortController().signal);
  const offer = listModelOffers(found).find((candidate) => candidate.id === id);
  if (!offer) fail("models.noLongerThere");
  await useModel(setting, "smart", offer);
}

/** Imports a `.env` file of classic AutoGPT and the files beside it. The user picks what to import. */
async function importClassicSettings(importing: SetupDependencies, given?: unknown): Promise<void> {
  const file = given instanceof vscode.Uri ? given : await pickClassicFile();
  if (!file) return;
  const { readClassicFiles } = await import("../../runs/profiles/classic-files.ts");
  const { convertClassicSettings } = await import("../../runtime/services/classic-settings.ts");
  const { variables, azure, profile, problems } = await readClassicFiles(file.fsPath);
  const found = convertClassicSettings(variables, azure);
  const rows = listClassicRows(found, profile);
  if (rows.length === 0) fail("actions.classic.nothing", { file: file.fsPath });
  const picked = await vscode.window.showQuickPick(
    rows.map((row) => ({
      ...row,
      label: formatDisplayLine(row.label),
      description: formatDisplayLine(row.description),
      picked: true,
    })),
    {
      title: t("actions.classic.title"),
      placeHolder: t("actions.classic.what"),
      canPickMany: true,
      ignoreFocusOut: true,
    },
  );
  if (!picked || picked.length === 0) return;
  const items = picked.map(({ item }) => item);
  for (const item of items) await importItem(importing, item);
  importing.notifySetupChanged();
  void showMessage("info", describeClassicImport(items, found, problems));
}

async function importItem({ keys, library }: SetupDependencies, item: ClassicItem): Promise<void> {
  switch (item.kind) {
    case "setting": {
      const { name, value } = item.setting;
      const settings = vscode.workspace.getConfiguration("autogpt");
      const before = settings.inspect(name)?.globalValue;
      return settings.update(name, addImportedEntries(value, before), vscode.ConfigurationTarget.Global);
    }
    case "key":
      return keys.set(item.key.address, item.key.key);
    case "profile":
      return void (await createProfiles(library.getHome(getFirstFolder())).save(item.profile));
    default:
      return assertNever(item);
  }
}

function getFirstFolder(): string {
  const [first] = listAllFolders();
  if (!first) fail("actions.classic.noFolder");
  return first.path;
}

/** Offers the `.env` files of the open folders; any other file can be chosen, too. */
async function pickClassicFile(): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const files = folders.map(({ uri }) => vscode.Uri.joinPath(uri, ".env")).filter(({ scheme }) => scheme === "file");
  const there = await Promise.all(files.map(isFile));
  const rows = files.filter((_file, at) => there[at]).map((file) => ({ label: file.fsPath, file }));
  if (rows.length === 0) return openClassicFile(folders[0]?.uri);
  const picked = await vscode.window.showQuickPick<{ label: string; file?: vscode.Uri }>(
    [...rows, { label: t("actions.classic.otherButton") }],
    { title: t("actions.classic.title"), placeHolder: t("actions.classic.which") },
  );
  return picked && (picked.file ?? openClassicFile(folders[0]?.uri));
}

async function isFile(file: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(file).then(
    ({ type }) => (type & vscode.FileType.File) !== 0,
    () => false,
  );
}

async function openClassicFile(defaultUri: vscode.Uri | undefined): Promise<vscode.Uri | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: t("actions.classic.fileTitle"),
      openLabel: t("runs.importButton"),
      ...omitUndefined({ defaultUri }),
    })) ?? [];
  return file;
}
