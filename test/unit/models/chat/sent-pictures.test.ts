import assert from "node:assert/strict";
import type { ChatMessage, MessagePicture, Model } from "../../../../src/core/ports/model.ts";
import { createChatModel } from "../../../../src/models/chat/chat-model.ts";
import { COMMON_DIALECT } from "../../../../src/models/chat/dialect.ts";
import { findModelFamily } from "../../../../src/models/chat/families.ts";
import { WIRES } from "../../../../src/models/chat/open-request.ts";
import { SentPictures } from "../../../../src/models/chat/sent-pictures.ts";
import { isBadPictureComplaint, isPictureComplaint, readPictureLimit } from "../../../../src/models/http/complaints.ts";
import { createOpenAiServer } from "../../../../src/models/http/endpoint.ts";
import { openAiModel } from "../../../../src/models/providers/openai.ts";
import { Listener } from "../../../support/completing.ts";
import { refusal, type SeenRequest, saying, serverForSuite } from "../../../support/fake-model-server.ts";
import { errorAnswer, eventsOf } from "../../../support/messages-service.ts";
import { PICTURES } from "../../../support/picture-files.ts";

type Body = SeenRequest["body"];

const picture = (name: string): MessagePicture => ({
  ...{ name, file: `${name}.png`, mediaType: "image/png", width: 5, height: 3, bytes: 77 },
  data: PICTURES.png,
});

const HEAD: readonly ChatMessage[] = [
  { role: "system", content: "Be good." },
  { role: "user", content: "Look at them." },
];

/** A prompt with one step for each list of pictures. */
function promptWith(...steps: readonly (readonly string[])[]): { readonly messages: readonly ChatMessage[] } {
  const told = steps.flatMap((names, step): readonly ChatMessage[] => [
    { role: "assistant", content: "", calls: [{ id: `c${step}`, name: "read_file", arguments: "{}" }] },
    { role: "tool", callId: `c${step}`, content: "Here.", pictures: names.map(picture) },
  ]);
  return { messages: [...HEAD, ...told, { role: "user", content: "Go on." }] };
}

describe("pictures of results", () => {
  const server = serverForSuite();
  let before = 0;
  beforeEach(() => {
    before = server().requests.length;
  });
  const bodies = (): readonly Body[] =>
    server()
      .requests.slice(before)
      .map(({ body }) => body);

  it("are in the results over Messages, or in the user's message where a server wants that", async () => {
    const name = "claude-sonnet-4-6";
    const baseUrl = server().baseUrl;
    const model: Model = createChatModel({
      ...{ name, contextWindow: 200_000, problem: undefined, connection: { baseUrl, apiKey: "k" } },
      server: createOpenAiServer(baseUrl, { model: name, apiKey: "k", timeoutSeconds: 60 }),
      family: findModelFamily(name, "https://api.anthropic.com/v1", undefined, "messages"),
    });
    const said = { type: "message", id: "m", role: "assistant", model: name, stop_reason: "end_turn" };
    const reply = {
      ...said,
      content: [{ type: "text", text: "Seen." }],
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const complaint = "messages.2.content.0.tool_result.content: image content isn't supported here";
    server().plan(
      errorAnswer(400, "invalid_request_error", complaint),
      ...[1, 2].map(() => ({ pieces: eventsOf(reply) })),
    );
    for (const _ of [1, 2]) await model.complete(promptWith(["a"]), new Listener());
    const kinds = bodies().map(({ messages }) =>
      messages
        .at(-1)
        .content.map((block: Body) =>
          [block.type, ...(Array.isArray(block.content) ? block.content.map(({ type }: Body) => type) : [])].join(" "),
        ),
    );
    const after = ["tool_result", "text", "image", "text"];
    assert.deepEqual(kinds, [["tool_result text image", "text"], after, after]);
  });

  it("are in the results where an API has a place for them, else right after them", () => {
    const places = (["chat", "responses", "messages"] as const).map((api) => {
      const dialect = { ...COMMON_DIALECT, api };
      const sent = JSON.stringify(WIRES[api].request("m", promptWith(["a"]), dialect));
      const between = sent.slice(sent.indexOf("Here."), sent.indexOf(PICTURES.png));
      return [api, between.includes('"role":"user"')];
    });
    assert.deepEqual(places, [
      ["chat", true],
      ["responses", false],
      ["messages", false],
    ]);
  });

  it("are as many as a server takes, the newest ones, from its complaint on", async () => {
    const model = openAiModel({
      ...{
        apiKey: "k",
        model: "gpt-4o",
        contextWindow: 64_000,
        timeoutSeconds: 60,
        baseUrl: server().baseUrl,
      },
    });
    const count = (body: Body): number => JSON.stringify(body.messages).split('image_url":{').length - 1;
    server().plan(({ body }) =>
      count(body) > 2 ? refusal(400, "At most 2 image(s) may be provided in one prompt.") : saying("Seen."),
    );
    const told: unknown[] = [];
    for (const steps of [
      [["a"], ["b", "c"]],
      [["a"], ["b", "c"], ["d"]],
    ])
      await model.complete(promptWith(...steps), {
        ...new Listener(),
        signal: new AbortController().signal,
        notice: (text) => void told.push(text),
      });
    assert.deepEqual(
      [bodies().map(count), JSON.stringify(bodies().at(-1)).match(/\[picture [^\]]*\]/g), told],
      [[3, 1, 2], ["a", "b"].map((name) => `[picture \\"${name}\\": left out, as there are too many newer ones]`), []],
    );
  });

  it("leave the beginning of most prompts as it was, however many there are", () => {
    const pictures = new SentPictures();
    const steps = Array.from({ length: 60 }, (_, step) => [`p${step}`]);
    const prompts = steps.map((_, at) => pictures.limitPictures(promptWith(...steps.slice(0, at + 1)), 20));
    const shown = prompts.map(({ messages }) =>
      messages.flatMap((one) => (one.role === "tool" ? (one.pictures ?? []) : [])).filter(({ unsent }) => !unsent),
    );
    const firsts = new Set(shown.map(([first]) => first?.name));
    assert.deepEqual(
      {
        most: Math.max(...shown.map(({ length }) => length)),
        firsts: firsts.size,
        last: shown.at(-1)?.at(-1)?.name,
      },
      { most: 20, firsts: 5, last: "p59" },
    );
  });
});

describe("a complaint about pictures", () => {
  const request = promptWith(["a", "b", "c"]);
  /** Words of services, and whether it's about these pictures or their number. */
  const COMPLAINTS: readonly (readonly [words: string, isBad: boolean, most?: number])[] = [
    ["messages.5.content.1.image.source.base64.data: Could not process image", true],
    ["messages.1.content.2.image.source.base64: image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes", true],
    ["At least one of the image dimensions exceed max allowed size: 8000 pixels", true],
    ["Image does not match the provided media type image/png", true],
    ["You uploaded an unsupported image. Please make sure your image has of one the following formats", true],
    ["Unable to process input image. Please retry", true],
    ["The image was specified using the image/jpeg media type, but it appears to be a image/png image", true],
    ["image dimensions exceed max allowed size for many-image requests: 2000 pixels", true],
    ["Invalid type for 'input[3].output': expected a string, but got an array instead.", false],
    ["The image data you provided does not represent a valid image", true],
    ["At most 1 image(s) may be provided in one request.", false, 1],
    ["Too many images provided. This model supports up to 2 images", false, 2],
    ["Too many images in request", false, 1],
    ["Invalid content type. image_url is only supported by certain models.", false],
    ["No endpoints found that support image input", false],
    ["This model does not support image input", false],
  ];
  for (const [message, isBad, most] of COMPLAINTS)
    it(`is about ${isBad ? "these" : most ? "their number" : "all"}: ${message.slice(0, 60)}`, () => {
      const trouble = { status: 400, complaint: { message, code: "", type: "", param: "" } };
      const number = readPictureLimit(trouble as never, 3);
      assert.deepEqual(
        [
          isPictureComplaint(trouble as never, request),
          number,
          number === undefined && isBadPictureComplaint(trouble as never),
        ],
        [true, most, isBad],
      );
    });
});
