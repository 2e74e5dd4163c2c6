import type { Commands } from "../core/commands.ts";
import type { RunLog } from "../core/ports.ts";
import { mapTexts, someText } from "./map-texts.ts";
import type { Secrets } from "./secrets.ts";

/** A log into which no secret gets. Events take effect as they were written, so the model does not see secrets either. */
export function redactedLog(log: RunLog, secrets: Secrets): RunLog {
  return {
    append: (event) => log.append(mapTexts(event, secrets.redact)),
    sync: () => log.sync(),
    close: () => log.close(),
  };
}

/** Commands whose arguments may name secrets by their marks; a mark whose secret is forgotten is not taken for text. */
export function withSecrets(commands: Commands, secrets: Secrets): Commands {
  return {
    ...commands,
    prepare: async (call, preparing) =>
      someText(call.args, secrets.hasLost)
        ? { status: "failed", error: FORGOTTEN }
        : commands.prepare({ ...call, args: mapTexts(call.args, secrets.restore) }, preparing),
  };
}

const FORGOTTEN =
  'The arguments hold a mark "[secret ...]" whose secret is no longer known, so nothing was done. Read the place it came from again, or leave that place of the file alone with a small edit.';
