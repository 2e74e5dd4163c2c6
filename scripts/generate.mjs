// Writes what is derived from tables in the source: settings and actions in package.json, settings in docs/settings.md,
// commands in README.md. --check only reports what is out of date.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { allCommands } from "../src/commands/all.ts";
import { ACTION_TITLES } from "../src/schema/actions.ts";
import { SETTING_GROUPS, SETTINGS } from "../src/schema/settings.ts";
import { inRoot } from "./setup/root.mjs";

const SETTINGS_PLACE = ["<!-- settings: written by npm run generate -->", "<!-- /settings -->"];
const COMMANDS_PLACE = ["<!-- commands: written by npm run generate -->", "<!-- /commands -->"];

/** Rows of the README's table of commands, by category. Other categories get a row of their own. */
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
  read_file: "text in any encoding, PDF, Word, notebooks",
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
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, pageSchema(one)]),
          ),
        }
      : {}),
    ...(patternProperties ? { additionalProperties: pageSchema(Object.values(patternProperties)[0]) } : {}),
  };
}

function property({ type, items, values, description, scope }, order) {
  return {
    ...pageSchema(type),
    ...(items ? { items: pageSchema(items) } : {}),
    ...(values ? { enumDescriptions: values } : {}),
    markdownDescription: description,
    scope,
    order,
  };
}

const configuration = SETTING_GROUPS.map((title, order) => ({
  title,
  order,
  properties: Object.fromEntries(
    rows
      .filter(([, { group }]) => group === title)
      .map(([name, row], index) => [`autogpt.${name}`, property(row, index)]),
  ),
}));

const restricted = rows
  .filter(([, { scope }]) => scope === "resource")
  .filter(([, { restricted }]) => restricted !== false)
  .map(([name]) => `autogpt.${name}`);

/** The contributed commands: those of the table, each with what package.json adds to it (icon, enablement). */
function commands(contributed) {
  return Object.entries(ACTION_TITLES).map(([name, title]) => {
    const command = `autogpt.${name}`;
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
  return configuration
    .map(({ title, properties }) =>
      [
        `## ${title}`,
        "",
        "| setting | default | per workspace | command line | description |",
        "|---|---|---|---|---|",
        ...Object.entries(properties).map(settingRow),
      ].join("\n"),
    )
    .join("\n\n");
}

function settingRow([name, { default: value, markdownDescription, scope }]) {
  const shown = value === undefined ? "" : `\`${JSON.stringify(value)}\``;
  const { host } = SETTINGS[name.slice("autogpt.".length)];
  const columns = [
    scope === "resource" ? "yes" : "",
    host === "both" ? "yes" : "",
    cell(markdownDescription),
  ];
  return `| \`${name}\` | ${shown} | ${columns.join(" | ")} |`;
}

function commandsTable() {
  const commands = allCommands({ workspace: {} });
  const grouped = COMMAND_GROUPS.flatMap(([, categories]) => categories);
  const others = [...new Set(commands.map(({ category }) => category))].filter(
    (one) => !grouped.includes(one),
  );
  const named = ({ name }) => `\`${name}\`${COMMAND_NOTES[name] ? ` (${COMMAND_NOTES[name]})` : ""}`;
  const lines = [...COMMAND_GROUPS, ...others.map((one) => [one, [one]])].map(([label, categories]) => {
    const names = categories.flatMap((one) => commands.filter(({ category }) => category === one).map(named));
    return `| ${label} | ${names.join(", ")} |`;
  });
  return ["| | commands |", "|---|---|", ...lines].join("\n");
}

function withPlace(file, [begin, end], table) {
  const [before, rest] = fs.readFileSync(inRoot(file), "utf8").split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${file} has no place for a table: ${begin} … ${end}`);
  return `${before}${begin}\n${table}\n${end}${after}`;
}

const manifest = JSON.parse(fs.readFileSync(inRoot("package.json"), "utf8"));
const pages = {
  "docs/settings.md": withPlace("docs/settings.md", SETTINGS_PLACE, settingsTables()),
  "README.md": withPlace("README.md", COMMANDS_PLACE, commandsTable()),
};
const outOfDate = [
  ...(isDeepStrictEqual(manifest, withTables(manifest)) ? [] : ["package.json"]),
  ...Object.keys(pages).filter((file) => fs.readFileSync(inRoot(file), "utf8") !== pages[file]),
];

if (process.argv.includes("--check")) {
  if (outOfDate.length > 0) {
    console.error(`Not as the tables in src have it: ${outOfDate.join(", ")}. Run: npm run generate`);
    process.exitCode = 1;
  }
} else {
  fs.writeFileSync(inRoot("package.json"), JSON.stringify(withTables(manifest), null, 2));
  for (const [file, text] of Object.entries(pages)) fs.writeFileSync(inRoot(file), text);
  const biome = inRoot("node_modules/.bin/biome");
  execFileSync(biome, ["format", "--write", "package.json"], { cwd: inRoot("."), stdio: "pipe" });
  console.log(outOfDate.length > 0 ? `Wrote ${outOfDate.join(", ")}.` : "Everything is up to date.");
}
