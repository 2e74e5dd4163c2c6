import type * as vscode from "vscode";
import type { TaughtRule, TaughtStore } from "../safety/taught-rules.ts";

const KEY = "autogpt.taughtRules";

/** Keeps what the user has taught in VS Code's own store of this machine, out of every workspace's reach. */
export function taughtStore(state: vscode.Memento): TaughtStore {
  return {
    all: () => state.get<TaughtRule[]>(KEY, []),
    save: async (rules) => state.update(KEY, rules),
  };
}
