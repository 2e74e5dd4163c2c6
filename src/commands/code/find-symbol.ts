import { formatQuantity } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { CodeSymbol, Symbols } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import { createObjectSchema, getRequiredText } from "../arguments.ts";
import { createFailure, createSuccess, NOTHING_FOUND } from "../outcomes.ts";
import { explainWithheldSymbols } from "./language-services.ts";

const MOST = 50;

/** Finds where a name is defined. */
export function findSymbol(symbols: Symbols | undefined): Command {
  return {
    name: "find_symbol",
    aliases: ["find_definition", "go_to_definition", "search_symbols", "workspace_symbols"],
    category: "code",
    effect: "read",
    traits: {
      titles: [{ code: "FindSymbol", text: "symbol" }],
      rank: 110,
      reads: "search",
      needsEditor: true,
    },
    description: "Finds the definition of a function, class or variable by name, through the language services.",
    parameters: createObjectSchema({ symbol: { type: "string", minLength: 1, maxLength: 200 } }, ["symbol"]),
    argumentAliases: { name: "symbol", query: "symbol", symbol_name: "symbol", identifier: "symbol" },
    withheld: () => explainWithheldSymbols(symbols),
    async prepare(args): Promise<PreparedCall | Outcome> {
      if (!symbols) return createFailure("There is no language service here.");
      const name = getRequiredText(args, "symbol").trim();
      if (name === "") return createFailure("The name is empty. Say what to look for.");
      return createPreparedCall("read", `Find where ${JSON.stringify(name)} is defined.`, async ({ signal }) => {
        const found = await symbols.find(name, signal);
        return found.length === 0
          ? createFailure(
              `The language services know no ${JSON.stringify(name)}. Look for it with search_files.`,
              NOTHING_FOUND,
            )
          : createSuccess(renderSymbols(found), displayText("timeline.places", { count: found.length }));
      });
    },
  };
}

function renderSymbols(found: readonly CodeSymbol[]): string {
  const lines = found
    .slice(0, MOST)
    .map(
      ({ name, kind, label, line, within }) =>
        `${label}:${line}: ${kind} ${name}${within === "" ? "" : ` in ${within}`}`,
    );
  const rest = found.length - lines.length;
  return [...lines, ...(rest > 0 ? [`… and ${formatQuantity(rest, "more place")}.`] : [])].join("\n");
}
