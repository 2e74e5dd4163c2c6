import { displaySize } from "../../core/base/text.ts";
import { type Command, type PreparedCall, prepared, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Web } from "../../core/ports/services.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import { type Args, FILE_ALIASES, FILENAME, objectSchema, requiredText } from "../arguments.ts";
import { isAsSeen, noFileThere } from "../file-change.ts";
import { done, failed } from "../outcomes.ts";
import { touchOf } from "../places.ts";
import { size } from "../units.ts";
import { readAddress, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import {
  isMissing,
  type OnlineServices,
  type ServiceDependencies,
  serviceOf,
  whyMissing,
  withServiceErrors,
} from "./services.ts";

/** Saves a file from the web in the workspace. */
export function downloadFile(place: ServiceDependencies): Command {
  return {
    name: "download_file",
    aliases: ["download", "download_url", "wget"],
    category: "web",
    effect: "network",
    description: "Downloads a file of up to 100 MB into the workspace.",
    parameters: objectSchema({ url: URL_ARGUMENT, filename: FILENAME }, ["url", "filename"]),
    argumentAliases: { ...FILE_ALIASES, ...URL_ALIASES, destination: "filename", output: "filename" },
    withheld: () => whyMissing(serviceOf(place, "downloads")),
    prepare: (args) => prepare(place, args),
  };
}

async function prepare(parts: ServiceDependencies, args: Args): Promise<PreparedCall | Outcome> {
  const web = serviceOf(parts, "downloads");
  const { workspace, services } = parts;
  if (isMissing(web) || !services) return failed("Downloads are turned off.");
  const url = readAddress(requiredText(args, "url"));
  if (typeof url === "string") return failed(url);
  const place = await workspace.locate(requiredText(args, "filename"), "new");
  const problem = noFileThere(place);
  if (problem !== undefined) return failed(problem);
  const instead = place.kind === "file" ? `\nIt replaces the file that is there (${size(place.bytes)}).` : "";
  return prepared(
    "network",
    `Download ${url.href}\nto "${place.label}".${instead}`,
    (running) => withServiceErrors(() => download(web, url, place, services, running)),
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
  place: ResolvedPath,
  { files }: OnlineServices,
  { signal, output }: RunContext,
): Promise<Outcome> {
  let shown = 0;
  const progress = (bytes: number, total: number | undefined): void => {
    if (bytes - shown < TOLD_EACH) return;
    shown = bytes;
    output(`${size(bytes)}${total === undefined ? "" : ` of ${size(total)}`}\n`);
  };
  const { bytes, type, url: from } = await web.download(url, { signal, progress });
  await files.writeBytes(place, bytes);
  const kind = type === "" ? "" : `, ${type}`;
  const told = `Downloaded ${from} to "${place.label}" (${size(bytes.length)}${kind}). It is a stranger's file: look at it before you use it.`;
  return { ...done(told, displaySize(bytes.length)), source: { kind: "download", name: from } };
}
