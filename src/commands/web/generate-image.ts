import { displaySize } from "../../core/base/text.ts";
import { type Command, type PreparedCall, prepared, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { usageEvent } from "../../core/events/run.ts";
import type { ImageGenerator } from "../../core/ports/services.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import { type Args, FILE_ALIASES, objectSchema, requiredText, text } from "../arguments.ts";
import { isAsSeen, noFileThere } from "../file-change.ts";
import { done, failed } from "../outcomes.ts";
import { touchOf } from "../places.ts";
import { size as sizeText } from "../units.ts";
import {
  isMissing,
  type OnlineServices,
  type ServiceDependencies,
  serviceOf,
  whyMissing,
  withServiceErrors,
} from "./services.ts";

/** Generates a picture and saves it in the workspace. */
export function generateImage(parts: ServiceDependencies): Command {
  return {
    name: "generate_image",
    aliases: ["create_image", "draw_image", "make_image"],
    category: "media",
    effect: "network",
    description: "Draws a picture from a description and saves it as a PNG file.",
    parameters: objectSchema(
      {
        prompt: { type: "string", minLength: 1 },
        filename: { type: "string", minLength: 1 },
        size: {
          type: "string",
          pattern: "^\\d{2,4}x\\d{2,4}$",
          description: "Like 1024x1024.",
        },
      },
      ["prompt"],
    ),
    argumentAliases: { ...FILE_ALIASES, description: "prompt", text: "prompt", dimensions: "size" },
    withheld: () => whyMissing(serviceOf(parts, "images")),
    prepare: (args, { step }) => prepare(parts, args, step),
  };
}

async function prepare(
  parts: ServiceDependencies,
  args: Args,
  step: number,
): Promise<PreparedCall | Outcome> {
  const images = serviceOf(parts, "images");
  const { workspace, services } = parts;
  if (isMissing(images) || !services) return failed("No image service is set up.");
  const prompt = requiredText(args, "prompt").trim();
  if (prompt === "") return failed("The prompt is empty. Say what the picture should show.");
  const size = text(args, "size") ?? images.size;
  const place = await workspace.locate(
    text(args, "filename") ?? `images/step-${step}-${slug(prompt)}.png`,
    "new",
  );
  const problem = noFileThere(place);
  if (problem !== undefined) return failed(problem);
  const instead =
    place.kind === "file" ? `, in place of the file that is there (${sizeText(place.bytes)})` : "";
  return prepared(
    "network",
    `Have ${images.name} draw this, ${size}, for money if it takes some, and keep it as "${place.label}"${instead}:\n\n${prompt}`,
    (running) => withServiceErrors(() => draw(images, { prompt, size, place }, services, running)),
    {
      hosts: [images.host],
      touches: [touchOf(place, "write")],
      fresh: () => isAsSeen(workspace, place),
    },
  );
}

interface GenerateImageInput {
  readonly prompt: string;
  readonly size: string;
  readonly place: ResolvedPath;
}

async function draw(
  images: ImageGenerator,
  { prompt, size, place }: GenerateImageInput,
  { files }: OnlineServices,
  { signal, output, record }: RunContext,
): Promise<Outcome> {
  output(`${images.name} is drawing.\n`);
  const { bytes, ...cost } = await images.draw(prompt, size, signal);
  await record(usageEvent("a picture", cost));
  await files.writeBytes(place, bytes);
  const saved = `The picture is saved as "${place.label}" (${sizeText(bytes.length)}).`;
  const changed = [{ file: place.label, change: "created" }] as const;
  return { ...done(saved, displaySize(bytes.length), changed), picture: place.label };
}

function slug(prompt: string): string {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 5).join("-").slice(0, 40) || "picture";
}
