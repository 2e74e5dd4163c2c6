import { readLog } from "../../src/runs/log/read-log.ts";
import { openRunLog } from "../../src/runs/log/run-log.ts";
import { makeSecrets } from "../../src/runs/log/secrets.ts";
import { wrapPart } from "../../src/runtime/wrappers.ts";
import { FakeModel } from "../support/fake-model.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { testHost } from "../support/test-host.ts";
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

async function ofRun(): Promise<LogPlace> {
  const place = await onDisk();
  const secrets = makeSecrets(["a key that is known"]);
  const model = new FakeModel([]);
  const host = testHost({ data: await tempFolder(), models: { smart: model, fast: model } });
  return { ...place, open: async () => wrapPart("log", await place.open(), { host, id: "a-run", secrets }) };
}

runLogContract("a file", onDisk);
runLogContract("a log in memory", inMemory);
runLogContract("a run's log with all its wrappers", ofRun);
