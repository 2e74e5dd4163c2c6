// Run after the packages of this folder were installed: VS Code looks for what it loads at run time inside its own
// folders, and finds it here through two links.
import fs from "node:fs";
import path from "node:path";
import { OWN_VSCODE, PACKAGES } from "./places.ts";

for (const place of ["node_modules", "extensions/node_modules"].map((folder) => path.join(OWN_VSCODE, folder))) {
  if (fs.existsSync(place) && fs.realpathSync(place) === fs.realpathSync(PACKAGES)) continue;
  fs.rmSync(place, { recursive: true, force: true });
  fs.symlinkSync(path.relative(path.dirname(place), PACKAGES), place, "junction");
}
