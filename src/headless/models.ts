import { omitUndefined } from "../core/base/objects.ts";
import type { ModelPair } from "../core/events/run.ts";
import type { LessonStore } from "../models/chat/lesson-file.ts";
import { ON_COMMAND_LINE } from "../models/http/endpoint.ts";
import { ModelResolver } from "../models/model-resolver.ts";
import type { KeyFor } from "../runtime/services/settings.ts";
import type { Settings } from "../schema/settings.ts";

const NOTHING_SET_UP =
  "No model is set up yet. Put an API key into OPENAI_API_KEY, or name another server with --base-url.";

/** The models for a command line. If none is named, OpenAI's usual ones or the first model of another server. */
export function createHeadlessModels(settings: Settings, keyFor: KeyFor, lessons?: LessonStore): ModelResolver {
  return new ModelResolver({
    findKey: keyFor,
    steps: ON_COMMAND_LINE,
    getSettings: () => settings,
    picksFirstModel: true,
    nothingSetUp: NOTHING_SET_UP,
    ...omitUndefined({ lessons }),
  });
}

/** A pair in which one model does everything; unchanged if `only` is absent. */
export function restrictToModel({ smart, fast }: ModelPair, only: "smart" | "fast" | undefined): ModelPair {
  const one = { smart, fast, both: undefined }[only ?? "both"];
  return one ? { smart: one, fast: one } : { smart, fast };
}
