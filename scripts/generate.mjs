// Writes what is derived from tables in the source: the settings in package.json and README.md. --check only reports what is out of date.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { SETTING_GROUPS, SETTINGS } from "../src/schema/settings.ts";
import { inRoot } from "./setup/root.mjs";

const BEGIN = "<!-- settings: written by npm run generate -->";
const END = "<!-- /settings -->";

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

function withTables(manifest) {
  const { capabilities, contributes } = manifest;
  const { untrustedWorkspaces } = capabilities;
  return {
    ...manifest,
    capabilities: {
      ...capabilities,
      untrustedWorkspaces: { ...untrustedWorkspaces, restrictedConfigurations: restricted },
    },
    contributes: { ...contributes, configuration },
  };
}

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function readmeTable() {
  const lines = configuration.flatMap(({ title, properties }) => [
    `| **${title}** | | | |`,
    ...Object.entries(properties).map(([name, { default: value, markdownDescription, scope }]) => {
      const shown = value === undefined ? "" : `\`${JSON.stringify(value)}\``;
      return `| \`${name}\` | ${shown} | ${scope === "resource" ? "yes" : ""} | ${cell(markdownDescription)} |`;
    }),
  ]);
  return ["| setting | default | per workspace | description |", "|---|---|---|---|", ...lines].join("\n");
}

function withSettings(readme) {
  const [before, rest] = readme.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`README.md has no place for the settings: ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n${readmeTable()}\n${END}${after}`;
}

const manifest = JSON.parse(fs.readFileSync(inRoot("package.json"), "utf8"));
const readme = fs.readFileSync(inRoot("README.md"), "utf8");
const outOfDate = [
  ...(isDeepStrictEqual(manifest, withTables(manifest)) ? [] : ["package.json"]),
  ...(readme === withSettings(readme) ? [] : ["README.md"]),
];

if (process.argv.includes("--check")) {
  if (outOfDate.length > 0) {
    console.error(`${outOfDate.join(" and ")} differ from the tables in src/schema. Run: npm run generate`);
    process.exitCode = 1;
  }
} else {
  fs.writeFileSync(inRoot("package.json"), JSON.stringify(withTables(manifest), null, 2));
  fs.writeFileSync(inRoot("README.md"), withSettings(readme));
  const biome = inRoot("node_modules/.bin/biome");
  execFileSync(biome, ["format", "--write", "package.json"], { cwd: inRoot("."), stdio: "pipe" });
  console.log(outOfDate.length > 0 ? `Wrote ${outOfDate.join(" and ")}.` : "Everything is up to date.");
}
