import { join } from "node:path";
import type { CommandDependencies } from "../../src/commands/all.ts";
import { CommandBench } from "./command-bench.ts";
import { tempFolders } from "./temp-folders.ts";
import { plant, type Tree } from "./trees.ts";

export interface PlantedBench {
  /** Real path of the folder that the commands work in. */
  readonly folder: string;
  readonly bench: CommandBench;
}

/** Makes, for the tests around it, all commands over folders that hold a tree. */
export function plantedBenches(): (tree: Tree, parts?: Partial<CommandDependencies>) => Promise<PlantedBench> {
  const tempFolder = tempFolders();
  return async (tree, parts) => {
    const folder = await tempFolder();
    await plant(folder, tree);
    return { folder, bench: new CommandBench(folder, join(folder, ".autogpt"), parts) };
  };
}
