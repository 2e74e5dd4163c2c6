import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** The messages of Temporal's API, as its client's own package has them. */
const { temporal } = createRequire(createRequire(import.meta.url).resolve("@temporalio/client"))("@temporalio/proto");
const MESSAGES = temporal.api.workflowservice.v1;
const [UNIMPLEMENTED, PREFIX_BYTES] = ["12", 5];

/** Answers of a server by the names of Temporal's calls; a function gets the call. */
export type LyingAnswers = Readonly<Record<string, object | ((asked: Record<string, unknown>) => object)>>;

/** Temporal's API as a hostile server may play it: gRPC over HTTP/2 on loopback. */
export class LyingTemporal {
  /** The names of the calls that have come. */
  readonly calls: string[] = [];
  readonly place: string;
  private readonly server: Http2Server;
  private readonly sessions: Set<ServerHttp2Session>;

  private constructor(server: Http2Server, sessions: Set<ServerHttp2Session>) {
    this.server = server;
    this.sessions = sessions;
    this.place = `temporal://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(answers: LyingAnswers): Promise<LyingTemporal> {
    const server = createServer();
    const sessions = new Set<ServerHttp2Session>();
    server.on("session", (session) => void sessions.add(session));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const lying = new LyingTemporal(server, sessions);
    const all = { GetSystemInfo: { serverVersion: "1.32.0" }, DescribeNamespace: {}, ...answers };
    server.on("stream", (stream, headers) => void lying.answer(stream, String(headers[":path"]), all));
    return lying;
  }

  close(): void {
    for (const session of this.sessions) session.destroy();
    this.server.close();
  }

  private async answer(stream: ServerHttp2Stream, path: string, answers: LyingAnswers): Promise<void> {
    stream.on("error", () => undefined);
    const name = path.slice(path.lastIndexOf("/") + 1);
    this.calls.push(name);
    const asked = (await buffer(stream)).subarray(PREFIX_BYTES);
    const answer = answers[name];
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": answer ? "0" : UNIMPLEMENTED }));
    if (!answer) return void stream.end();
    const given = typeof answer === "function" ? answer(MESSAGES[`${name}Request`].decode(asked)) : answer;
    const bytes = MESSAGES[`${name}Response`].encode(given).finish();
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(bytes.length, 1);
    stream.end(Buffer.concat([prefix, bytes]));
  }
}
