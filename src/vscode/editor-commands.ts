import { join } from "node:path";
import { allCommands } from "../commands/all.ts";
import type { Command } from "../core/command.ts";
import type { Problems, User, Workspace } from "../core/ports.ts";
import { nodeShell } from "../node/shell.ts";
import { editorWorkspace } from "./editor-workspace.ts";
import { editorProblems } from "./problems.ts";
import type { Settings } from "./settings.ts";
