import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type PostedQuestion, QuestionPoster } from "../../../../src/editor/panel/question-post.ts";
import type { Settings } from "../../../../src/schema/settings.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

const LINK = "vscode://autogpt-vscode.autogpt/run?id=20260102_090000_fix_a1b2";
const QUESTION: PostedQuestion = { id: "1", title: "AutoGPT: Fix it", text: "Run this command? npm test", link: LINK };

/** The user's own service, on this machine. */
class Service {
  readonly received: Received[] = [];
  status = 200;
  private server: Server | undefined;

  async open(): Promise<string> {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        this.received.push({ path: request.url ?? "", headers: request.headers, body });
        response.writeHead(this.status, { location: "/elsewhere" }).end('{ "approve": true }');
      });
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.server.listen(0, "127.0.0.1", resolve);
    await promise;
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

function posterFor(notify: Settings["notify"], more: { token?: string; now?: () => number } = {}) {
  const problems: string[] = [];
  const poster = new QuestionPoster({
    getSettings: () => notify,
    findToken: async () => more.token,
    redact: async (text) => text.replaceAll("hunter2", "[secret]"),
    report: (problem) => problems.push(writeInEnglish(problem)),
    getNow: more.now ?? (() => 0),
  });
  return { poster, problems };
}

describe("a question that is sent to the user's address", () => {
  let service: Service;
  let address: string;

  beforeEach(async () => {
    service = new Service();
    address = await service.open();
  });

  afterEach(() => service.close());

  it("is one POST with title, question and link, and the user's token", async () => {
    const { poster, problems } = posterFor({ url: `${address}/hook`, format: "auto" }, { token: "t0ken" });
    await poster.post(QUESTION);
    await poster.post(QUESTION);

    const sent = service.received.map(({ path, headers, body }) => ({ path, token: headers.authorization, body }));
    const body = { title: "AutoGPT: Fix it", question: "Run this command? npm test", link: LINK };
    assert.deepEqual({ sent, problems }, { sent: [{ path: "/hook", token: "Bearer t0ken", body }], problems: [] });
  });

  it("can't mention people in Slack, nor bring a link of its own", async () => {
    const { poster } = posterFor({ url: `${address}/services/x`, format: "slack" });
    await poster.post({ ...QUESTION, text: "<!channel> <https://evil.test|Approve> & *bold* https://evil.test" });

    assert.deepEqual(
      service.received.map(({ body }) => body),
      [
        {
          text: `AutoGPT: Fix it\n&lt;!channel&gt; &lt;https: //evil.test|Approve&gt; &amp; *bold* https: //evil.test\n${LINK}`,
          mrkdwn: false,
          link_names: false,
          unfurl_links: false,
        },
      ],
    );
  });

  it("can't add headers or buttons in ntfy", async () => {
    const { poster } = posterFor({ url: `${address}/base/my-topic`, format: "ntfy" });
    await poster.post({ ...QUESTION, title: "Fix\r\nActions: http, Approve, https://evil.test", text: "a\nX-Evil: 1" });

    assert.deepEqual(
      service.received.map(({ path, headers, body }) => ({
        path,
        evil: headers["x-evil"],
        actions: headers.actions,
        body,
      })),
      [
        {
          path: "/base/",
          evil: undefined,
          actions: undefined,
          body: {
            topic: "my-topic",
            title: "Fix Actions: http, Approve, https: //evil.test",
            message: "a X-Evil: 1",
            click: LINK,
          },
        },
      ],
    );
  });

  it("is without secrets and hidden characters, and cut", async () => {
    const { poster } = posterFor({ url: address, format: "json" });
    await poster.post({ ...QUESTION, title: "Use hunter2\u202e", text: "x".repeat(2_000) });

    const body = service.received[0]?.body as { title: string; question: string };
    assert.deepEqual([body.title, body.question.length], ["Use [secret]⟨U+202E⟩", 500]);
  });

  it("isn't carried on to another address, and the refusal is reported once", async () => {
    service.status = 307;
    const { poster, problems } = posterFor({ url: address, format: "json" });
    await poster.post(QUESTION);
    await poster.post({ ...QUESTION, id: "2" });

    const host = new URL(address).host;
    assert.deepEqual(
      { paths: service.received.map(({ path }) => path), problems },
      {
        paths: ["/", "/"],
        problems: [
          `${host} refused a question (HTTP 307). Check autogpt.notify.url. If it needs a token, use Set API Key….`,
        ],
      },
    );
  });

  it("is one of at most thirty in an hour", async () => {
    let now = 0;
    const { poster, problems } = posterFor({ url: address, format: "json" }, { now: () => now });
    for (let count = 0; count < 32; count += 1) await poster.post({ ...QUESTION, id: String(count) });
    const inHour = service.received.length;
    now = 3_600_000;
    await poster.post({ ...QUESTION, id: "later" });

    assert.deepEqual(
      { inHour, later: service.received.length, problems },
      {
        inHour: 30,
        later: 31,
        problems: [
          "More than 30 questions came up within an hour, so the next ones aren't sent. They wait in the panel.",
        ],
      },
    );
  });
});

describe("an address for questions", () => {
  it("that is open to others, or without a topic, gets nothing but a sentence", async () => {
    const urls = ["http://example.com/x", "ftp://localhost/", "https://ann:pw@example.com/", "no address"];
    const wrong = urls.map((url) => posterFor({ url, format: "json" }));
    const untitled = posterFor({ url: "https://ntfy.sh/", format: "auto" });
    for (const { poster } of [...wrong, untitled]) await poster.post(QUESTION);

    const sentence =
      "Questions aren't sent: autogpt.notify.url takes an https address, or an http address of this machine, without a user name.";
    assert.deepEqual(
      { wrong: wrong.map(({ problems }) => problems), untitled: untitled.problems },
      {
        wrong: urls.map(() => [sentence]),
        untitled: [
          "Questions aren't sent: autogpt.notify.url lacks a topic. Add one at its end, as in https://ntfy.sh/my-topic.",
        ],
      },
    );
  });

  it("that doesn't answer is reported, and an empty one is none", async () => {
    const service = new Service();
    const address = await service.open();
    service.close();
    const [gone, none] = [posterFor({ url: address, format: "json" }), posterFor({ url: "", format: "auto" })];
    for (const { poster } of [gone, none]) await poster.post(QUESTION);

    const host = new URL(address).host;
    assert.deepEqual(
      { gone: gone.problems, none: none.problems },
      { gone: [`A question couldn't be sent: ${host} doesn't answer. Check autogpt.notify.url.`], none: [] },
    );
  });
});
