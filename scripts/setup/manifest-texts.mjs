import { ACTION_TITLES } from "../../src/schema/actions.ts";
import { SETTING_GROUPS, SETTINGS } from "../../src/schema/settings.ts";
import { MANIFEST_TEXTS } from "../../src/texts/english/manifest.ts";

/** The key of a setting's description in package.nls.json, or that of one of its values. */
export function settingKey(name, value) {
  return value === undefined ? `setting.${name}` : `setting.${name}.${value}`;
}

/** The English texts of package.json by their keys in package.nls.json. */
export function manifestTexts() {
  return {
    ...prefixed("action", ACTION_TITLES),
    ...prefixed("group", SETTING_GROUPS),
    ...Object.fromEntries(Object.entries(SETTINGS).flatMap(settingTexts)),
    ...MANIFEST_TEXTS,
  };
}

function prefixed(prefix, texts) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${prefix}.${name}`, text]));
}

function settingTexts([name, { type, description, values = [] }]) {
  return [[settingKey(name), description], ...values.map((text, index) => [settingKey(name, type.enum[index]), text])];
}
