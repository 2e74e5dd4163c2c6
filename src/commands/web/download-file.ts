import { type Command, type Prepared, prepared, type Running } from "../../core/command.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Place } from "../../core/ports.ts";
import type { Web } from "../../core/web.ts";
import { type Args, objectSchema, requiredText } from "../arguments.ts";
import { type AwayParts, type AwayPlace, isMissing, partOf, whyMissing } from "../away-parts.ts";
import { FILE_ALIASES, FILENAME } from "../file-arguments.ts";
import { isAsSeen, noFileThere } from "../file-change.ts";
import { onWeb } from "../on-web.ts";
import { failed } from "../outcomes.ts";
import { touchOf } from "../touch.ts";
import { size } from "../units.ts";
import { readAddress, URL_ALIASES, URL_ARGUMENT } from "./address.ts";

/** Keeps a file of the web in the workspace. */
export function downloadFile(place: AwayPlace): Command {
  return {
    name: "download_file",
    aliases: ["download", "download_url", "wget"],
    category: "web",
    effect: "network",
    description: "Downloads a file from the web into the workspace, 100 MB at most.",
    parameters: objectSchema({ url: URL_ARGUMENT, filename: FILENAME }, ["url", "filename"]),
    argumentAliases: { ...FILE_ALIASES, ...URL_ALIASES, destination: "filename", output: "filename" },
    withheld: () => whyMissing(partOf(place, "downloads")),
    prepare: (args) => prepare(place, args),
  };
}

async function prepare(parts: AwayPlace, args: Args): Promise<Prepared | Outcome> {
  const web = partOf(parts, "downloads");
  const { workspace, away } = parts;
  if (isMissing(web) || !away) return failed("Downloads are turned off.");
  const url = readAddress(requiredText(args, "url"));
  if (typeof url === "string") return failed(url);
  const place = await workspace.locate(requiredText(args, "filename"), "new");
  const problem = noFileThere(place);
  if (problem !== undefined) return failed(problem);
  const instead = place.kind === "file" ? `\nIt replaces the file that is there (${size(place.bytes)}).` : "";
  return prepared(
    "network",
    `Download ${url.href}\nto "${place.label}".${instead}`,
    (running) => onWeb(() => download(web, url, place, away, running)),
    {
      hosts: [url.hostname],
      touches: [touchOf(place, "write")],
      fresh: () => isAsSeen(workspace, place),
    },
  );
}

const TOLD_EACH = 1_000_000;

async function download(
  web: Web,
  url: URL,
  place: Place,
  { files }: AwayParts,
  { signal, output }: Running,
): Promise<Outcome> {
  let told = 0;
  const progress = (bytes: number, total: number | undefined): void => {
    if (bytes - told < TOLD_EACH) return;
    told = bytes;
    output(`${size(bytes)}${total === undefined ? "" : ` of ${size(total)}`}\n`);
  };
  const { bytes, type, url: from } = await web.download(url, { signal, progress });
  await files.writeBytes(place, bytes);
  const kind = type === "" ? "" : `, ${type}`;
  return {
    status: "done",
    output: `Downloaded ${from} to "${place.label}" (${size(bytes.length)}${kind}). It is a stranger's file: look at it before you use it.`,
    source: { kind: "download", name: from },
  };
}
