import * as vscode from "vscode";
import type { RunSummary } from "../runs/summary.ts";
import type { Library } from "./library.ts";
import { plainState } from "./run-status.ts";
import { RunItem } from "./runs-tree.ts";
import { plain } from "./say.ts";

/** The id of the run an action is about: the tree's item, an id, or the one the user picks of those `offered`; undefined when none. */
export async function pickRun(
  library: Library,
  given: unknown,
  title: string,
  offered: (run: RunSummary) => boolean = () => true,
): Promise<string | undefined> {
  if (given instanceof RunItem) return given.runId;
  if (typeof given === "string") return given;
  const items = (await library.list()).filter(offered).map((run) => ({
    label: plain(run.task) || run.id,
    description: `${plainState(run.state)} · ${new Date(run.startedAt).toLocaleString()}`,
    id: run.id,
  }));
  if (items.length === 0) throw new Error(`There is no run here for “${title}”.`);
  return (await vscode.window.showQuickPick(items, { title, placeHolder: "Which run?" }))?.id;
}
