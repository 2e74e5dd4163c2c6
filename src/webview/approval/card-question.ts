import { isPlain } from "../../core/base/text.ts";
import { createCallTitle, formatCommandName } from "../../core/commands/call-title.ts";
import { findTraits } from "../../core/commands/command-traits.ts";
import type { Card } from "../../schema/panel-values.ts";
import { renderTextParts, splitTextParts, write, writeValue } from "../../texts/language.ts";

/** Formats a text, and draws its parameters with `show`. */
type Question = (show: (value: string) => unknown) => readonly unknown[];

/** A card's question, in parts: the command's effect, as a verb with its object. */
export function renderCardQuestion(card: Card, show: (value: string) => unknown): readonly unknown[] {
  return (
    createChangeQuestion(card) ??
    createToolQuestion(card) ??
    createOwnQuestion(card) ??
    createOtherQuestion(card)
  )(show);
}

/** The question with the command's title, or with its name if a heading can't show the title unchanged. */
function createOtherQuestion({ command, args }: Card): Question {
  const { before } = createCallTitle({ name: command, args: args ?? {} });
  const isShown = (value: unknown): boolean => typeof value === "string" && isPlain(value);
  if (before.code === "timeline.toUseTool" || !Object.values(before.parameters ?? {}).every(isShown))
    return (show) => splitTextParts("approval.other", { command: show(formatCommandName(command)) });
  return () => splitTextParts("approval.otherAction", { action: write(before) });
}

/** The question of a foreign tool, by its own name and its owner's. */
function createToolQuestion({ tool }: Card): Question | undefined {
  if (!tool || !isPlain(tool.name) || !isPlain(tool.owner)) return undefined;
  return (show) => splitTextParts("approval.useTool", { tool: show(tool.name), owner: tool.owner });
}

/** The question of the command itself, if a heading can show its arguments just as they are. */
function createOwnQuestion({ command, args }: Card): Question | undefined {
  const { code, ...shown } = findTraits(command)?.question ?? {};
  const values = Object.entries(shown).map(([name, argument]) => [name, args?.[argument]] as const);
  if (!code || !values.every(([, value]) => typeof value === "string" && isPlain(value))) return undefined;
  const parameters = Object.fromEntries(values.map(([name, value]) => [name, String(value)]));
  return (show) => renderTextParts({ code: `approval.${code}`, parameters }, (_, value) => show(writeValue(value)));
}

/** A change of one file that has its diff. */
function createChangeQuestion({ file, isNew }: Card): Question | undefined {
  if (file === undefined) return undefined;
  return (show) => splitTextParts(isNew ? "approval.createFile" : "approval.editFile", { file: show(file) });
}
