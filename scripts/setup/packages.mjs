import fs from "node:fs";
import path from "node:path";
import { npm } from "./npm.mjs";
import { onlyOne } from "./only-one.mjs";

/**
 * Makes the packages in a folder the ones its lock file asks for. Costs a few milliseconds when they are;
 * a package's own install scripts never run.
 */
export async function installPackages(folder) {
  if (isInstalled(folder)) return;
  await onlyOne(() => {
    if (isInstalled(folder)) return;
    process.stderr.write(`Installing packages in ${folder} …\n`);
    install(folder);
  });
}

const FLAGS = ["--ignore-scripts", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];

/** `npm ci` insists on optional packages of other platforms that a registry may not have; `npm install` does not. */
function install(folder) {
  try {
    npm(["ci", ...FLAGS], folder);
  } catch {
    process.stderr.write("Trying once more, without what is optional and cannot be had …\n");
    npm(["install", "--no-save", ...FLAGS], folder);
  }
}

/** npm writes the second file last, so an install that was interrupted counts as none. */
function isInstalled(folder) {
  const wanted = lockedPackages(path.join(folder, "package-lock.json"));
  const present = lockedPackages(path.join(folder, "node_modules", ".package-lock.json"));
  return [...wanted].every(([place, { version, optional }]) => {
    const found = present.get(place);
    return found ? found.version === version : optional === true;
  });
}

/** The packages by place, without the links to those in `packages`, which nothing of ours is loaded through. */
function lockedPackages(file) {
  if (!fs.existsSync(file)) return new Map();
  const { packages } = JSON.parse(fs.readFileSync(file, "utf8"));
  return new Map(Object.entries(packages).filter(([place, { link }]) => place.startsWith("node_modules/") && !link));
}
