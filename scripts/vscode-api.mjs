// Writes scripts/vscode-api.json from a folder with vscode.d.ts and all vscode.proposed.*.d.ts of a VS Code release: src/vscode-dts of its
// repository, or vscode-dts of the npm package @codingame/monaco-vscode-api.
import fs from "node:fs";
import path from "node:path";
import { API_TABLE, declaredNames, isDistinctive, typesOfApi } from "./setup/stable-api.mjs";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("Which folder has the declaration files? Name it as the argument.");

const namesIn = (file) =>
  [...declaredNames(fs.readFileSync(path.join(folder, file), "utf8"))].filter(isDistinctive).sort();
const seen = new Set(typesOfApi().known);
const table = {};
for (const file of ["vscode.d.ts", ...fs.readdirSync(folder).sort()]) {
  if (!/^vscode\.(proposed\.\w+\.)?d\.ts$/.test(file)) continue;
  const proposal = file.split(".proposed.")[1]?.replace(".d.ts", "") ?? "stable";
  const names = namesIn(file).filter((name) => !seen.has(name));
  for (const name of names) seen.add(name);
  if (names.length > 0) table[proposal] = names.join(" ");
}
fs.writeFileSync(API_TABLE, `${JSON.stringify(table, undefined, 2)}\n`);
