import type { Profile } from "../../core/prompt/profile.ts";
import type { ClassicImport, ClassicKey, ClassicSetting } from "./classic-settings.ts";

/** A setting, a key or a profile to import. */
export type ClassicItem =
  | { readonly kind: "setting"; readonly setting: ClassicSetting }
  | { readonly kind: "key"; readonly key: ClassicKey }
  | { readonly kind: "profile"; readonly profile: Profile };

/** A row in the list of possible imports. */
export interface ClassicRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly item: ClassicItem;
}

/** Everything that can be imported: settings with their values, and keys without theirs. */
export function listClassicRows(
  { settings, keys }: Pick<ClassicImport, "settings" | "keys">,
  profile: Profile | undefined,
): readonly ClassicRow[] {
  return [
    ...settings.map((setting) => ({
      label: `autogpt.${setting.name}`,
      description: formatSettingValue(setting.value),
      detail: `Setting, from ${setting.from}`,
      item: { kind: "setting" as const, setting },
    })),
    ...keys.map((key) => ({
      label: `Key for ${new URL(key.address).origin}`,
      description: "stored in VS Code's secret storage and only ever sent there",
      detail: `Key, from ${key.from}`,
      item: { kind: "key" as const, key },
    })),
    ...(profile
      ? [
          {
            label: profile.name || "Agent",
            description: profile.role,
            detail: "Profile, from ai_settings.yaml",
            item: { kind: "profile" as const, profile },
          },
        ]
      : []),
  ];
}

/** A sentence on what was imported, and on what wasn't. */
export function describeClassicImport(
  items: readonly ClassicItem[],
  { left }: Pick<ClassicImport, "left">,
  problems: readonly string[],
): string {
  const count = (kind: ClassicItem["kind"]): number => items.filter((item) => item.kind === kind).length;
  const parts = [
    [count("setting"), "setting"],
    [count("key"), "key"],
    [count("profile"), "profile"],
  ] as const;
  const imported = parts
    .filter(([number]) => number > 0)
    .map(([number, noun]) => `${number} ${noun}${number === 1 ? "" : "s"}`);
  const others = [...left.map(({ from, why }) => `${from}: ${why}`), ...problems];
  return [`Imported ${imported.join(", ")}.`, ...(others.length > 0 ? [`Not imported: ${others.join(" ")}`] : [])].join(
    " ",
  );
}

/** Adds imported entries to a list setting, so that the user's own entries stay. */
export function addImportedEntries(value: unknown, before: unknown): unknown {
  return Array.isArray(value) && Array.isArray(before) ? [...new Set([...before, ...value])] : value;
}

function formatSettingValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
