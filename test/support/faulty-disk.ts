import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { normalizeSlashes } from "../../src/node/files/real-path.ts";

/** What a disk may say when it is written to. `torn`: half of it is written, then there is no room. */
export type DiskFault = "ENOSPC" | "EACCES" | "EROFS" | "torn";

export const DISK_FAULTS: readonly DiskFault[] = ["ENOSPC", "EACCES", "EROFS", "torn"];

const WRITING = ["writeFile", "appendFile", "copyFile", "rename", "mkdir"] as const;

/**
 * Does something while writing to paths of this form fails; reading still works. Nothing else in this process may write there meanwhile.
 * With `isFaulty` an open file can be written to as long as that is false.
 */
export async function onFaultyDisk<T>(
  fault: DiskFault,
  paths: RegExp,
  act: () => Promise<T>,
  isFaulty: () => boolean = () => true,
): Promise<T> {
  const promises: Record<string, unknown> = Object(fs.promises);
  const whole = { ...promises };
  const fails = (path: unknown): boolean => paths.test(normalizeSlashes(String(path)));
  for (const name of WRITING) {
    const real = whole[name];
    if (typeof real !== "function") continue;
    promises[name] = async (...args: readonly unknown[]) => {
      if (args.slice(0, 2).some((arg) => typeof arg === "string" && fails(arg))) throw failure(fault);
      return Reflect.apply(real, fs.promises, args);
    };
  }
  const open = fs.promises.open;
  promises.open = async (path: string, flags?: string | number, mode?: number) => {
    const writes = typeof flags === "number" ? (flags & 3) !== 0 : flags !== undefined && flags !== "r";
    if (!writes || !fails(path)) return Reflect.apply(open, fs.promises, [path, flags, mode]);
    if (fault === "EACCES" || fault === "EROFS") throw failure(fault);
    const handle = await Reflect.apply(open, fs.promises, [path, flags, mode]);
    return brokenHandle(handle, fault, isFaulty);
  };
  syncBuiltinESMExports();
  try {
    return await act();
  } finally {
    Object.assign(promises, whole);
    syncBuiltinESMExports();
  }
}

/** Does something while files of this form can't be opened, as with a failing disk or too many open files. */
export async function whileUnreadable<T>(paths: RegExp, act: () => Promise<T>): Promise<T> {
  const real = fs.promises.open;
  const promises: Record<string, unknown> = Object(fs.promises);
  promises.open = async (path: string, flags?: string | number, mode?: number) => {
    if (paths.test(normalizeSlashes(path))) throw Object.assign(new Error("EIO: the disk fails"), { code: "EIO" });
    return Reflect.apply(real, fs.promises, [path, flags, mode]);
  };
  syncBuiltinESMExports();
  try {
    return await act();
  } finally {
    promises.open = real;
    syncBuiltinESMExports();
  }
}

/**
 * Does something as on Windows, where another program has files of this form open: as long as they are held, nothing is renamed over them.
 * Returns with the result how often that was tried.
 */
export async function whileOpenElsewhere<T>(
  paths: RegExp,
  act: () => Promise<T>,
  isHeld: (tries: number) => boolean = () => true,
): Promise<{ readonly result: T; readonly tries: number }> {
  const promises: Record<string, unknown> = Object(fs.promises);
  const [real, realSync, platform] = [fs.promises.rename, fs.renameSync, process.platform];
  let tries = 0;
  const check = (to: string): void => {
    if (paths.test(to) && fs.existsSync(to) && isHeld(++tries))
      throw Object.assign(new Error("EPERM: not permitted"), { code: "EPERM" });
  };
  promises.rename = async (from: string, to: string) => {
    check(to);
    return Reflect.apply(real, fs.promises, [from, to]);
  };
  fs.renameSync = (from, to) => {
    check(String(to));
    realSync(from, to);
  };
  Object.defineProperty(process, "platform", { value: "win32" });
  syncBuiltinESMExports();
  try {
    return { result: await act(), tries };
  } finally {
    promises.rename = real;
    fs.renameSync = realSync;
    Object.defineProperty(process, "platform", { value: platform });
    syncBuiltinESMExports();
  }
}

/** An open file to which nothing more can be written, or only half of it. */
function brokenHandle(
  handle: fs.promises.FileHandle,
  fault: DiskFault,
  isFaulty: () => boolean,
): fs.promises.FileHandle {
  const write = async (data: string | Uint8Array): Promise<unknown> => {
    if (!isFaulty()) return Reflect.apply(realWrite, handle, [data]);
    const bytes = Buffer.from(data);
    if (fault === "torn") await Reflect.apply(realWrite, handle, [bytes.subarray(0, bytes.length / 2)]);
    throw failure(fault);
  };
  const realWrite = handle.write;
  Object.assign(handle, { write, writeFile: write, appendFile: write });
  return handle;
}

function failure(fault: DiskFault): Error {
  const code = fault === "torn" ? "ENOSPC" : fault;
  return Object.assign(new Error(`${code}: the disk does not take it`), { code });
}
