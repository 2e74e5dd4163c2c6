import { type Command, prepared } from "../../core/commands/command.ts";
import type { User } from "../../core/ports/approver.ts";
import { displayText } from "../../texts/display-text.ts";
import { objectSchema, requiredText } from "../arguments.ts";
import { done, failed, onOneLine } from "../outcomes.ts";

/** Asks the user a question and waits for the answer. */
export function askUser(user: User | undefined): Command {
  return {
    name: "ask_user",
    aliases: ["ask", "question"],
    category: "user",
    effect: "none",
    description: "Asks the user a question. Only for what nobody else can answer.",
    parameters: objectSchema({ question: { type: "string", minLength: 1 } }, ["question"]),
    argumentAliases: { text: "question", prompt: "question", message: "question" },
    withheld: () => (user ? undefined : "No one is available to answer."),
    prepare: async (args) => {
      const question = requiredText(args, "question");
      return prepared(
        "none",
        `Ask you:\n\n${question}`,
        async ({ signal }) => {
          const answer = await user?.ask(question, signal);
          return answer === undefined
            ? failed(
                "No one is available to answer. Choose the safest option yourself, and say what you assumed.",
              )
            : done(
                `The user's answer: ${answer}`,
                displayText("timeline.youAnswered", { text: onOneLine(answer) }),
              );
        },
        { asksUser: true },
      );
    },
  };
}
