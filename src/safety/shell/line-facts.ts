import { omitUndefined } from "../../core/base/objects.ts";
import type { DisplayText } from "../../texts/display-text.ts";
import { findOutgoingHosts, type OutgoingHosts } from "../provenance/hosts.ts";
import { canDeleteWork, explainDestructiveLine, explainDoubtfulLine, hasFolderChange } from "./destructive.ts";
import { explainFarReach } from "./far-reaching.ts";
import { findProtectedMention, type ProtectedMention } from "./mentions.ts";
import type { LineGround } from "./reach.ts";
import type { Word } from "./reading.ts";
import { listCalls, type ProgramCall, type ShellScript } from "./script.ts";
import { expandSpellings } from "./spelling.ts";
import { findOutsidePlace, listWrittenWords, type OutsidePlace } from "./writes-outside.ts";

/** Facts about a command line from its text alone. */
export interface LineFacts {
  readonly script: ShellScript;
  /** Every command that it runs or may run. */
  readonly calls: readonly ProgramCall[];
  /** The same commands, also with their variables and braces replaced. */
  readonly spelled: readonly ProgramCall[];
  /** Why it must never run. */
  readonly refusal?: DisplayText;
  /** Why it asks in every mode: its deletions can't be determined, or it shuts down the machine. */
  readonly doubt?: DisplayText;
  /** The protected file that it names. */
  readonly mention?: ProtectedMention;
  /** Why it asks in every mode without naming a protected file. */
  readonly farReach?: DisplayText;
  /** The place outside the workspace that it uses. */
  readonly outside?: OutsidePlace;
  /** Words that name what it writes. */
  readonly written: readonly Word[];
  /** It openly deletes or discards work. */
  readonly deletesWork: boolean;
  readonly hosts: OutgoingHosts;
}

/** Gathers the facts about a parsed line, whose commands and spellings are listed once. */
export function readLine(line: string, script: ShellScript, ground: LineGround): LineFacts {
  const calls = listCalls(script);
  const spelled = expandSpellings(script);
  const standing = { ...ground, hasMoved: hasFolderChange(script) };
  const writing = spelled.map((call) => ({ call, written: listWrittenWords(call) }));
  return {
    script,
    calls,
    spelled,
    written: writing.flatMap(({ written }) => written),
    deletesWork: canDeleteWork(calls),
    hosts: findOutgoingHosts(script),
    ...omitUndefined({
      refusal: explainDestructiveLine(line, calls, standing),
      doubt: explainDoubtfulLine(calls, standing),
      mention: findProtectedMention(script, ground.platform),
      farReach: explainFarReach(spelled),
      outside: findOutsidePlace(script, writing, ground),
    }),
  };
}
