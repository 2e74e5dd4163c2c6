import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { createUsageEvent } from "../../core/events/run.ts";
import type { Transcriber } from "../../core/ports/services.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, FILE_ALIASES, FILENAME, getRequiredText } from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { createFailure, createSuccess, NO_FILE } from "../outcomes.ts";
import { createTouch, describeMissingFile } from "../places.ts";
import { formatByteSize } from "../units.ts";
import {
  catchServiceErrors,
  explainMissingService,
  findService,
  isMissing,
  type OnlineServices,
  type ServiceDependencies,
} from "./services.ts";

/** Transcribes a recording. */
export function readAudioFromFile(parts: ServiceDependencies): Command {
  return {
    name: "read_audio_from_file",
    aliases: ["read_audio", "transcribe", "transcribe_audio"],
    category: "media",
    effect: "network",
    traits: { titles: [{ code: "Transcribe", file: "filename" }], rank: 340 },
    description: "Transcribes an audio file (mp3, wav, m4a, ogg, flac, webm).",
    parameters: createObjectSchema({ filename: FILENAME }, ["filename"]),
    argumentAliases: FILE_ALIASES,
    withheld: () => explainMissingService(findService(parts, "audio")),
    prepare: (args, { signal }) => prepare(parts, args, signal),
  };
}

const AUDIO = /\.(?:mp3|mp4|mpeg|mpga|m4a|wav|webm|ogg|oga|flac)$/i;

async function prepare(parts: ServiceDependencies, args: Args, signal: AbortSignal): Promise<PreparedCall | Outcome> {
  const audio = findService(parts, "audio");
  const { workspace, services } = parts;
  if (isMissing(audio) || !services) return createFailure("No speech recognition service is set up.");
  const place = await workspace.locate(getRequiredText(args, "filename"));
  if (place.kind === "missing")
    return createFailure(await describeMissingFile(workspace, place.label, signal), NO_FILE);
  if (place.kind !== "file") return createFailure(`"${place.label}" isn't a file. Name an audio file.`);
  if (!AUDIO.test(place.label))
    return createFailure(`"${place.label}" isn't a supported audio file (mp3, wav, m4a, ogg, flac, webm).`);
  if (place.bytes > audio.most)
    return createFailure(
      `"${place.label}" has ${formatByteSize(place.bytes)}; ${audio.name} takes ${formatByteSize(audio.most)} at most. Cut it into pieces, with ffmpeg for example.`,
    );
  return createPreparedCall(
    "network",
    `Send "${place.label}" (${formatByteSize(place.bytes)}) to ${audio.name} (${audio.host}), and read what is said in it.`,
    (running) => catchServiceErrors(() => transcribe(audio, place, services, running)),
    {
      hosts: [audio.host],
      touches: [createTouch(place, "read")],
      fresh: () => isAsSeen(workspace, place),
    },
  );
}

async function transcribe(
  audio: Transcriber,
  place: ResolvedPath,
  { files }: OnlineServices,
  { signal, record }: RunContext,
): Promise<Outcome> {
  const bytes = await files.readBytes(place);
  const name = place.label.slice(place.label.lastIndexOf("/") + 1);
  const { text, ...cost } = await audio.transcribe(bytes, name, signal);
  await record(createUsageEvent("a recording", cost));
  const said = text.trim();
  if (said === "") return createSuccess(`No speech was found in "${place.label}".`, displayText("results.noSpeech"));
  return createSuccess(`"${place.label}" says:\n${said}`, displayText("timeline.characters", { count: said.length }));
}
