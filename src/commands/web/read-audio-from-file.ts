import { type Command, type PreparedCall, prepared, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { usageEvent } from "../../core/events/run.ts";
import type { Transcriber } from "../../core/ports/services.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, FILE_ALIASES, FILENAME, objectSchema, requiredText } from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { done, failed, NO_FILE } from "../outcomes.ts";
import { missingFile, touchOf } from "../places.ts";
import { size } from "../units.ts";
import {
  isMissing,
  type OnlineServices,
  type ServiceDependencies,
  serviceOf,
  whyMissing,
  withServiceErrors,
} from "./services.ts";

/** Transcribes a recording. */
export function readAudioFromFile(parts: ServiceDependencies): Command {
  return {
    name: "read_audio_from_file",
    aliases: ["read_audio", "transcribe", "transcribe_audio"],
    category: "media",
    effect: "network",
    description: "Transcribes an audio file (mp3, wav, m4a, ogg, flac, webm).",
    parameters: objectSchema({ filename: FILENAME }, ["filename"]),
    argumentAliases: FILE_ALIASES,
    withheld: () => whyMissing(serviceOf(parts, "audio")),
    prepare: (args, { signal }) => prepare(parts, args, signal),
  };
}

const AUDIO = /\.(?:mp3|mp4|mpeg|mpga|m4a|wav|webm|ogg|oga|flac)$/i;

async function prepare(
  parts: ServiceDependencies,
  args: Args,
  signal: AbortSignal,
): Promise<PreparedCall | Outcome> {
  const audio = serviceOf(parts, "audio");
  const { workspace, services } = parts;
  if (isMissing(audio) || !services) return failed("No speech recognition service is set up.");
  const place = await workspace.locate(requiredText(args, "filename"));
  if (place.kind === "missing") return failed(await missingFile(workspace, place.label, signal), NO_FILE);
  if (place.kind !== "file") return failed(`"${place.label}" isn't a file. Name an audio file.`);
  if (!AUDIO.test(place.label))
    return failed(`"${place.label}" isn't a supported audio file (mp3, wav, m4a, ogg, flac, webm).`);
  if (place.bytes > audio.most)
    return failed(
      `"${place.label}" has ${size(place.bytes)}; ${audio.name} takes ${size(audio.most)} at most. Cut it into pieces, with ffmpeg for example.`,
    );
  return prepared(
    "network",
    `Send "${place.label}" (${size(place.bytes)}) to ${audio.name} (${audio.host}), and read what is said in it.`,
    (running) => withServiceErrors(() => transcribe(audio, place, services, running)),
    {
      hosts: [audio.host],
      touches: [touchOf(place, "read")],
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
  await record(usageEvent("a recording", cost));
  const said = text.trim();
  if (said === "") return done(`No speech was found in "${place.label}".`, displayText("results.noSpeech"));
  return done(`"${place.label}" says:\n${said}`, displayText("timeline.characters", { count: said.length }));
}
