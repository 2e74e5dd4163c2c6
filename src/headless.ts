#!/usr/bin/env node
// The agent without an editor: `autogpt --help`, in the repository `npm run -s agent -- --help`.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { userFolder } from "./node/app-files.ts";

// Compiling the program takes longer than everything else until the first request, so what was compiled is kept. It's
// code that a later start runs, so it lies beside the consents, where no sandbox lets a run write.
enableCompileCache(join(userFolder(), "compiled"));
await import("./headless/main.ts");
