// Publishes the package to both marketplaces for practice: with their own clients, but to a server on this machine. Then
// checks what arrived. Needs no account and sends nothing; the first time, the client of Open VSX is installed into .cache/ovsx.
import fs from "node:fs";
import path from "node:path";
import { cachedPackages } from "../setup/cached-packages.mjs";
import { openMarketplaces, packageTroubles } from "../setup/marketplaces.mjs";
import { runNode, runOrExit } from "../setup/node-program.mjs";
import { inRoot } from "../setup/root.mjs";
import { VSIX } from "../setup/vsix.mjs";

const ovsx = await cachedPackages("ovsx", inRoot("scripts/publish"));
if (!process.argv.includes("--no-package")) await runOrExit(["scripts/tasks/package.mjs"]);
const { url, received, close } = await openMarketplaces();

const CLIENTS = {
  "Visual Studio Marketplace": {
    command: ["node_modules/@vscode/vsce/vsce", "publish", "--packagePath", VSIX, "--pat", "practice"],
    env: { VSCE_MARKETPLACE_URL: url, VSCE_STORE: "file" },
  },
  "Open VSX": {
    command: [path.join(ovsx, "node_modules/ovsx/bin/ovsx"), "publish", VSIX, "-p", "practice", "-r", url],
    env: {},
  },
};

const original = fs.readFileSync(VSIX);
for (const [name, { command, env }] of Object.entries(CLIENTS)) {
  const { code, output } = await runNode(command, { capture: true, env });
  const arrived = received.get(name);
  const troubles = [
    ...(code === 0 ? [] : [`Its client failed:\n${output.trim()}`]),
    ...(arrived && original.equals(arrived) ? [] : ["The package did not arrive as it is."]),
    ...(arrived ? packageTroubles(arrived) : []),
  ];
  for (const trouble of troubles) console.error(`${name}: ${trouble}`);
  if (troubles.length === 0) console.log(`${name}: would be published.`);
  else process.exitCode = 1;
}
close();
