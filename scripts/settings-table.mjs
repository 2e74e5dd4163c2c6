// Writes the table of settings in README.md from package.json. --check only says whether it is up to date.
import fs from "node:fs";
import { inRoot } from "./setup/root.mjs";

const BEGIN = "<!-- settings: written by node scripts/settings-table.mjs -->";
const END = "<!-- /settings -->";

const { properties } = JSON.parse(fs.readFileSync(inRoot("package.json"), "utf8")).contributes.configuration;

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const rows = Object.entries(properties).map(([name, { default: value, markdownDescription, scope }]) => {
  const shown = value === undefined ? "" : `\`${JSON.stringify(value)}\``;
  const workspace = scope === "resource" ? "yes" : "";
  return `| \`${name}\` | ${shown} | ${workspace} | ${cell(markdownDescription)} |`;
});
const table = ["| setting | default | per workspace | what it does |", "|---|---|---|---|", ...rows].join(
  "\n",
);

const readme = fs.readFileSync(inRoot("README.md"), "utf8");
const [before, rest] = readme.split(BEGIN);
const after = rest?.split(END)[1];
if (after === undefined) throw new Error(`README.md has no place for the settings: ${BEGIN} … ${END}`);
const wanted = `${before}${BEGIN}\n${table}\n${END}${after}`;
if (!process.argv.includes("--check")) {
  fs.writeFileSync(inRoot("README.md"), wanted);
} else if (readme !== wanted) {
  console.error(
    "The settings in README.md are not those of package.json. Run: node scripts/settings-table.mjs",
  );
  process.exitCode = 1;
}
