import { type Command, createPreparedCall } from "../../../src/core/commands/command.ts";
import type { StartedBody } from "../../../src/core/events/run.ts";
import type { LiveRun } from "../../../src/core/loop/live-run.ts";
import type { Completion, Model, ModelRequest, ReplyFormat } from "../../../src/core/ports/model.ts";
import { completeProfile } from "../../../src/core/prompt/profile.ts";
import type { PluginCatalog } from "../../../src/plugins/catalog.ts";
import { beginRun } from "../../../src/runtime/compose-run.ts";
import { createAllowRules } from "../../../src/safety/policy/rules.ts";
import { unattendedApprover } from "../../../src/safety/policy/with-policy.ts";
import { TEST_SETTINGS, testHost } from "../../support/test-host.ts";

/** The composed agent with a model that answers at once and a command that does nothing, its log on the disk. */
export interface InstantAgent {
  readonly live: LiveRun;
  /** What the model was asked, one for each step. */
  readonly requests: readonly ModelRequest[];
  readonly start: StartedBody;
  /** The run's own folder. */
  readonly folder: string;
}

export interface InstantParts {
  /** A folder to work in. */
  readonly folder: string;
  /** The `.autogpt` folder; absent: that of the folder. */
  readonly home?: string;
  readonly format: ReplyFormat;
  readonly steps: number;
  /** Characters of each outcome. */
  readonly outcomeChars: number;
  readonly keepRequests: boolean;
  readonly plugins?: PluginCatalog;
  /** Called when the model is asked. */
  asked?(): void;
}

/** Makes the agent ready to go; it ends by itself after so many steps. */
export async function instantAgent(parts: InstantParts): Promise<InstantAgent> {
  const { folder, format, steps, home } = parts;
  const requests: ModelRequest[] = [];
  const model = instantModel(format, (request) => {
    parts.asked?.();
    if (parts.keepRequests) requests.push(request);
  });
  const models = { smart: model, fast: model };
  const run = { ...TEST_SETTINGS.run, maxSteps: steps, maxTokens: 0, maxMinutes: 0, budgetUsd: 0 };
  const settings = { ...TEST_SETTINGS, run };
  const host = testHost({
    data: folder,
    models,
    settings,
    listExtraCommands: () => [note(parts.outcomeChars)],
    ...(parts.plugins ? { plugins: parts.plugins } : {}),
    secrets: { listKeys: async () => ["a key that is not there"], keyFor: async () => undefined },
    approver: {
      isPresent: false,
      isPatient: false,
      createApprover: () => unattendedApprover,
      findUser: () => undefined,
      listRules: () => createAllowRules(["write_note"]),
    },
  });
  const task = "Write notes.";
  const composed = await beginRun(host, {
    task,
    profile: completeProfile(task),
    folder,
    settings,
    models,
    mode: "ask",
    ...(home === undefined ? {} : { home }),
  });
  return { live: composed.live, requests, start: composed.run.head, folder: composed.home };
}

const WINDOW = 128_000;

/** Counts as writing, so that each step syncs its log; each outcome is another, so that the loop guard keeps still. */
function note(chars: number): Command {
  const title = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
  return {
    name: "write_note",
    description: "Writes a note.",
    parameters: title,
    aliases: [],
    category: "notes",
    effect: "write",
    prepare: async (args, { step }) =>
      createPreparedCall("write", `Write ${JSON.stringify(args)}`, async () => ({
        status: "done",
        output: `Note ${step} is written. ${"Some words of an outcome. ".repeat(chars / 26)}`,
      })),
  };
}

const WORDS = "I look at what there is and think about what comes next, in about as many words as models use. ";

function instantModel(format: ReplyFormat, asked: (request: ModelRequest) => void): Model {
  let step = 0;
  return {
    name: "instant",
    contextWindow: WINDOW,
    formats: [format],
    async complete(request): Promise<Completion> {
      asked(request);
      step++;
      const thoughts = {
        text: WORDS.repeat(3),
        reasoning: WORDS,
        plan: "- look\n- act",
        criticism: WORDS,
        speak: "On it.",
      };
      const args = { title: `note ${step}` };
      const common = {
        finish: "stop",
        model: "instant",
        usage: { input: 1000, output: 200 },
        costUsd: 0.0001,
      };
      if (format === "tools") {
        const call = {
          id: `call_${step}`,
          name: "write_note",
          arguments: JSON.stringify({ thoughts, ...args }),
        };
        return { ...common, text: "", calls: [call] };
      }
      return {
        ...common,
        text: JSON.stringify({ thoughts, command: { name: "write_note", args } }),
        calls: [],
      };
    },
  };
}
