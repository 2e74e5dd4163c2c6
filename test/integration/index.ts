import net from "node:net";
import { format } from "node:util";
import Mocha from "mocha";
import { CountedSpec } from "../host/counted-spec.ts";
import { withOriginalPlaces } from "./original-places.ts";

/**
 * Runs inside the extension host: lets mocha run the tests that `load` defines, and prints to the runner's port when there is one.
 * How many passed and failed is what the reporter writes down.
 */
export async function runTests(load: () => void): Promise<void> {
  const { TEST_OUTPUT_PORT, TEST_GREP, TEST_COLOUR } = process.env;
  const output = TEST_OUTPUT_PORT ? net.connect(Number(TEST_OUTPUT_PORT), "127.0.0.1") : undefined;
  if (output) Mocha.reporters.Base.consoleLog = (...args: unknown[]) => void output.write(`${format(...args)}\n`);
  const mocha = new Mocha({
    ui: "bdd",
    reporter: CountedSpec,
    timeout: 30_000,
    color: TEST_COLOUR === "1",
    ...(TEST_GREP ? { grep: TEST_GREP } : {}),
  });
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  load();
  await new Promise((resolve) => {
    mocha.run(resolve).on("fail", (_test, error) => {
      error.stack = withOriginalPlaces(error.stack ?? "");
    });
  });
  await new Promise<void>((resolve) => (output ? output.end(resolve) : resolve()));
}
