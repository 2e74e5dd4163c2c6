import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import type { User } from "../../core/ports/approver.ts";
import { displayText } from "../../texts/display-text.ts";
import { createObjectSchema, getRequiredText } from "../arguments.ts";
import { createFailure, createSuccess, shortenToOneLine } from "../outcomes.ts";

/** Asks the user a question and waits for the answer. */
export function askUser(user: User | undefined): Command {
  return {
    name: "ask_user",
    aliases: ["ask", "question"],
    category: "user",
    effect: "none",
    traits: {
      titles: [{ code: "AskUser", text: "question" }],
      role: "ask",
      isIdle: true,
      rank: 0,
      isLean: true,
    },
    description: "Asks the user a question. Only for what nobody else can answer.",
    parameters: createObjectSchema({ question: { type: "string", minLength: 1 } }, ["question"]),
    argumentAliases: { text: "question", prompt: "question", message: "question" },
    withheld: () => (user ? undefined : "No one is available to answer."),
    prepare: async (args) => {
      const question = getRequiredText(args, "question");
      return createPreparedCall(
        "none",
        `Ask you:\n\n${question}`,
        async ({ signal }) => {
          const answer = await user?.ask(question, signal);
          return answer === undefined
            ? createFailure(
                "No one is available to answer. Choose the safest option yourself, and say what you assumed.",
              )
            : createSuccess(
                `The user's answer: ${answer}`,
                displayText("timeline.youAnswered", { text: shortenToOneLine(answer) }),
              );
        },
        { asksUser: true },
      );
    },
  };
}
