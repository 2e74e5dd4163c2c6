import type { PreparedCall } from "../../core/commands/command.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { type Source, setOutcomeSource } from "../../core/commands/outcome.ts";
import type { Disk } from "../../core/ports/disk.ts";
import type { ShellLanguage } from "../policy/shell-facts.ts";
import { findIgnoredFile } from "../shell/named-files.ts";
import { hasArgument, listCalls, type Reading } from "../shell/script.ts";
import { findOutgoingHosts } from "./hosts.ts";
import type { Provenance } from "./provenance.ts";

/** Dependencies of `wrapCommandsWithProvenance`. */
export interface ProvenanceDependencies {
  readonly provenance: Provenance;
  readonly disk: Disk;
  /** Real paths of the workspace folders. */
  listFolders(): readonly string[];
  loadShellLanguage(): Promise<ShellLanguage>;
}

/** Marks output that a command line fetched from elsewhere with its source, so that it's quoted as data and counts as untrusted. */
export function wrapCommandsWithProvenance(commands: CommandSet, tracing: ProvenanceDependencies): CommandSet {
  return {
    ...commands,
    async run(prepared, running) {
      const outcome = await commands.run(prepared, running);
      const source = await findOutputSource(prepared, tracing);
      if (!source) return outcome;
      tracing.provenance.add(source);
      return setOutcomeSource(outcome, source);
    },
  };
}

async function findOutputSource(
  { shell, printedBy, cwd }: PreparedCall,
  tracing: ProvenanceDependencies,
): Promise<Source | undefined> {
  const line = shell ?? printedBy;
  if (line === undefined) return undefined;
  const { reader } = await tracing.loadShellLanguage();
  const reading = reader.read(line);
  const source = findLineSource(reading);
  if (source || reading.kind === "unreadable") return source;
  const folders = tracing.listFolders();
  const ground = { folder: cwd ?? folders[0] ?? "", folders };
  const ignored = await findIgnoredFile(listCalls(reading), ground, tracing.disk);
  return ignored && { kind: "ignored-file", name: ignored.name };
}

/** The source of a line's output outside this machine; undefined when nothing in it contacts others. */
export function findLineSource(reading: Reading): Source | undefined {
  if (reading.kind === "unreadable") return { kind: "tool", name: "a command line that can't be analyzed" };
  const { hosts, isHidden } = findOutgoingHosts(reading);
  if (hosts.length > 0) return { kind: "web", name: hosts.slice(0, 3).join(", ") };
  const fetcher = listCalls(reading).find((call) => hasArgument(call, call.program.fetches));
  if (fetcher)
    return {
      kind: "web",
      name: fetcher.words
        .slice(0, 2)
        .map(({ text }) => text)
        .join(" "),
    };
  return isHidden ? { kind: "web", name: "a host that the command line hides" } : undefined;
}
