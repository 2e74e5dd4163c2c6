import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findOnPath } from "../../src/node/processes/programs.ts";
import { freePort } from "./free-port.ts";
import { useModels } from "./local-machine.ts";

const CACHE = fileURLToPath(new URL("../../.cache/openssh/", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../dist-cli/", import.meta.url));
const PACKAGES = ["openssh-server", "libwrap0"];

/** Another user of this system with another home, who can be reached by a real OpenSSH server on a loopback port. */
export interface SshMachine {
  /** Its name in the configuration. */
  readonly host: string;
  /** A configuration of ssh that knows it. */
  readonly config: string;
  readonly home: string;
  /** The data folder of its user. */
  readonly data: string;
  /** Runs a line there, without the product. */
  run(line: string): string;
  /** Puts the built program there. */
  installProgram(): Promise<void>;
  /** Writes down which models its runs use. */
  useModels(baseUrl: string): Promise<void>;
  /** Gives its data folder a small disk of its own, until the result is called. */
  limitDisk(bytes: number): Promise<() => Promise<void>>;
  fillDisk(): Promise<void>;
  freeDisk(): Promise<void>;
  /** Ends all connections; `isBack`: new ones are possible. */
  cut(isBack: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Why there can be no such machine here, as a sentence; undefined if there can. */
export function explainNoSsh(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "A second user needs root on Linux.";
  if (findServer() === undefined) return "OpenSSH's server can't be had from Debian's packages here.";
  return undefined;
}

function findServer(): string | undefined {
  const own = join(CACHE, "usr/sbin/sshd");
  if (existsSync(own)) return own;
  spawnSync("mkdir", ["-p", CACHE]);
  for (const name of PACKAGES) spawnSync("apt-get", ["download", name], { cwd: CACHE });
  for (const file of globSync("*.deb", { cwd: CACHE })) spawnSync("dpkg", ["-x", file, "."], { cwd: CACHE });
  return existsSync(own) ? own : undefined;
}

function call(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr}`);
  return stdout;
}

export async function startSshMachine(): Promise<SshMachine> {
  const why = explainNoSsh();
  if (why !== undefined) throw new Error(why);
  const user = `agt${randomBytes(4).toString("hex")}`;
  const place = await mkdtemp("/tmp/autogpt-ssh-");
  const home = join(place, "home");
  await chmod(place, 0o755);
  await mkdir(join(home, ".local/bin"), { recursive: true });
  call("useradd", "--no-create-home", "--home-dir", home, "--shell", "/bin/bash", "--password", "*", user);
  // It stays, because another test may have its server now.
  if (spawnSync("id", ["sshd"]).status !== 0)
    call("useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", "sshd");
  await mkdir("/run/sshd", { recursive: true });
  for (const name of ["host", "user"]) call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", join(place, name));
  await cp(join(place, "user.pub"), join(place, "authorized"));
  await chmod(join(place, "authorized"), 0o644);
  const port = await freePort();
  const server = [
    ...[`Port ${port}`, "ListenAddress 127.0.0.1", `HostKey ${place}/host`, `AuthorizedKeysFile ${place}/authorized`],
    ...["UsePAM no", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "StrictModes no"],
    ...["PermitRootLogin no", "PidFile none", "MaxStartups 100", "UseDNS no"],
  ];
  await writeFile(join(place, "sshd_config"), `${server.join("\n")}\n`);
  const [type = "", key = ""] = call("cat", join(place, "host.pub")).split(" ");
  await writeFile(join(place, "known"), `[127.0.0.1]:${port} ${type} ${key}\n`);
  const config = join(place, "config");
  const client = [
    ...["Host box", "  HostName 127.0.0.1", `  Port ${port}`, `  User ${user}`, `  IdentityFile ${place}/user`],
    ...["  IdentitiesOnly yes", `  UserKnownHostsFile ${place}/known`, "  StrictHostKeyChecking yes"],
  ];
  await writeFile(config, `${client.join("\n")}\n`);
  for (const name of ["node", "bwrap", "git"]) {
    const path = name === "node" ? process.execPath : findOnPath([name]);
    if (path !== undefined) await symlink(path, join(home, ".local/bin", name));
  }
  call("chown", "-R", `${user}:`, home);
  let child = startServer(place);
  await waitForPort(port);
  const data = join(home, ".local/share/autogpt");
  return {
    host: "box",
    config,
    home,
    data,
    run: (line) => call("ssh", "-F", config, "box", line),
    installProgram: async () => {
      await mkdir(data, { recursive: true });
      await cp(PROGRAM, join(data, "program"), { recursive: true });
      call("chown", "-R", `${user}:`, join(home, ".local"));
    },
    useModels: async (baseUrl) => {
      await useModels(data, baseUrl);
      call("chown", "-R", `${user}:`, join(home, ".local"));
    },
    limitDisk: async (bytes) => {
      await rm(data, { recursive: true, force: true });
      await mkdir(data, { recursive: true });
      call("mount", "-t", "tmpfs", "-o", `size=${bytes},mode=0700,uid=${call("id", "-u", user).trim()}`, "tmpfs", data);
      return async () => {
        endProcesses(user);
        call("umount", "--lazy", data);
      };
    },
    fillDisk: async () => void spawnSync("dd", ["if=/dev/zero", `of=${join(data, "fill")}`, "bs=4k"]),
    freeDisk: () => rm(join(data, "fill")),
    cut: async (isBack) => {
      endServer(child.pid);
      if (!isBack) return;
      child = startServer(place);
      await waitForPort(port);
    },
    stop: async () => {
      endServer(child.pid);
      endProcesses(user);
      spawnSync("userdel", ["--force", user]);
      await rm(place, { recursive: true, force: true });
    },
  };
}

function startServer(place: string) {
  const env = { ...process.env, LD_LIBRARY_PATH: join(CACHE, "usr/lib/x86_64-linux-gnu") };
  const child = spawn(join(CACHE, "usr/sbin/sshd"), ["-D", "-e", "-f", join(place, "sshd_config")], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.on("data", (text) => process.env.SSHD_LOG && process.stderr.write(text));
  return child;
}

/** Ends a server with its connections; what users have started goes on. */
function endServer(server: number | undefined): void {
  const all = listProcesses();
  const listBelow = (parent: number): readonly number[] =>
    all.filter((one) => one.parent === parent).flatMap(({ pid }) => [pid, ...listBelow(pid)]);
  if (server !== undefined) for (const pid of [server, ...listBelow(server)]) kill(pid);
}

/** Ends what a user has started. */
function endProcesses(user: string): void {
  const uid = Number(call("id", "-u", user));
  for (const one of listProcesses()) if (one.uid === uid) kill(one.pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

function listProcesses(): readonly { readonly pid: number; readonly parent: number; readonly uid: number }[] {
  return globSync("/proc/[0-9]*/status").flatMap((path) => {
    const text = readStatus(path);
    const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? -1);
    return text === "" ? [] : [{ pid: read("Pid"), parent: read("PPid"), uid: read("Uid") }];
  });
}

function readStatus(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

async function waitForPort(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("OpenSSH's server doesn't answer.");
}
