// Writes docs/licenses.md: the packages that the extension is made with, each with its licence text.
// --check only says whether it is up to date.
import fs from "node:fs";
import path from "node:path";
import { bundledPackages } from "./bundled-packages.mjs";
import { inRoot } from "./setup/root.mjs";

const MOST_DIRECT = 46;
const bundled = bundledPackages();

const { packages } = JSON.parse(fs.readFileSync(inRoot("package-lock.json"), "utf8"));

/** The folders of all packages that the bundled ones need, themselves included. */
function runtimePackages() {
  const found = new Set();
  const visit = (names, from) => {
    for (const place of Object.keys(names ?? {}).map((name) => resolve(name, from))) {
      if (!place || found.has(place)) continue;
      found.add(place);
      const { dependencies, optionalDependencies } = packages[place];
      visit({ ...dependencies, ...optionalDependencies }, place);
    }
  };
  visit(Object.fromEntries(bundled.map((name) => [name, ""])), "");
  return [...found];
}

/** Node's own way: the nearest node_modules upwards. */
function resolve(name, from) {
  const place = path.posix.join(from, "node_modules", name);
  if (packages[place]) return place;
  return from === "" ? undefined : resolve(name, from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))) || "");
}

function read(place) {
  const { name, version, license, homepage } = JSON.parse(fs.readFileSync(inRoot(place, "package.json"), "utf8"));
  const file = fs.readdirSync(inRoot(place)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file && fs.readFileSync(inRoot(place, file), "utf8").replaceAll("\r", "").trim();
  return { name, version, license: license ?? "licence not stated", homepage, text };
}

/** Data that comes with the extension. */
const NOTICES = ["embedding-table", "secret-rules", "confusables"];

function describe({ name, version, license, homepage, text }) {
  const heading = `## ${name} ${version}\n\n${license}${homepage ? ` · <${homepage}>` : ""}\n`;
  return text ? `${heading}\n~~~text\n${text}\n~~~\n` : heading;
}

const found = runtimePackages()
  .map(read)
  .filter(({ name }) => !name.startsWith("@types/"))
  .sort((one, other) => one.name.localeCompare(other.name, "en") || one.version.localeCompare(other.version, "en"));
const direct = bundled.length;
const list = `# Licences of the packages the extension is made with

Written by \`node scripts/licenses.mjs\`: ${direct} direct dependencies, ${found.length} packages in all.

${found.map(describe).join("\n")}
${NOTICES.map((name) => fs.readFileSync(inRoot("scripts", name, "NOTICE.md"), "utf8")).join("")}`;
const target = inRoot("docs/licenses.md");
if (!process.argv.includes("--check")) {
  fs.mkdirSync(inRoot("docs"), { recursive: true });
  fs.writeFileSync(target, list);
} else if (!fs.existsSync(target) || fs.readFileSync(target, "utf8") !== list) {
  console.error("docs/licenses.md is not what the dependencies ask for. Run: node scripts/licenses.mjs");
  process.exitCode = 1;
}
if (direct > MOST_DIRECT) {
  console.error(`There are ${direct} direct dependencies; at most ${MOST_DIRECT} are allowed.`);
  process.exitCode = 1;
}
