import net from "node:net";

/** A way for the tests in an extension host to print where their runner prints. */
export interface OutputLine {
  readonly port: number;
  close(): void;
}

/** Opens a port of this machine and hands on whatever is written to it. */
export function openOutputLine(onText: (text: string) => void): Promise<OutputLine> {
  const server = net.createServer((socket) => {
    socket.setEncoding("utf8").on("data", onText);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") return reject(new Error("The port has no number."));
      resolve({ port: address.port, close: () => server.close() });
    });
  });
}
