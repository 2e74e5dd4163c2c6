import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import type { Preview } from "../core/command.ts";
import type { Request } from "../core/ports.ts";
import { visible } from "../core/visible.ts";
import { sourceNames } from "../safety/provenance.ts";

/** A waiting proposal on a terminal: everything it would do, nothing cut, nothing hidden. */
export function cardText({ step, proposal, prepared, why }: Request): string {
  const sources = why?.sources ?? [];
  return [
    `── Step ${step} wants to run ${visible(proposal.call.name)} ──`,
    visible(previewText(prepared.preview)),
    why ? `Asked because: ${visible(why.reason)}` : "",
    sources.length > 0 ? `It has read: ${visible(sourceNames(sources).join(", "))}` : "",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function previewText(preview: Preview): string {
  if (preview.kind === "details") return preview.text;
  const { file, before, after } = preview;
  const title = before === undefined ? `New file ${file}:` : `Change of ${file}:`;
  return `${title}\n${createTwoFilesPatch("now", "proposed", before ?? "", after, "", "", { headerOptions: OMIT_HEADERS })}`;
}
