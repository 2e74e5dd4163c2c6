import { getErrorMessage } from "../core/base/errors.ts";
import { createUsageEvent } from "../core/events/run.ts";
import { openAiSpeech } from "../models/media/openai-speech.ts";
import { findSoundPlayer, findSystemVoice } from "../node/speech/system-voice.ts";
import { getServiceNextSteps, type KeyFor } from "../runtime/services/settings.ts";
import type { AgentEvent, AgentEventBody } from "../schema/events.ts";
import type { Settings } from "../schema/settings.ts";

/** Reads a text aloud; resolves at its end. */
type Say = (text: string, signal: AbortSignal) => Promise<void>;

/** Reads the agent's sentences for the user aloud, one after the other. */
export interface Speaker {
  hear(event: AgentEvent): void;
  /** Waits for the remaining sentences. */
  close(): Promise<void>;
}

/** Longer sentences are cut. */
const LONGEST = 500;

/** Speaks the `speak` thought of each reply. A newer sentence replaces a waiting one. Reports a failure once. */
export function makeSpeaker(say: Say, warn: (sentence: string) => void, signal: AbortSignal): Speaker {
  let next: string | undefined;
  let speaking: Promise<void> | undefined;
  let isOver = false;

  const speakOn = async (): Promise<void> => {
    while (next !== undefined && !isOver) {
      const text = next;
      next = undefined;
      try {
        await say(text, signal);
      } catch (error) {
        if (!signal.aborted) warn(`Thoughts are no longer read aloud: ${getErrorMessage(error)}`);
        isOver = true;
      }
    }
    speaking = undefined;
  };

  return {
    hear(event) {
      if (isOver || event.type !== "replied" || event.reply.kind !== "proposal") return;
      const text = stripMarkup(event.reply.thoughts.speak);
      if (text === "") return;
      next = text;
      speaking ??= speakOn();
    },
    async close() {
      await speaking;
      isOver = true;
    },
  };
}

/** Removes control characters and Markdown markup from a sentence. */
function stripMarkup(text: string): string {
  return text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/[*_`#]+/g, "")
    .trim()
    .slice(0, LONGEST);
}

/** Dependencies of a voice. */
export interface VoiceOptions {
  readonly settings: Pick<Settings, "audio" | "model">;
  readonly keyFor: KeyFor;
  /** The folders of the workspace, whose programs are never run. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Records the cost of a sentence. */
  recordCost(event: AgentEventBody): Promise<unknown>;
}

const NO_VOICE =
  "--speak does nothing: no program that reads text aloud was found. Install espeak-ng, or set audio.speechModel to a model such as gpt-4o-mini-tts.";
const NO_PLAYER =
  "--speak does nothing: no program that plays sound was found. Install aplay, paplay or ffplay, or leave audio.speechModel empty.";

/** The voice in the settings: a model's, or the system's own. If there is none, returns the reason as text. */
export async function chooseVoice({ settings, keyFor, folders, env, recordCost }: VoiceOptions): Promise<Say | string> {
  const { speechModel, voice, baseUrl } = settings.audio;
  if (speechModel === "") return findSystemVoice({ folders, env }) ?? NO_VOICE;
  const play = findSoundPlayer({ folders, env });
  if (!play) return NO_PLAYER;
  const apiKey = (await keyFor(baseUrl)) ?? "";
  const steps = getServiceNextSteps("commandLine", "audio");
  const speech = openAiSpeech({ baseUrl, apiKey, model: speechModel, voice, account: settings.model, steps });
  return async (text, signal) => {
    const { bytes, ...cost } = await speech(text, signal);
    await recordCost(createUsageEvent("speech", cost));
    await play(bytes, signal);
  };
}
