// Assembles src/memory/search/scan.wat into src/memory/search/scan-kernel.ts. Run it after a change to the former.
import fs from "node:fs";
import path from "node:path";
import wabt from "wabt";

const FOLDER = path.join(import.meta.dirname, "..", "src", "memory", "search");
const source = path.join(FOLDER, "scan.wat");
const target = path.join(FOLDER, "scan-kernel.ts");

/** The module's bytes, in base64. */
export async function assemble() {
  const { parseWat } = await wabt();
  const module = parseWat("scan.wat", fs.readFileSync(source, "utf8"), { simd: true });
  return Buffer.from(module.toBinary({}).buffer).toString("base64");
}

if (process.argv[1] === import.meta.filename) {
  const base64 = await assemble();
  const lines = base64.match(/.{1,96}/g).map((line) => `  "${line}"`);
  const text = fs.readFileSync(target, "utf8");
  fs.writeFileSync(target, text.replace(/(const KERNEL =\n)[^;]*;/, `$1${lines.join(" +\n")};`));
}
