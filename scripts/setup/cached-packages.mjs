import fs from "node:fs";
import path from "node:path";
import { npm } from "./npm.mjs";
import { onlyOne } from "./only-one.mjs";
import { inRoot } from "./root.mjs";

/**
 * The folder `.cache/NAME` with the packages that the manifest in `source` names, outside of git. They are installed and
 * built when the manifest was changed since, which can take minutes; otherwise this costs a millisecond.
 */
export async function cachedPackages(name, source, build = async () => undefined) {
  const folder = inRoot(".cache", name);
  const manifest = fs.readFileSync(path.join(source, "package.json"), "utf8");
  const done = path.join(folder, "installed.json");
  const isDone = () => fs.existsSync(done) && fs.readFileSync(done, "utf8") === manifest;
  if (isDone()) return folder;
  await onlyOne(async () => {
    if (isDone()) return;
    process.stderr.write(`Installing packages in ${folder} …\n`);
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, "package.json"), manifest);
    npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder);
    await build(folder);
    fs.writeFileSync(done, manifest);
  });
  return folder;
}
