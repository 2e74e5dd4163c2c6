import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve, sep } from "node:path";
import { isObject } from "../../core/base/json.ts";
import { counted, visible } from "../../core/base/text.ts";
import { hasCode } from "../../node/files/file-errors.ts";
import { linkedText } from "../../plain-file.ts";
import { importedEntries, importRows, readServersFiles, rowText } from "../../plugins/mcp/import-rows.ts";
import { serverFiles } from "../../plugins/mcp/import-servers.ts";
import { inputVariable } from "../../plugins/mcp/servers.ts";
import { inEnglish } from "../../texts/display-text.ts";
import type { ProgramEnd } from "../exit-code.ts";
import type { Flags } from "../flags.ts";
import { baseFolder } from "../options.ts";
import { workspaceFolder } from "../place.ts";
import type { Surroundings } from "../session.ts";
import { MOST_SETTINGS_BYTES } from "../settings.ts";
import { UsageError } from "../usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const SETTING = "autogpt.mcp.servers";

/** `autogpt mcp import`: shows the servers of other programs as ours, and adds them to the file of `--settings`. Throws `UsageError`. */
export async function importCommand(
  file: string | undefined,
  flags: Flags,
  env: Environment,
  { stdout, stderr }: Surroundings,
): Promise<ProgramEnd> {
  const base = baseFolder(env);
  const folder = await workspaceFolder(resolve(base, flags.text("workspace") ?? "."));
  const files = await readServersFiles(
    placesOf(file === undefined ? undefined : resolve(base, file), folder),
  );
  if (file !== undefined && files.length === 0) throw new UsageError(`${file} can't be read.`);
  const target = flags.text("settings");
  const path = target === undefined ? undefined : resolve(base, target);
  const settings = path === undefined ? "{}" : await settingsAt(path);
  const rows = importRows(files, await serversIn(settings, path));
  for (const row of rows) stderr.write(`${visible(rowText(row, inEnglish))}\n\n`);
  const usable = rows.filter(({ problem }) => problem === undefined);
  const entries = importedEntries(usable);
  for (const name of new Set(usable.flatMap(({ inputs }) => inputs)))
    stderr.write(`${visible(name)}: set the environment variable ${inputVariable(name)}.\n`);
  if (usable.length === 0) stderr.write("No servers to import were found.\n");
  else if (path === undefined) {
    stderr.write("Add this to a file, and name it with --settings:\n");
    stdout.write(`${JSON.stringify({ [SETTING]: entries }, undefined, 2)}\n`);
  } else {
    await writeFile(path, await withServers(settings, entries));
    stderr.write(
      `${counted(usable.length, "server")} written to ${visible(path)}. None starts before you allow it.\n`,
    );
  }
  return { kind: "done" };
}

/** A file inside the workspace folder counts as the workspace's. */
function placesOf(path: string | undefined, folder: string) {
  if (path === undefined) return serverFiles([folder], homedir());
  return [path.startsWith(`${folder}${sep}`) ? { path, folder } : { path }];
}

/** The servers that a file of settings has. Throws `UsageError` for one that can't be read. */
async function serversIn(text: string, path: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  const { parse } = await import("jsonc-parser");
  const errors: unknown[] = [];
  const value: unknown = parse(text, errors as never[], { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(value))
    throw new UsageError(`${path ?? ""} is not a JSON object of settings.`);
  const servers = value[SETTING] ?? value["mcp.servers"];
  return isObject(servers) ? servers : {};
}

/** The text with more servers; its comments stay. */
async function withServers(text: string, entries: Readonly<Record<string, unknown>>): Promise<string> {
  const { applyEdits, modify, parse } = await import("jsonc-parser");
  const value: unknown = parse(text);
  const name = isObject(value) && isObject(value["mcp.servers"]) ? "mcp.servers" : SETTING;
  return Object.entries(entries).reduce((now, [id, entry]) => {
    const options = { formattingOptions: { insertSpaces: true, tabSize: 2 } };
    return applyEdits(now, modify(now, [name, id], entry, options));
  }, text);
}

/** Throws `UsageError` for something there that isn't a file of settings, which would be replaced. */
async function settingsAt(path: string): Promise<string> {
  return linkedText(path, MOST_SETTINGS_BYTES).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return "{}";
    throw new UsageError(`--settings names ${path}, which can't be read.`);
  });
}
