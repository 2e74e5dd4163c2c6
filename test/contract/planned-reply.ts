import {
  callChunk,
  chunk,
  DONE,
  finish,
  type ServerAnswer,
  stream,
  textChunks,
  usage,
} from "../support/fake-model-server.ts";
import type { PlannedReply } from "./model.contract.ts";

/** A planned reply in the words of OpenAI's API. */
export function answerOf({ say, pace }: PlannedReply): ServerAnswer {
  if (pace === "never begins") return { pieces: [], headersHang: true };
  const said =
    "text" in say
      ? [...textChunks(...(say.text.match(/[\s\S]{1,7}/gu) ?? [])), finish()]
      : [
          callChunk({ index: 0, id: "call_abc", name: say.call.name, arguments: "" }),
          ...(JSON.stringify(say.call.args).match(/[\s\S]{1,7}/gu) ?? []).map((args) =>
            callChunk({ index: 0, arguments: args }),
          ),
          finish("tool_calls"),
        ];
  if (pace === "never ends") return stream(chunk({ role: "assistant", content: "" }), said[0] ?? "", "hang!");
  return stream(chunk({ role: "assistant", content: "" }), ...said, usage(20, 9), DONE);
}
