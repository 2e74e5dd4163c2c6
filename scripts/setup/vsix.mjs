import fs from "node:fs";
import { createVSIX, listFiles } from "@vscode/vsce";
import { TRANSLATED } from "../../src/texts/languages.ts";
import { inRoot, ROOT } from "./root.mjs";
import { apiTroubles } from "./stable-api.mjs";

const MANIFEST = JSON.parse(fs.readFileSync(inRoot("package.json"), "utf8"));

/** Where the package of this version is written. */
export const VSIX = inRoot(`${MANIFEST.name}-${MANIFEST.version}.vsix`);

const MAX_BYTES = 8_000_000;

/** Size of the file that every window loads. Everything else is loaded on first use. */
const MAX_ENTRY_BYTES = 5_000;

/** Every file of the package fits one of these … */
const ALLOWED = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^docs\/licenses\.md$/,
  /^(l10n\/|package\.nls\.)[a-z]{2}\.json$/,
  /^package\.nls\.json$/,
  /^media\/([\w./-]+\.(png|svg|md)|embedding-table\.bin)$/,
  /^dist\/[\w-]+\.(cjs|css|js|mjs|wasm)$/,
  /^dist\/classic_bridge\.py$/,
];

/** … and these are in it. */
const NEEDED = [
  "package.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "docs/licenses.md",
  "package.nls.json",
  ...TRANSLATED.flatMap((tag) => [`l10n/${tag}.json`, `package.nls.${tag}.json`]),
  MANIFEST.main.slice(2),
];

/** Packages what is in dist/, without asking anything of the network. */
export async function writeVsix() {
  await createVSIX({ cwd: ROOT, packagePath: VSIX, dependencies: false, skipLicense: true });
}

/** What is wrong with the package, a sentence each; empty when nothing is. */
export async function findTroubles() {
  const files = await listFiles({ cwd: ROOT, dependencies: false });
  const { size } = fs.statSync(VSIX);
  const entry = fs.statSync(inRoot(MANIFEST.main)).size;
  return [
    ...files
      .filter((file) => !ALLOWED.some((pattern) => pattern.test(file)))
      .map((file) => `${file} does not belong into the package. Keep it out in .vscodeignore.`),
    ...NEEDED.filter((file) => !files.includes(file)).map((file) => `${file} is missing in the package. Write it.`),
    // The build leaves in dist/ what it has written, and nothing else.
    ...fs
      .readdirSync(inRoot("dist"))
      .map((name) => `dist/${name}`)
      .filter((file) => !files.includes(file))
      .map((file) => `${file} was built but is missing in the package. Let it in in .vscodeignore.`),
    ...apiTroubles(),
    ...(entry > MAX_ENTRY_BYTES
      ? [`${MANIFEST.main} has ${entry} bytes; at most ${MAX_ENTRY_BYTES} are allowed. Move code into the engine.`]
      : []),
    ...(size > MAX_BYTES ? [`The package has ${size} bytes; at most ${MAX_BYTES} are allowed.`] : []),
  ];
}
