import { type Command, type Prepared, prepared, type Running } from "../../core/command.ts";
import type { Images } from "../../core/media.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Place } from "../../core/ports.ts";
import { spent } from "../../core/spent.ts";
import { type Args, objectSchema, requiredText, text } from "../arguments.ts";
import { type AwayParts, type AwayPlace, isMissing, partOf, whyMissing } from "../away-parts.ts";
import { FILE_ALIASES } from "../file-arguments.ts";
import { isAsSeen, noFileThere } from "../file-change.ts";
import { onWeb } from "../on-web.ts";
import { failed } from "../outcomes.ts";
import { touchOf } from "../touch.ts";
import { size as sizeText } from "../units.ts";

/** Has a picture drawn and keeps it in the workspace. */
export function generateImage(parts: AwayPlace): Command {
  return {
    name: "generate_image",
    aliases: ["create_image", "draw_image", "make_image"],
    category: "media",
    effect: "network",
    description: "Has a picture drawn from a description and saves it in the workspace as a PNG file.",
    parameters: objectSchema(
      {
        prompt: { type: "string", minLength: 1, description: "What the picture shows." },
        filename: { type: "string", minLength: 1, description: "Where to keep it; made up if left out." },
        size: {
          type: "string",
          pattern: "^\\d{2,4}x\\d{2,4}$",
          description: "Width and height, like 1024x1024.",
        },
      },
      ["prompt"],
    ),
    argumentAliases: { ...FILE_ALIASES, description: "prompt", text: "prompt", dimensions: "size" },
    withheld: () => whyMissing(partOf(parts, "images")),
    prepare: (args, { step }) => prepare(parts, args, step),
  };
}

async function prepare(parts: AwayPlace, args: Args, step: number): Promise<Prepared | Outcome> {
  const images = partOf(parts, "images");
  const { workspace, away } = parts;
  if (isMissing(images) || !away) return failed("No image service is set up.");
  const prompt = requiredText(args, "prompt").trim();
  if (prompt === "") return failed("The prompt is empty. Say what the picture shall show.");
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
    (running) => onWeb(() => draw(images, { prompt, size, place }, away, running)),
    {
      hosts: [images.host],
      touches: [touchOf(place, "write")],
      fresh: () => isAsSeen(workspace, place),
    },
  );
}

interface Wanted {
  readonly prompt: string;
  readonly size: string;
  readonly place: Place;
}

async function draw(
  images: Images,
  { prompt, size, place }: Wanted,
  { files }: AwayParts,
  { signal, output, record }: Running,
): Promise<Outcome> {
  output(`${images.name} is drawing.\n`);
  const { bytes, ...cost } = await images.draw(prompt, size, signal);
  await record(spent("a picture", cost));
  await files.writeBytes(place, bytes);
  const saved = `The picture is saved as "${place.label}" (${sizeText(bytes.length)}).`;
  return { status: "done", output: saved, picture: place.label };
}

function slug(prompt: string): string {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 5).join("-").slice(0, 40) || "picture";
}
