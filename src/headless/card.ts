import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import type { Preview } from "../core/command.ts";
import type { Request } from "../core/ports.ts";
import { visible } from "../core/visible.ts";
import { influenceText } from "../safety/provenance.ts";

/** A waiting proposal on a terminal: everything it would do, nothing cut, nothing hidden. */
export function cardText({ step, proposal, prepared, why }: Request): string {
  const sources = why?.sources ?? [];
  return [
    `── Step ${step} wants to run ${visible(proposal.call.name)} ──`,
    visible(previewText(prepared.preview)),
    why ? `Asked because: ${visible(why.reason)}` : "",
    visible(influenceText(sources)),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function previewText(preview: Preview): string {
  if (preview.kind === "details") return preview.text;
  const { file, before, after } = preview;
  if (before === undefined) return `New file ${file}:\n${added(after)}`;
  const patch = createTwoFilesPatch("now", "proposed", before, after, "", "", {
    headerOptions: OMIT_HEADERS,
    maxEditLength: MOST_EDITS,
  });
  return patch === undefined
    ? `Change of ${file}, of which nearly all lines are new:\n${added(after)}`
    : `Change of ${file}:\n${patch}`;
}

/** Comparing takes the longer the less two texts have in common; at so many lines it is given up. */
const MOST_EDITS = 2000;

function added(text: string): string {
  return text.replace(/\n$/, "").replace(/^/gm, "+");
}
