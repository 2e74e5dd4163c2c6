// Writes what is derived from tables in the source: settings and actions in package.json, their texts in
// package.nls.json and its translations, settings in docs/settings.md, what asks in docs/safety.md, commands in docs/commands.md, the commands' traits, and the panel's icons. --check only reports what
// is out of date.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { callTool } from "../src/commands/agent/call-tool.ts";
import { createAllCommands } from "../src/commands/all.ts";
import { ASKING, ASKING_BY_PLACE } from "../src/safety/programs/asking.ts";
import { ACTION_TITLES } from "../src/schema/actions.ts";
import { SETTING_GROUPS, SETTINGS } from "../src/schema/settings.ts";
import { writeInEnglish } from "../src/texts/display-text.ts";
import { TRANSLATED } from "../src/texts/languages.ts";
import { codiconsModule } from "./setup/codicons.mjs";
import { confusablesModule } from "./setup/confusables.mjs";
import { manifestTexts, settingKey } from "./setup/manifest-texts.mjs";
import { inRoot } from "./setup/root.mjs";

const SETTINGS_PLACE = ["<!-- settings: written by npm run generate -->", "<!-- /settings -->"];
const ASKING_PLACE = ["<!-- what asks: written by npm run generate -->", "<!-- /what asks -->"];
const COMMANDS_PLACE = ["<!-- commands: written by npm run generate -->", "<!-- /commands -->"];

/** Rows of the table of commands in docs/commands.md, by category. Other categories get a row of their own. */
const COMMAND_GROUPS = [
  ["files", ["files"]],
  ["code", ["code"]],
  ["programs", ["shell", "python"]],
  ["git", ["git"]],
  ["the web", ["web"]],
  ["media", ["media"]],
  ["memory", ["memory"]],
  ["agents", ["agents"]],
  ["you", ["user"]],
];

/** Remarks behind commands. */
const COMMAND_NOTES = {
  read_file: "text in any encoding, PDF, Word, Excel, PowerPoint, ODT, RTF, notebooks",
  download_file: "once you turn it on",
  generate_image: "once its key is set",
  read_audio_from_file: "once its key is set",
  send_tweet: "once its keys are set",
};

const rows = Object.entries(SETTINGS);

/** A schema as the settings page wants it: one type instead of alternatives, entries of a record as additional properties. */
function pageSchema(type) {
  const { anyOf, patternProperties, items, properties, ...own } = JSON.parse(JSON.stringify(type));
  if (anyOf) {
    const { default: value, ...rest } = own;
    const merged = Object.assign({}, ...anyOf, { type: anyOf.map((one) => one.type) }, rest);
    return value === null ? merged : { ...merged, default: value };
  }
  return {
    ...(own.enum ? { type: "string" } : {}),
    ...own,
    ...(items && Object.keys(items).length > 0 ? { items: pageSchema(items) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, pageSchema(one)])),
        }
      : {}),
    ...(patternProperties ? { additionalProperties: pageSchema(Object.values(patternProperties)[0]) } : {}),
  };
}

function property(name, { type, items, values, scope }, order) {
  return {
    ...pageSchema(type),
    ...(items ? { items: pageSchema(items) } : {}),
    ...(values ? { enumDescriptions: type.enum.map((value) => `%${settingKey(name, value)}%`) } : {}),
    markdownDescription: `%${settingKey(name)}%`,
    scope,
    order,
  };
}

const groups = Object.keys(SETTING_GROUPS);
const rowsOf = (group) => rows.filter(([, row]) => row.group === group);

const configuration = groups.map((group, order) => ({
  title: `%group.${group}%`,
  order,
  properties: Object.fromEntries(
    rowsOf(group).map(([name, row], index) => [`autogpt.${name}`, property(name, row, index)]),
  ),
}));

const restricted = rows
  .filter(([, { scope }]) => scope === "resource")
  .filter(([, { restricted }]) => restricted !== false)
  .map(([name]) => `autogpt.${name}`);

/** The contributed commands: those of the table, each with what package.json adds to it (icon, enablement). */
function commands(contributed) {
  return Object.keys(ACTION_TITLES).map((name) => {
    const command = `autogpt.${name}`;
    const title = `%action.${name}%`;
    const known = contributed.find((one) => one.command === command);
    return { ...(known ?? { command, title, category: "AutoGPT" }), title };
  });
}

function withTables(manifest) {
  const { capabilities, contributes } = manifest;
  const { untrustedWorkspaces } = capabilities;
  return {
    ...manifest,
    capabilities: {
      ...capabilities,
      untrustedWorkspaces: { ...untrustedWorkspaces, restrictedConfigurations: restricted },
    },
    contributes: { ...contributes, commands: commands(contributes.commands), configuration },
  };
}

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** A heading and a table for each group. */
function settingsTables() {
  return groups
    .map((group) =>
      [
        `## ${SETTING_GROUPS[group]}`,
        "",
        "| setting | default | per workspace | command line | description |",
        "|---|---|---|---|---|",
        ...rowsOf(group).map(settingRow),
      ].join("\n"),
    )
    .join("\n\n");
}

function settingRow([name, { type, description, details, scope, host }]) {
  const shown = type.default === undefined ? "" : `\`${JSON.stringify(type.default)}\``;
  const columns = [
    scope === "resource" ? "yes" : "",
    host === "both" ? "yes" : "",
    cell(details ? `${description} ${details}` : description),
  ];
  return `| \`autogpt.${name}\` | ${shown} | ${columns.join(" | ")} |`;
}

function commandsTable() {
  const commands = createAllCommands({ workspace: {} });
  const grouped = COMMAND_GROUPS.flatMap(([, categories]) => categories);
  const others = [...new Set(commands.map(({ category }) => category))].filter((one) => !grouped.includes(one));
  const named = ({ name }) => `\`${name}\`${COMMAND_NOTES[name] ? ` (${COMMAND_NOTES[name]})` : ""}`;
  const lines = [...COMMAND_GROUPS, ...others.map((one) => [one, [one]])].map(([label, categories]) => {
    const names = categories.flatMap((one) => commands.filter(({ category }) => category === one).map(named));
    return `| ${label} | ${names.join(", ")} |`;
  });
  return ["| | commands |", "|---|---|", ...lines].join("\n");
}

/** The traits of all commands by their names, and the names of those that have a role. */
function commandRowsModule() {
  const commands = [...createAllCommands({ workspace: {} }), callTool()];
  const entry = (key, value) => `  ${key}: ${JSON.stringify(value)},`;
  const names = commands.filter(({ traits }) => traits.role).map(({ name, traits }) => entry(traits.role, name));
  return [
    "// Written by npm run generate from the commands in src/commands.",
    "",
    "/** The traits of each command, in the order of the prompt. */",
    "export const COMMAND_ROWS = {",
    ...commands.map(({ name, traits }) => entry(name, traits)),
    "} as const;",
    "",
    "/** The commands that have a role. */",
    "export const COMMAND_BY_ROLE = {",
    ...names,
    "} as const;",
    "",
  ].join("\n");
}

/** A row for each reason for which a command line asks in every mode. */
function askingTable() {
  const lines = [...ASKING, ...ASKING_BY_PLACE].map(({ says, examples }) => {
    const calls = examples.split(" · ").map((example) => `\`${cell(example)}\``);
    return `| ${writeInEnglish(says)} | ${calls.join(", ")} |`;
  });
  return ["| a line that | for example |", "|---|---|", ...lines].join("\n");
}

function withPlace(file, [begin, end], table) {
  const [before, rest] = fs.readFileSync(inRoot(file), "utf8").split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${file} has no place for a table: ${begin} … ${end}`);
  return `${before}${begin}\n${table}\n${end}${after}`;
}

/** The texts of package.nls.json in another language, as far as they are translated. */
function translatedManifest(tag) {
  const translated = JSON.parse(fs.readFileSync(inRoot("l10n", `${tag}.json`), "utf8"));
  return Object.fromEntries(
    Object.keys(manifestTexts())
      .filter((key) => Object.hasOwn(translated, key))
      .map((key) => [key, translated[key].text]),
  );
}

const asJson = (value) => `${JSON.stringify(value, null, 2)}\n`;

const manifest = JSON.parse(fs.readFileSync(inRoot("package.json"), "utf8"));
const files = {
  "docs/settings.md": withPlace("docs/settings.md", SETTINGS_PLACE, settingsTables()),
  "docs/safety.md": withPlace("docs/safety.md", ASKING_PLACE, askingTable()),
  "docs/commands.md": withPlace("docs/commands.md", COMMANDS_PLACE, commandsTable()),
  "package.nls.json": asJson(manifestTexts()),
  "src/schema/command-rows.ts": commandRowsModule(),
  "src/webview/ui/icon-paths.ts": codiconsModule(),
  "src/isolation/review/confusables.ts": confusablesModule(),
  ...Object.fromEntries(TRANSLATED.map((tag) => [`package.nls.${tag}.json`, asJson(translatedManifest(tag))])),
};
const isCurrent = (file) => fs.existsSync(inRoot(file)) && fs.readFileSync(inRoot(file), "utf8") === files[file];
const outOfDate = [
  ...(isDeepStrictEqual(manifest, withTables(manifest)) ? [] : ["package.json"]),
  ...Object.keys(files).filter((file) => !isCurrent(file)),
];

if (process.argv.includes("--check")) {
  if (outOfDate.length > 0) {
    console.error(`Not as the tables in src have it: ${outOfDate.join(", ")}. Run: npm run generate`);
    process.exitCode = 1;
  }
} else {
  fs.writeFileSync(inRoot("package.json"), JSON.stringify(withTables(manifest), null, 2));
  for (const [file, text] of Object.entries(files)) fs.writeFileSync(inRoot(file), text);
  const biome = inRoot("node_modules/.bin/biome");
  execFileSync(biome, ["format", "--write", "package.json"], { cwd: inRoot("."), stdio: "pipe" });
  console.log(outOfDate.length > 0 ? `Wrote ${outOfDate.join(", ")}.` : "Everything is up to date.");
}
