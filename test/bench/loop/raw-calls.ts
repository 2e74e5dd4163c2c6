import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";

/** The same as what plugins do in a step, with nothing of ours: programs that answer lines, asked all at once and then one after the other. */
export interface RawCalls {
  /** Milliseconds of both rounds by the clock. */
  step(): Promise<number>;
  close(): void;
}

const PROGRAM = `
const { writeSync } = require("node:fs");
const { Socket } = require("node:net");
const socket = new Socket({ fd: 3, onread: { buffer: Buffer.alloc(65536), callback(count, bytes) {
  const { id } = JSON.parse(bytes.toString("utf8", 0, count));
  writeSync(3, JSON.stringify({ id }) + "\\n");
  return true;
} } });
socket.on("close", () => process.exit()).resume();`;

/** Starts `count` programs. */
export async function rawCalls(count: number, payload: object): Promise<RawCalls> {
  const children = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, ["-e", PROGRAM], {
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    });
    return { child, channel: channelOf(child) };
  });
  const line = `${JSON.stringify({ id: 1, payload })}\n`;
  const ask = async ({ channel }: (typeof children)[number]): Promise<void> => {
    const answered = once(channel, "data");
    channel.write(line);
    await answered;
  };
  await Promise.all(children.map(ask));
  return {
    async step() {
      const began = performance.now();
      await Promise.all(children.map(ask));
      for (const one of children) await ask(one);
      return performance.now() - began;
    },
    close() {
      for (const { child } of children) child.kill();
    },
  };
}

function channelOf({ stdio }: ChildProcess): Socket {
  const channel = stdio[3];
  if (!(channel instanceof Socket)) throw new Error("The system gave it no pipe.");
  return channel;
}
