import path from "node:path";
import { ROOT } from "../host/places.ts";
import type { ServerOptions } from "../host/server.ts";

/** One VS Code that integration tests run in. Each has a fresh profile and a copy of its workspace. */
export interface TestHost extends Pick<ServerOptions, "settings" | "env" | "trust"> {
  /** Which tests run here: those in the folder of this name, and below; "." takes what no other host takes. */
  readonly folder: string;
  readonly workspace?: string;
  /** Opened in place of the workspace's folder: a `.code-workspace` file in it. */
  readonly workspaceFile?: string;
  /** Extensions beside ours. */
  readonly extensions?: readonly string[];
}

const fixture = (name: string) => path.join(ROOT, "test/fixtures", name);
const sample = fixture("sample-workspace");

/** A host without tests is not started. */
export const HOSTS: readonly TestHost[] = [
  { folder: ".", workspace: sample, extensions: [fixture("model-extension")] },
  { folder: "parts", workspace: sample },
  {
    folder: "chat",
    workspace: sample,
    extensions: [fixture("model-extension"), fixture("chat-extension")],
    settings: { "autogpt.model.provider": "vscode", "autogpt.model.replyFormat": "tools" },
  },
  { folder: "restricted", workspace: sample, trust: true },
  { folder: "empty-window" },
  {
    folder: "several-folders",
    workspace: fixture("several-folders"),
    workspaceFile: "several.code-workspace",
  },
];
