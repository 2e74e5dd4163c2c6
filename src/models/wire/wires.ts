import type { Api } from "../../schema/dialect.ts";
import { chatCompletions } from "./chat-completions.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";
import type { Wire } from "./wire.ts";

/** The APIs that models are reached over. */
export const WIRES: Readonly<Record<Api, Wire>> = {
  chat: chatCompletions,
  responses,
  messages,
};
