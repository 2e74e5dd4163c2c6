import net from "node:net";
import { format } from "node:util";
import Mocha from "mocha";
import { CountedSpec } from "../host/counted-spec.ts";

/**
 * Runs inside the extension host: lets mocha run the tests that `load` defines, and prints to the runner's port.
 * How many passed and failed is what the reporter writes down.
 */
export async function runTests(load: () => void): Promise<void> {
  const { TEST_OUTPUT_PORT, TEST_GREP, TEST_COLOUR } = process.env;
  const output = net.connect(Number(TEST_OUTPUT_PORT), "127.0.0.1");
  Mocha.reporters.Base.consoleLog = (...args: unknown[]) => void output.write(`${format(...args)}\n`);
  const mocha = new Mocha({
    ui: "bdd",
    reporter: CountedSpec,
    timeout: 30_000,
    color: TEST_COLOUR === "1",
    ...(TEST_GREP ? { grep: TEST_GREP } : {}),
  });
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  load();
  await new Promise((resolve) => mocha.run(resolve));
  await new Promise<void>((resolve) => output.end(resolve));
}
