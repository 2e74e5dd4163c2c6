// Helps to translate: `node scripts/translations.mjs de` prints the texts that l10n/de.json lacks or has of an older
// English text, as JSON by code. `node scripts/translations.mjs de FILE` takes the translations of such a file over.
import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { ENGLISH } from "../src/texts/english.ts";
import { manifestTexts } from "./setup/manifest-texts.mjs";
import { inRoot } from "./setup/root.mjs";

const [tag = "", file] = process.argv.slice(2);
const target = inRoot("l10n", `${tag}.json`);
const english = { ...ENGLISH, ...manifestTexts() };
const rows = fs.existsSync(target) ? JSON.parse(fs.readFileSync(target, "utf8")) : {};
const isCurrent = (code) => isDeepStrictEqual(rows[code]?.source, english[code]);

if (!/^[a-z]{2,3}$/.test(tag)) {
  console.error("Name the tag of a language, such as de.");
  process.exitCode = 1;
} else if (file === undefined) {
  const open = Object.keys(english).filter((code) => !isCurrent(code));
  console.log(JSON.stringify(Object.fromEntries(open.map((code) => [code, english[code]])), null, 2));
} else {
  const given = JSON.parse(fs.readFileSync(file, "utf8"));
  const unknown = Object.keys(given).filter((code) => !Object.hasOwn(english, code));
  const rowOf = (code) => (Object.hasOwn(given, code) ? { source: english[code], text: given[code] } : rows[code]);
  const merged = Object.keys(english).flatMap((code) => (rowOf(code) ? [[code, rowOf(code)]] : []));
  fs.writeFileSync(target, `${JSON.stringify(Object.fromEntries(merged), null, 2)}\n`);
  const left = Object.keys(english).length - merged.length;
  console.log(`${merged.length} texts in l10n/${tag}.json, ${left} are missing.`);
  if (unknown.length > 0) console.log(`Not in the tables: ${unknown.join(", ")}.`);
}
