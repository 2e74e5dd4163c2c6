import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { inRoot } from "./root.mjs";

const LOCK = inRoot(".node", "setup.lock");

/** Does a piece of set-up while no other task of this checkout is setting up; waits for its turn. */
export async function onlyOne(work) {
  fs.mkdirSync(inRoot(".node"), { recursive: true });
  while (!take()) {
    if (ownerIsGone()) fs.rmSync(LOCK, { force: true });
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    fs.rmSync(LOCK, { force: true });
  }
}

function take() {
  try {
    fs.writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function ownerIsGone() {
  try {
    const owner = Number(fs.readFileSync(LOCK, "utf8"));
    if (owner > 0) process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}
