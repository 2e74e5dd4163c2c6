import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Copies the full outputs of commands up to a step into a fork's folder, so that the agent can read them there too. */
export async function copyOutputs(from: string, to: string, step: number): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const taken = files.filter((name) => /^\d+\.txt$/.test(name) && Number.parseInt(name, 10) <= step);
  await Promise.all(taken.map((name) => copyFile(join(from, name), join(to, name))));
}
