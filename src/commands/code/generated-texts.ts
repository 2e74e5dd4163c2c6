import type { PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import {
  createNewTextFile,
  DIFF_BYTES,
  explainUnwritablePlace,
  type FileChangeDependencies,
  prepareFileChange,
  setLineEnds,
} from "../file-change.ts";
import { createFailure } from "../outcomes.ts";
import type { CodeDependencies } from "./focused-call.ts";

/** The schema of an argument that proposes an earlier step's text. */
export const APPLY = {
  type: "integer",
  minimum: 1,
  description: "The step whose result to propose.",
} as const;

/** Dependencies of a command that lets a model write code and then proposes it. */
export interface CodeWritingDependencies extends CodeDependencies, FileChangeDependencies {
  readonly kept: GeneratedTexts;
}

/** Texts that a model wrote in earlier steps, so that they can be proposed without repeating them. A reopened run has none. */
export class GeneratedTexts {
  private readonly texts = new Map<number, { readonly text: string; readonly from: ResolvedPath | undefined }>();

  /** `from` is the file that the text is based on. */
  keep(step: number, text: string, from: ResolvedPath | undefined): void {
    this.texts.set(step, { text, from });
  }

  /** Prepares the text of a step as the new content of a file, for review. */
  async prepareProposal(
    parts: FileChangeDependencies,
    step: number,
    place: ResolvedPath,
  ): Promise<PreparedCall | Outcome> {
    const kept = this.texts.get(step);
    if (!kept)
      return createFailure(`No text of step ${step} is kept. Generate it again, or write it with write_to_file.`);
    const { label, kind, bytes, version } = place;
    const problem = explainUnwritablePlace(place);
    if (problem !== undefined) return createFailure(problem);
    if (kept.from?.path === place.path && kept.from.version !== version)
      return createFailure(`"${label}" has changed since step ${step} read it. Ask for the text again.`);
    const isRead = kind === "file" && bytes <= DIFF_BYTES;
    const content = isRead ? await parts.workspace.read(place) : undefined;
    const old = content?.kind === "text" ? content.file : undefined;
    const text = old ? setLineEnds(kept.text, old.eol) : kept.text;
    return prepareFileChange(parts, {
      place: { ...place, version: content?.version ?? version },
      ...(old ? { before: old.text } : {}),
      after: old ? { ...old, text } : createNewTextFile(place, text),
      did: `${kind === "missing" ? "Created" : "Changed"} "${label}" as found in step ${step}.`,
      details: `Replace the file "${label}" by this text:\n\n${text}`,
    });
  }
}
