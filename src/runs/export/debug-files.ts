import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Queue } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import type { Run } from "../../core/events/run.ts";
import { buildPrompt } from "../../core/prompt/prompt.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { isBehindLink } from "../store/run-folder.ts";
import {
  createPromptFiles,
  type ExportedFile,
  formatActionFile,
  formatInputFile,
  getCycleFolder,
} from "./prompt-exports.ts";

/** The folder for debug files in that of a run. */
const DEBUG_FOLDER = "DEBUG";

/** Settings and reports of the writer. */
interface DebugFilesOptions {
  /** The folder of the run. */
  readonly folder: string;
  /** True if the next step's files should be written. */
  isOn(): boolean;
  /** Receives a sentence if files can't be written. */
  reportTrouble(text: Sentence): void;
}

/**
 * Writes the prompts, replies and decisions of a run in the classic layout while it works: a folder for each cycle, numbered from 000.
 * Returns a function that waits for the files so far.
 */
export function writeDebugFiles(run: Run, { folder, isOn, reportTrouble }: DebugFilesOptions): () => Promise<void> {
  const queue = new Queue();
  let step: number | undefined;
  let isBroken = false;

  const write = async ({ name, text }: ExportedFile): Promise<void> => {
    if (isBroken) return;
    const path = join(folder, DEBUG_FOLDER, name);
    try {
      if (await isBehindLink(path, folder)) throw new Error(`${path} is behind a link.`);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, text, { mode: 0o600 });
    } catch (error) {
      isBroken = true;
      reportTrouble(displayText("trouble.debugFilesNotWritable", { error: getErrorMessage(error) }));
    }
  };

  run.onEvent((event) => {
    if (event.type === "asked") step = isOn() ? event.step : undefined;
    if (step === undefined) return;
    for (const file of createEventFiles(run, event)) void queue.add(() => write(file));
  });
  return async () => void (await queue.idle);
}

/** Creates the files that an event completes, from what is known at that point. */
function createEventFiles(run: Run, event: AgentEvent): readonly ExportedFile[] {
  switch (event.type) {
    case "asked":
      return createPromptFiles(getCycleFolder(event.step - 1), {
        history: run.history.messages(event.format),
        request: buildPrompt(run.head, run.history, event),
      });
    case "replied":
      return [{ name: `${getCycleFolder(event.step - 1)}/2_next_action.json`, text: formatActionFile(event) }];
    case "decided":
      return [{ name: `${getCycleFolder(event.step - 1)}/3_user_input.txt`, text: formatInputFile(event) }];
    default:
      return [];
  }
}
