import { type Command, type Prepared, prepared, type Running } from "../../core/command.ts";
import type { Transcriber } from "../../core/media.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Place } from "../../core/ports.ts";
import { spent } from "../../core/spent.ts";
import { type Args, objectSchema, requiredText } from "../arguments.ts";
import { type AwayParts, type AwayPlace, isMissing, partOf, whyMissing } from "../away-parts.ts";
import { FILE_ALIASES, FILENAME } from "../file-arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { missingFile } from "../missing.ts";
import { onWeb } from "../on-web.ts";
import { done, failed } from "../outcomes.ts";
import { touchOf } from "../touch.ts";
import { size } from "../units.ts";

/** Writes down what is said in a recording. */
export function readAudioFromFile(parts: AwayPlace): Command {
  return {
    name: "read_audio_from_file",
    aliases: ["read_audio", "transcribe", "transcribe_audio"],
    category: "media",
    effect: "network",
    description:
      "Writes down what is said in an audio file of the workspace (mp3, wav, m4a, ogg, flac, webm).",
    parameters: objectSchema({ filename: FILENAME }, ["filename"]),
    argumentAliases: FILE_ALIASES,
    withheld: () => whyMissing(partOf(parts, "audio")),
    prepare: (args, { signal }) => prepare(parts, args, signal),
  };
}

const AUDIO = /\.(?:mp3|mp4|mpeg|mpga|m4a|wav|webm|ogg|oga|flac)$/i;

async function prepare(parts: AwayPlace, args: Args, signal: AbortSignal): Promise<Prepared | Outcome> {
  const audio = partOf(parts, "audio");
  const { workspace, away } = parts;
  if (isMissing(audio) || !away) return failed("No service that understands speech is set up.");
  const place = await workspace.locate(requiredText(args, "filename"));
  if (place.kind === "missing") return failed(await missingFile(workspace, place.label, signal));
  if (place.kind !== "file") return failed(`"${place.label}" is no file. Name an audio file.`);
  if (!AUDIO.test(place.label))
    return failed(`"${place.label}" is no audio file of a known kind (mp3, wav, m4a, ogg, flac, webm).`);
  if (place.bytes > audio.most)
    return failed(
      `"${place.label}" has ${size(place.bytes)}; ${audio.name} takes ${size(audio.most)} at most. Cut it into pieces, with ffmpeg for example.`,
    );
  return prepared(
    "network",
    `Send "${place.label}" (${size(place.bytes)}) to ${audio.name} (${audio.host}), and read what is said in it.`,
    (running) => onWeb(() => transcribe(audio, place, away, running)),
    {
      hosts: [audio.host],
      touches: [touchOf(place, "read")],
      fresh: () => isAsSeen(workspace, place),
    },
  );
}

async function transcribe(
  audio: Transcriber,
  place: Place,
  { files }: AwayParts,
  { signal, record }: Running,
): Promise<Outcome> {
  const bytes = await files.readBytes(place);
  const name = place.label.slice(place.label.lastIndexOf("/") + 1);
  const { text, ...cost } = await audio.transcribe(bytes, name, signal);
  await record(spent("a recording", cost));
  const said = text.trim();
  return said === "" ? done(`Nothing is said in "${place.label}".`) : done(`"${place.label}" says:\n${said}`);
}
