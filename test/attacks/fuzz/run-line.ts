import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { propose } from "../../support/unasked-lines.ts";

/** A folder in which lines are proposed. */
export interface FuzzFolder {
  readonly workspace: string;
  /** Lines that ran without asking. */
  ran: number;
}

/** Makes a small repository in a folder. */
export function fuzzFolder(parent: string): FuzzFolder {
  const workspace = join(parent, "workspace");
  for (const folder of ["src", "data"]) mkdirSync(join(workspace, folder), { recursive: true });
  const files = {
    "README.md": "a shop\nsells b\n",
    "src/cart.js": "a + b\n",
    "data/orders.csv": "a,b\n1,2\n",
    "my file.txt": "mine\n",
    "package.json": '{"name":"shop"}\n',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(workspace, path), text);
  const made = spawnSync(
    "bash",
    [
      "-c",
      "git init -q -b main . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first && echo more >> README.md",
    ],
    { cwd: workspace },
  );
  if (made.status !== 0) throw new Error(String(made.stderr));
  return { workspace, ran: 0 };
}

/** Proposes a line where lines that only read run. Throws if one that ran has changed a file, or if judging it failed. */
export async function checkLine(line: string, folder: FuzzFolder, env: NodeJS.ProcessEnv): Promise<void> {
  const before = stateOf(folder.workspace);
  const { asked, outcome } = await propose(line, { folder: folder.workspace, env });
  rmSync(`${folder.workspace}-outputs`, { recursive: true, force: true });
  if (asked?.startsWith("The policy couldn't judge")) throw new Error(`Judging it failed: ${asked}`);
  if (outcome === undefined) return;
  folder.ran++;
  const after = stateOf(folder.workspace);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  if (changed.length > 0)
    throw new Error(`It was taken for a line that only reads, and has changed ${changed.join(", ")}.`);
}

function stateOf(folder: string, found: Map<string, string> = new Map()): ReadonlyMap<string, string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    const content = stats.isFile() ? createHash("sha1").update(readFileSync(path)).digest("hex") : "";
    found.set(path, `${stats.mode} ${stats.isSymbolicLink() ? readlinkSync(path) : content}`);
    if (stats.isDirectory()) stateOf(path, found);
  }
  return found;
}
