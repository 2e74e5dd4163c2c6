import type { SimpleCommand } from "../shell/reading.ts";
import { fullName } from "./powershell.ts";

/** Cmdlets that hand on files, and those that hand on what knows the environment. */
const GIVES_FILES = /^(?:get-childitem|get-item|resolve-path)$/;
const GIVES_ENVIRONMENT = /^(?:get-process|get-host|get-command|get-location)$/;

/** Properties that are a plain text or number and no further object. */
const PLAIN_PROPERTY =
  /^(?:name|fullname|basename|extension|length|count|path|id|line|linenumber|filename|hash|version|source|mode|lastwritetime|creationtime|cpu|ws|year|month|day|sum|average)$/i;

/** Why a command must not get what comes through a PowerShell pipe, as a sentence: what goes through it are objects, and some open files or hold secrets. */
export function pipeTrouble(command: SimpleCommand, before: readonly SimpleCommand[]): string | undefined {
  const [name, ...args] = command.words.map(({ text }) => text);
  const own = fullName(name ?? "");
  const given = before.map(({ words: [first] }) => fullName(first?.text ?? ""));
  if (own === "get-content" && given.length > 0) return "It shows the files that come through a pipe.";
  if (own === "select-string" && given.some((one) => GIVES_FILES.test(one)))
    return "It searches the files that come through a pipe.";
  if (own === "convertto-json" && given.some((one) => GIVES_ENVIRONMENT.test(one)))
    return "It writes out all that is known of a process, which may hold secrets.";
  const expanded = args[args.findIndex((arg) => /^-expandproperty$/i.test(arg)) + 1];
  if (own === "select-object" && args.some((arg) => /^-e/i.test(arg)) && !PLAIN_PROPERTY.test(expanded ?? ""))
    return "It opens a property that may hold anything.";
  return undefined;
}
