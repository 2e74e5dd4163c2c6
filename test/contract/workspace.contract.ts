import { plant } from "../support/trees.ts";
import { filesContract } from "./workspace-files.contract.ts";
import { placesContract } from "./workspace-places.contract.ts";
import type { WorkspaceUnderTest } from "./workspace-under-test.ts";
import { walksContract } from "./workspace-walks.contract.ts";

/** What every `Workspace` promises. `open` makes a new one, empty. */
export function workspaceContract(name: string, open: () => Promise<WorkspaceUnderTest>): void {
  describe(`workspace: ${name}`, () => {
    for (const contract of [placesContract, filesContract, walksContract])
      contract(async (tree) => {
        const under = await open();
        await plant(under.folder, tree);
        return under;
      });
  });
}
