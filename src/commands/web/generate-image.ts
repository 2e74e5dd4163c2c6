import { formatDisplaySize } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { createUsageEvent } from "../../core/events/run.ts";
import type { ImageGenerator } from "../../core/ports/services.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import { type Args, createObjectSchema, FILE_ALIASES, getRequiredText, getTextArgument } from "../arguments.ts";
import { explainUnwritablePlace, isAsSeen } from "../file-change.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { createTouch } from "../places.ts";
import { formatByteSize as sizeText } from "../units.ts";
import {
  catchServiceErrors,
  explainMissingService,
  findService,
  isMissing,
  type OnlineServices,
  type ServiceDependencies,
} from "./services.ts";

/** Generates a picture and saves it in the workspace. */
export function generateImage(parts: ServiceDependencies): Command {
  return {
    name: "generate_image",
    aliases: ["create_image", "draw_image", "make_image"],
    category: "media",
    effect: "network",
    traits: { titles: [{ code: "CreatePicture" }], question: { code: "generateImage" }, rank: 330 },
    description: "Draws a picture from a description and saves it as a PNG file.",
    parameters: createObjectSchema(
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
    withheld: () => explainMissingService(findService(parts, "images")),
    prepare: (args, { step }) => prepare(parts, args, step),
  };
}

async function prepare(parts: ServiceDependencies, args: Args, step: number): Promise<PreparedCall | Outcome> {
  const images = findService(parts, "images");
  const { workspace, services } = parts;
  if (isMissing(images) || !services) return createFailure("No image service is set up.");
  const prompt = getRequiredText(args, "prompt").trim();
  if (prompt === "") return createFailure("The prompt is empty. Say what the picture should show.");
  const size = getTextArgument(args, "size") ?? images.size;
  const place = await workspace.locate(
    getTextArgument(args, "filename") ?? `images/step-${step}-${createFileSlug(prompt)}.png`,
    "new",
  );
  const problem = explainUnwritablePlace(place);
  if (problem !== undefined) return createFailure(problem);
  const instead = place.kind === "file" ? `, in place of the file that is there (${sizeText(place.bytes)})` : "";
  return createPreparedCall(
    "network",
    `Have ${images.name} draw this, ${size}, for money if it takes some, and keep it as "${place.label}"${instead}:\n\n${prompt}`,
    (running) => catchServiceErrors(() => draw(images, { prompt, size, place }, services, running)),
    {
      hosts: [images.host],
      touches: [createTouch(place, "write")],
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
  await record(createUsageEvent("a picture", cost));
  await files.writeBytes(place, bytes);
  const saved = `The picture is saved as "${place.label}" (${sizeText(bytes.length)}).`;
  const changed = [{ file: place.label, change: "created" }] as const;
  return { ...createSuccess(saved, formatDisplaySize(bytes.length), changed), picture: place.label };
}

function createFileSlug(prompt: string): string {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 5).join("-").slice(0, 40) || "picture";
}
