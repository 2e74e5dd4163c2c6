#!/usr/bin/env node
// The agent without an editor: `autogpt --help`, in the repository `npm run -s agent -- --help`.
import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { getUserFolder } from "./node/app-files.ts";

// Compiling the program takes longer than everything else until the first request, so what was compiled is kept. A
// later start runs it, so it lies beside the consents: no sandbox lets a run write there, and elsewhere it asks.
const compiled = join(getUserFolder(), "compiled");
try {
  mkdirSync(compiled, { recursive: true, mode: 0o700 });
  enableCompileCache(compiled);
} catch {
  // A folder that can't be written only makes the start slower.
}
const { runMain } = await import("./headless/main.ts");
await runMain(
  { eval: async (...given) => (await import("../packages/evals/src/eval-command.ts")).runEvalCommand(...given) },
  {
    loadEmail: () => import("../packages/mail/src/email-plugin.ts"),
    loadOpenApi: () => import("../packages/openapi/src/openapi-plugin.ts"),
  },
);
