import assert from "node:assert/strict";
import { join } from "node:path";
import { type ResolvedPath, type Workspace, WorkspaceError } from "../../../src/core/ports/workspace.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { skipWithout } from "../../support/skips.ts";
import { swapping } from "../../support/swapping.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { grown, plant } from "../../support/trees.ts";

const signal = new AbortController().signal;
const TRIES = 1000;

/** What is done with a place while its folder is swapped for a link; tells what it saw. */
const DEEDS: Readonly<
  Record<string, (workspace: Workspace, place: ResolvedPath, again: ResolvedPath) => Promise<unknown>>
> = {
  read: (workspace, place) => workspace.read(place),
  write: (workspace, place, again) =>
    workspace.write({ ...place, version: again.version }, { text: "mine", encoding: "utf-8", bom: false, eol: "\n" }),
  move: (workspace, place) => workspace.move(place, { ...place, path: `${place.path}.moved`, kind: "missing" }),
  remove: (workspace, place) => workspace.remove(place),
  "make a folder": (workspace, place) => workspace.createFolder({ ...place, path: `${place.path}.d`, kind: "missing" }),
  list: async (workspace, place) =>
    workspace.list({ ...place, path: join(place.path, ".."), kind: "folder" }, { limit: 9, signal }),
  search: async (workspace, place) =>
    workspace.search(
      { ...place, path: join(place.path, ".."), kind: "folder" },
      { pattern: "secret", regex: false, limit: 9, signal },
    ),
};

describe("a folder swapped for a link between check and use", () => {
  before(() => skipWithout("links"));
  const tempFolder = tempFolders();

  for (const [name, act] of Object.entries(DEEDS))
    it(`diverts no attempt to ${name}, in ${TRIES} tries`, async () => {
      const home = await tempFolder();
      await plant(home, { "outside/a.txt": "secret", "outside/hidden.txt": "", "project/d/a.txt": "inside" });
      const workspace = createNodeWorkspace({ folders: [{ name: "project", path: join(home, "project") }] });
      const place = await workspace.locate("d/a.txt");
      const swaps = await swapping(join(home, "project/d"), join(home, "outside"));
      const seen: string[] = [];
      for (let tries = 0; tries < TRIES; tries++) {
        const again = await workspace.locate("d/a.txt").catch(() => place);
        const told = await act(workspace, place, again).catch((error: unknown) => {
          if (!(error instanceof WorkspaceError)) throw error;
        });
        if (/secret|hidden/.test(JSON.stringify(told ?? ""))) seen.push(JSON.stringify(told));
      }
      const isSwapped = (await swaps.stop()) > 0;
      const { "outside/a.txt": file, "outside/hidden.txt": hidden, ...others } = await grown(home);
      const strays = Object.keys(others).filter((path) => path.startsWith("outside/"));
      assert.deepEqual(
        { isSwapped, seen, file, hidden, strays },
        {
          isSwapped: true,
          seen: [],
          file: "secret",
          hidden: "",
          strays: [],
        },
      );
    });
});
