import { NOTHING_RESERVED } from "../../../src/core/budget/reserved-budget.ts";
import { type Command, prepared } from "../../../src/core/commands/command.ts";
import { commandSet } from "../../../src/core/commands/command-set.ts";
import { estimateTokens } from "../../../src/core/context/tokens.ts";
import { Run, type StartedBody } from "../../../src/core/events/run.ts";
import type { LiveRun } from "../../../src/core/loop/live-run.ts";
import type { Completion, Model, ModelRequest, ReplyFormat } from "../../../src/core/ports/model.ts";
import { machineCommands } from "../../../src/headless/commands.ts";
import { composed } from "../../../src/headless/compose.ts";
import { readRecallSettings } from "../../../src/memory/recall/recall-settings.ts";
import { RunMemory } from "../../../src/memory/recall/run-memory.ts";
import { openRunLog } from "../../../src/runs/log/run-log.ts";
import { makeSecrets, redactedLog, withSecrets } from "../../../src/runs/log/secrets.ts";
import { Grants } from "../../../src/safety/policy/grants.ts";
import { unattendedApprover } from "../../../src/safety/policy/with-policy.ts";
import { Provenance } from "../../../src/safety/provenance/provenance.ts";
import { NO_LIMITS, sampleStart } from "../../support/sample-run.ts";

/** The headless agent with a model that answers at once and a command that does nothing, its log on the disk. */
export interface InstantAgent {
  readonly live: LiveRun;
  /** What the model was asked, one for each step. */
  readonly requests: readonly ModelRequest[];
  readonly start: StartedBody;
  readonly folder: string;
}

export interface InstantParts {
  /** A folder of its own for the run. */
  readonly folder: string;
  readonly format: ReplyFormat;
  readonly steps: number;
  /** Characters of each outcome. */
  readonly outcomeChars: number;
  readonly keepRequests: boolean;
  readonly id?: string;
}

/** Makes the agent ready to go; it ends by itself after so many steps. */
export async function instantAgent(parts: InstantParts): Promise<InstantAgent> {
  const { folder, format, steps } = parts;
  const secrets = makeSecrets(["a key that is not there"]);
  const { all, folders } = await machineCommands({
    ...{ workspace: folder, runFolder: folder, user: undefined, memory: NO_MEMORY },
    sandbox: "off",
    python: { interpreter: "", useDocker: false },
    redact: (text) => text,
  });
  const commands = withSecrets(commandSet([...all, note(parts.outcomeChars)]), secrets);
  const start = sampleStart({
    ...(parts.id === undefined ? {} : { id: parts.id }),
    commands: commands.specs,
    limits: { ...NO_LIMITS, steps },
    model: { smart: "instant", fast: "instant", contextWindow: WINDOW },
  });
  const requests: ModelRequest[] = [];
  const run = await Run.start(redactedLog(await openRunLog(folder), secrets), start);
  const model = instantModel(format, parts.keepRequests ? requests : undefined);
  const live = composed(run, {
    ...{
      model,
      fast: model,
      countTokens: () => estimateTokens,
      commands,
      memory: NO_MEMORY,
      folders,
      asks: unattendedApprover,
      grants: new Grants(),
    },
    yesTo: ["write_note"],
    allowHosts: [],
    sandbox: () => undefined,
    notice: () => undefined,
    provenance: new Provenance(),
    reserved: () => NOTHING_RESERVED,
  });
  return { live, requests, start, folder };
}

const WINDOW = 128_000;

/** The loop is measured without what is recalled, which has a benchmark of its own. */
const NO_MEMORY = new RunMemory({
  open: () => Promise.reject(new Error("This benchmark has no memory.")),
  settings: () => ({ ...readRecallSettings((_, fallback) => fallback), enabled: false }),
  summarizedUpTo: () => 0,
  sources: () => [],
  record: async () => undefined,
  notice: () => undefined,
});

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
      prepared("write", `Write ${JSON.stringify(args)}`, async () => ({
        status: "done",
        output: `Note ${step} is written. ${"Some words of an outcome. ".repeat(chars / 26)}`,
      })),
  };
}

const WORDS =
  "I look at what there is and think about what comes next, in about as many words as models use. ";

function instantModel(format: ReplyFormat, requests: ModelRequest[] | undefined): Model {
  let step = 0;
  return {
    name: "instant",
    contextWindow: WINDOW,
    formats: [format],
    async complete(request): Promise<Completion> {
      requests?.push(request);
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
