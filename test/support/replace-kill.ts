import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { replaceFile } from "../../src/disk/replace-file.ts";

/** Moments of replacing a file, in their order, at which a program can be killed. */
export const KILL_MOMENTS = [
  "before it is created",
  "once it is created",
  "with half of the content",
  "with all of the content",
  "before it is synced",
  "once it is synced",
  "before it is renamed",
  "once it is renamed",
  "once its folder is synced",
] as const;

type KillMoment = (typeof KILL_MOMENTS)[number];

/** Kills this process at a moment of replacing a file. */
function killAt(moment: KillMoment): void {
  const reach = (here: KillMoment): void => {
    if (here === moment) process.kill(process.pid, "SIGKILL");
  };
  const { open, rename } = promises;
  promises.open = async (path, flags, mode) => {
    const isNew = flags === "wx";
    if (isNew) reach("before it is created");
    const file = await open(path, flags, mode);
    if (isNew) reach("once it is created");
    const [write, sync] = [file.writeFile.bind(file), file.sync.bind(file)];
    file.writeFile = async (content) => {
      const text = String(content);
      await write(text.slice(0, text.length / 2));
      reach("with half of the content");
      await write(text.slice(text.length / 2));
      reach("with all of the content");
    };
    file.sync = async () => {
      if (isNew) reach("before it is synced");
      await sync();
      reach(isNew ? "once it is synced" : "once its folder is synced");
    };
    return file;
  };
  promises.rename = async (from, to) => {
    reach("before it is renamed");
    await rename(from, to);
    reach("once it is renamed");
  };
  syncBuiltinESMExports();
}

/** Without a moment, it replaces the file again and again with as many repetitions of a digit. */
async function main(path: string, content: string, moment: string | undefined): Promise<void> {
  const found = KILL_MOMENTS.find((one) => one === moment);
  if (found) {
    killAt(found);
    return replaceFile(path, content, { durable: true, private: true });
  }
  for (let round = 0; ; round++)
    await replaceFile(path, String(round % 10).repeat(Number(content)), { durable: round % 2 === 0 });
}

const [path, content, moment] = process.argv.slice(2);
if (import.meta.main && path !== undefined && content !== undefined) await main(path, content, moment);
