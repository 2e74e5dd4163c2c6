import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { isObject } from "../../core/base/json.ts";
import { escapeInvisible, formatQuantity } from "../../core/base/text.ts";
import { isBelow } from "../../disk/below.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readLinkedText } from "../../disk/plain-file.ts";
import { convertRowsToEntries, formatImportRow, importRows, readServersFiles } from "../../plugins/mcp/import-rows.ts";
import { listServerFiles } from "../../plugins/mcp/import-servers.ts";
import { formatInputVariable } from "../../plugins/mcp/servers.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import type { ProgramEnd } from "../exit-code.ts";
import type { Flags } from "../flags.ts";
import { getBaseFolder } from "../options.ts";
import { resolveWorkspaceFolder } from "../place.ts";
import type { Surroundings } from "../session.ts";
import { type Environment, MOST_SETTINGS_BYTES } from "../settings.ts";
import { UsageError } from "../usage-error.ts";

const SETTING = "autogpt.mcp.servers";

/** `autogpt mcp import`: shows other programs' servers in our format, and adds them to the `--settings` file. Throws `UsageError`. */
export async function importCommand(
  file: string | undefined,
  flags: Flags,
  env: Environment,
  { stdout, stderr }: Surroundings,
): Promise<ProgramEnd> {
  const base = getBaseFolder(env);
  const folder = await resolveWorkspaceFolder(resolve(base, flags.findValue("workspace") ?? "."));
  const files = await readServersFiles(listServerPlaces(file === undefined ? undefined : resolve(base, file), folder));
  if (file !== undefined && files.length === 0) throw new UsageError(`${file} can't be read.`);
  const target = flags.findValue("settings");
  const path = target === undefined ? undefined : resolve(base, target);
  const settings = path === undefined ? "{}" : await readSettingsText(path);
  const rows = importRows(files, await parseServers(settings, path));
  for (const row of rows) stderr.write(`${escapeInvisible(formatImportRow(row, writeInEnglish))}\n\n`);
  const usable = rows.filter(({ problem }) => problem === undefined);
  const entries = convertRowsToEntries(usable);
  for (const name of new Set(usable.flatMap(({ inputs }) => inputs)))
    stderr.write(`${escapeInvisible(name)}: set the environment variable ${formatInputVariable(name)}.\n`);
  if (usable.length === 0) stderr.write("No servers to import were found.\n");
  else if (path === undefined) {
    stderr.write("Add this to a file, and name it with --settings:\n");
    stdout.write(`${JSON.stringify({ [SETTING]: entries }, undefined, 2)}\n`);
  } else {
    await writeFile(path, await addServers(settings, entries));
    stderr.write(
      `${formatQuantity(usable.length, "server")} written to ${escapeInvisible(path)}. None starts before you allow it.\n`,
    );
  }
  return { kind: "done" };
}

/** A file inside the workspace folder belongs to the workspace. */
function listServerPlaces(path: string | undefined, folder: string) {
  if (path === undefined) return listServerFiles([folder], homedir());
  return [isBelow(path, folder) ? { path, folder } : { path }];
}

/** The servers in a settings file. Throws `UsageError` if the file can't be read. */
async function parseServers(text: string, path: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  const { parse } = await import("jsonc-parser");
  const errors: unknown[] = [];
  const value: unknown = parse(text, errors as never[], { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(value)) throw new UsageError(`${path ?? ""} is not a JSON object of settings.`);
  const servers = value[SETTING] ?? value["mcp.servers"];
  return isObject(servers) ? servers : {};
}

/** Adds servers to the text and keeps its comments. */
async function addServers(text: string, entries: Readonly<Record<string, unknown>>): Promise<string> {
  const { applyEdits, modify, parse } = await import("jsonc-parser");
  const value: unknown = parse(text);
  const name = isObject(value) && isObject(value["mcp.servers"]) ? "mcp.servers" : SETTING;
  return Object.entries(entries).reduce((now, [id, entry]) => {
    const options = { formattingOptions: { insertSpaces: true, tabSize: 2 } };
    return applyEdits(now, modify(now, [name, id], entry, options));
  }, text);
}

/** Throws `UsageError` if the existing file isn't a settings file, because it would be replaced. */
async function readSettingsText(path: string): Promise<string> {
  return readLinkedText(path, MOST_SETTINGS_BYTES).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return "{}";
    throw new UsageError(`--settings names ${path}, which can't be read.`);
  });
}
