import { isAtOrBelow } from "../disk/below.ts";
import { listLinksAlong, resolveRealPath } from "../node/files/real-path.ts";
import { createTrackedTest } from "../node/git/committed-files.ts";
import { findRepositoryAround } from "../node/git/repository.ts";
import { DEFAULT_SETTINGS, isWorkspaceSetting } from "../schema/read-settings.ts";
import { SETTINGS, type SettingName, type SettingRow, type Settings } from "../schema/settings.ts";

/** The settings from one source, by name. */
export type GivenSettings = ReadonlyMap<SettingName, unknown>;

const ROWS: Readonly<Record<SettingName, SettingRow>> = SETTINGS;

/**
 * True if an `--env-file` may have come with the workspace, from another author: the file, or a link on the way to it, is in the workspace,
 * or git tracks it in the surrounding repository.
 */
export async function mayBeShipped(envFile: string, workspace: string): Promise<boolean> {
  const links = await listLinksAlong(envFile).catch(() => []);
  const paths = [envFile, ...links, await resolveRealPath(envFile).catch(() => envFile)];
  if (paths.some((path) => isAtOrBelow(path, workspace))) return true;
  const root = (await findRepositoryAround(workspace))?.root;
  if (root === undefined || !paths.some((path) => isAtOrBelow(path, root))) return false;
  const isTracked = createTrackedTest(root);
  return (await Promise.all(paths.map(isTracked))).includes(true);
}

/** Groups with settings that choose a service. The service's keys are bound to its address. */
const SERVICES: ReadonlySet<string> = new Set<SettingRow["group"]>(["model", "azure", "media"]);
const SEARCH: ReadonlySet<string> = new Set<SettingName>(["web.searchProvider", "web.googleEngineId"]);

/** Filters settings from someone else's file: they must not let the agent do more than `otherwise`, the settings without the file. */
export function selectHarmlessSettings(values: GivenSettings, otherwise: Settings): GivenSettings {
  return new Map([...values].filter(([name, value]) => isHarmless(name, value, findSettingValue(otherwise, name))));
}

function isHarmless(name: SettingName, value: unknown, otherwise: unknown): boolean {
  if (isWorkspaceSetting(name) || value === otherwise) return true;
  const { group } = ROWS[name];
  // Prices of the user's own keep the budget true, and addresses of providers come with names for keys.
  if (SERVICES.has(group) || SEARCH.has(name)) return typeof value !== "object";
  if (typeof value === "boolean") return !value && findSettingValue(DEFAULT_SETTINGS, name) === true;
  // 0 means that there is no limit.
  return typeof value === "number" && typeof otherwise === "number" && value > 0 && isLower(value, otherwise);
}

function isLower(value: number, otherwise: number): boolean {
  return otherwise === 0 || value < otherwise;
}

function findSettingValue(settings: Settings, name: SettingName): unknown {
  const [group = "", own = ""] = name.split(".");
  const found = Object.entries(settings).find(([key]) => key === group)?.[1];
  return own === "" ? found : Object.entries(found ?? {}).find(([key]) => key === own)?.[1];
}

/** Removes addresses from settings, because they decide where the environment's keys may go. */
export function omitAddresses(values: GivenSettings): GivenSettings {
  return new Map([...values].filter(([name, value]) => !isAddress(name, value)));
}

function isAddress(name: SettingName, value: unknown): boolean {
  if (/(?:url|endpoint|address)$/i.test(name)) return true;
  return typeof value === "string" && URL.canParse(value) && new URL(value).host !== "";
}

/** Sentences about the ignored settings of someone else's file. `addresses`: those that don't receive any key from the environment. */
export function describeWithheldSettings(
  file: string,
  dropped: readonly SettingName[],
  addresses: readonly string[],
): readonly string[] {
  const why = `${file} belongs to the workspace`;
  const names = dropped.join(", ");
  return [
    ...(names === ""
      ? []
      : [
          `${why}, so these of its settings don't count: ${names}. Give them with --set, with --settings or in the environment.`,
        ]),
    ...addresses.map(
      (address) =>
        `${why}, so no key of the environment goes to its address ${address}. Give the address with --set or in the environment.`,
    ),
  ];
}
