import type { Request } from "../core/ports.ts";
import type { TaughtRule } from "./taught-rules.ts";
import type { PolicyState } from "./with-policy.ts";

/** Keeps the command line of a proposal as one that may always run where it would run. Throws a sentence where that cannot be. */
export async function teach({ prepared }: Request, { lines }: PolicyState): Promise<TaughtRule> {
  if (!lines?.taught || prepared.shell === undefined || prepared.cwd === undefined)
    throw new Error(
      "Only a command line can be allowed for always. Write a rule in autogpt.approval.rules instead.",
    );
  const { reader } = await lines.shell();
  const reading = reader.read(prepared.shell);
  if (reading.kind === "unreadable")
    throw new Error(`This command line cannot be allowed for always. ${reading.why}`);
  return lines.taught.teach(reading, prepared.cwd);
}
