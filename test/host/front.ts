import { randomBytes } from "node:crypto";
import http from "node:http";
import net from "node:net";

/**
 * Stands before a VS Code server, answers what a bare one does not, and hands on everything else: the workbench asks
 * for the key it encrypts secrets with, and forgets them at a reload when it gets none. Resolves with its own port.
 */
export function openFront(serverPort: number): Promise<number> {
  const key = randomBytes(32);
  const target = { host: "127.0.0.1", port: serverPort };
  const front = http.createServer((request, response) => {
    if (request.url?.endsWith("/mint-key")) {
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(key);
      return;
    }
    const { method, headers, url: path } = request;
    const onward = http.request({ ...target, method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.writeHead(502).end());
    request.pipe(onward);
  });
  front.on("upgrade", (request, socket, head) => {
    const lines = [`${request.method} ${request.url} HTTP/1.1`, ...pairs(request.rawHeaders), "", ""];
    const onward = net.connect(target, () => {
      onward.write(lines.join("\r\n"));
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  return new Promise((resolve, reject) => {
    front.once("error", reject);
    front.listen(0, "127.0.0.1", () => {
      const address = front.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
}

/** Header lines from Node's flat list of names and values. */
function pairs(raw: readonly string[]): readonly string[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${raw[index + 1]}`] : []));
}
