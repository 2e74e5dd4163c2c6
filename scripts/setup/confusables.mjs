// Characters that people confuse, from the package unhomoglyph: Unicode's own table (UTS 39, confusables.txt) as data. `npm run generate`
// writes them by what they look like, which takes a third of the space.
import fs from "node:fs";
import { inRoot } from "./root.mjs";

const ROWS_IN_A_LINE = 25;

/** Source of the module with the table. */
export function confusablesModule() {
  const table = JSON.parse(fs.readFileSync(inRoot("node_modules/unhomoglyph/data.json"), "utf8"));
  const rows = Object.groupBy(Object.keys(table), (character) => table[character]);
  const texts = Object.entries(rows).map(([likeness, all]) => literal(`${likeness} ${all.join("")}`));
  const lines = texts.flatMap((_text, at) =>
    at % ROWS_IN_A_LINE === 0 ? [`${texts.slice(at, at + ROWS_IN_A_LINE).join(", ")},`] : [],
  );
  return `// Written by npm run generate from unhomoglyph, see scripts/setup/confusables.mjs and scripts/confusables/NOTICE.md.

/** The look of characters, a blank, and those characters. */
export const CONFUSABLES: readonly string[] = [
${lines.map((line) => `  ${line}`).join("\n")}
];
`;
}

/** A literal without characters that are invisible, combine with others or reorder the text. */
function literal(text) {
  const plain = text.replace(
    /[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Script=Hebrew}\p{Script=Arabic}]/gu,
    (one) =>
      one === " "
        ? one
        : [...one.split("")].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  );
  return `"${plain.replace(/["]/g, '\\"').replace(/\\(?!u[0-9a-f]{4}|")/g, "\\\\")}"`;
}
