import { formatDisplaySize } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Web } from "../../core/ports/services.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import { type Args, createObjectSchema, FILE_ALIASES, FILENAME, getRequiredText } from "../arguments.ts";
import { explainUnwritablePlace, isAsSeen } from "../file-change.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { createTouch } from "../places.ts";
import { formatByteSize } from "../units.ts";
import { readAddress, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import {
  catchServiceErrors,
  explainMissingService,
  findService,
  isMissing,
  type OnlineServices,
  type ServiceDependencies,
} from "./services.ts";

/** Saves a file from the web in the workspace. */
export function downloadFile(place: ServiceDependencies): Command {
  return {
    name: "download_file",
    aliases: ["download", "download_url", "wget"],
    category: "web",
    effect: "network",
    traits: {
      titles: [{ code: "DownloadFile", file: "filename", address: "url" }],
      question: { code: "download", address: "url" },
      rank: 260,
    },
    description: "Downloads a file of up to 100 MB into the workspace.",
    parameters: createObjectSchema({ url: URL_ARGUMENT, filename: FILENAME }, ["url", "filename"]),
    argumentAliases: { ...FILE_ALIASES, ...URL_ALIASES, destination: "filename", output: "filename" },
    withheld: () => explainMissingService(findService(place, "downloads")),
    prepare: (args) => prepare(place, args),
  };
}

async function prepare(parts: ServiceDependencies, args: Args): Promise<PreparedCall | Outcome> {
  const web = findService(parts, "downloads");
  const { workspace, services } = parts;
  if (isMissing(web) || !services) return createFailure("Downloads are turned off.");
  const url = readAddress(getRequiredText(args, "url"));
  if (typeof url === "string") return createFailure(url);
  const place = await workspace.locate(getRequiredText(args, "filename"), "new");
  const problem = explainUnwritablePlace(place);
  if (problem !== undefined) return createFailure(problem);
  const instead = place.kind === "file" ? `\nIt replaces the file that is there (${formatByteSize(place.bytes)}).` : "";
  return createPreparedCall(
    "network",
    `Download ${url.href}\nto "${place.label}".${instead}`,
    (running) => catchServiceErrors(() => download(web, url, place, services, running)),
    {
      hosts: [url.hostname],
      touches: [createTouch(place, "write")],
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
  const reportProgress = (bytes: number, total: number | undefined): void => {
    if (bytes - shown < TOLD_EACH) return;
    shown = bytes;
    output(`${formatByteSize(bytes)}${total === undefined ? "" : ` of ${formatByteSize(total)}`}\n`);
  };
  const { bytes, type, url: from } = await web.download(url, { signal, reportProgress });
  await files.writeBytes(place, bytes);
  const kind = type === "" ? "" : `, ${type}`;
  const told = `Downloaded ${from} to "${place.label}" (${formatByteSize(bytes.length)}${kind}). It is a stranger's file: look at it before you use it.`;
  return {
    ...createSuccess(told, formatDisplaySize(bytes.length)),
    source: { kind: "download", name: from },
  };
}
