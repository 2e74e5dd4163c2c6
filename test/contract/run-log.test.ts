import { heardLog } from "../../src/headless/heard-log.ts";
import { readLog } from "../../src/runs/log/read-log.ts";
import { openRunLog } from "../../src/runs/log/run-log.ts";
import { makeSecrets, redactedLog } from "../../src/runs/log/secrets.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { type LogPlace, runLogContract } from "./run-log.contract.ts";

const tempFolder = tempFolders();

async function onDisk(): Promise<LogPlace> {
  const folder = await tempFolder();
  return {
    open: () => openRunLog(folder),
    stored: async () => (await readLog(folder)).events,
  };
}

async function inMemory(): Promise<LogPlace> {
  const log = new MemoryLog();
  return { open: async () => log, stored: async () => log.events };
}

async function wrapped(): Promise<LogPlace> {
  const place = await onDisk();
  const secrets = makeSecrets(["a key that is known"]);
  return { ...place, open: async () => heardLog(redactedLog(await place.open(), secrets), () => undefined) };
}

runLogContract("a file", onDisk);
runLogContract("a log in memory", inMemory);
runLogContract("a file without secrets, that is heard", wrapped);
