import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { findOnPath } from "../../src/node/processes/programs.ts";

const CACHE = fileURLToPath(new URL("../../.cache/", import.meta.url));
const PATHS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Turns a folder into the root of a system, as a container does, and runs a program there. */
const ENTER = `
set -e
root=$1 user=$2 folder=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mkdir -p .outside
mount -t proc proc proc
mount --rbind /dev dev
pivot_root . .outside
umount -l /.outside
cd "$folder"
if [ "$user" = 0 ]; then exec "$@"; fi
exec setpriv --pdeathsig KILL --reuid "$user" --regid "$user" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
`;

/** An instruction of a Dockerfile, such as `RUN`, and what follows it on its lines. */
interface ImageStep {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile in their order. */
export function readDockerfile(path: string): readonly ImageStep[] {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join("\n")
    .replace(/\\\n/g, " ")
    .split("\n")
    .map((line) => {
      const [, name = "", text = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      return { name: name.toUpperCase(), text: text.trim() };
    });
}

/** Why no image can be built here, as a sentence; undefined if one can. */
export function explainNoImage(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "Building an image by hand needs root on Linux.";
  const missing = ["debootstrap", "unshare", "setpriv", "tar"].find(
    (program) => spawnSync(program, ["--version"]).error !== undefined,
  );
  return missing === undefined ? undefined : `Building an image by hand needs ${missing}.`;
}

/** A system that was built as a Dockerfile says, in a folder of its own, without Docker. */
export class DeployedImage {
  /** The folder that is its root. */
  readonly root: string;
  private user = "0";
  private folder = "/";
  private readonly variables: Record<string, string> = { PATH: PATHS, HOME: "/root" };
  private entry: readonly string[] = [];

  private constructor(root: string) {
    this.root = root;
  }

  /** Runs the instructions of a Dockerfile, in which only what ours uses is known. `context`: the folder that it copies from. */
  static async build(dockerfile: string, context: string): Promise<DeployedImage> {
    const image = new DeployedImage(await mkdtemp("/tmp/autogpt-image-"));
    for (const { name, text } of readDockerfile(dockerfile)) await image.carryOut(name, text, context);
    return image;
  }

  private async carryOut(name: string, text: string, context: string): Promise<void> {
    switch (name) {
      case "FROM":
        return this.begin(text);
      case "RUN":
        return this.call(["sh", "-c", text]);
      case "WORKDIR":
        this.folder = text;
        await mkdir(join(this.root, text), { recursive: true });
        return;
      case "COPY": {
        const [from = "", to = ""] = text.split(/\s+/);
        if (to !== "./") throw new Error(`COPY to ${to} isn't known here.`);
        return cp(join(context, from), join(this.root, this.folder, from), { recursive: true });
      }
      case "USER":
        [this.user = ""] = text.split(":");
        this.variables.HOME = "/home/autogpt";
        return;
      case "ENV":
        for (const [, key = "", value = ""] of text.matchAll(/(\w+)=(\S*)/g)) this.variables[key] = value;
        return;
      case "ENTRYPOINT":
        this.entry = JSON.parse(text);
        return;
      case "VOLUME":
      case "CMD":
        return;
      default:
        throw new Error(`${name} isn't known here.`);
    }
  }

  /** Debian's smallest system with Node and npm, as the image that is named has them. */
  private async begin(text: string): Promise<void> {
    const [, version, suite] = /^node:([\d.]+)-(\w+)-slim$/.exec(text) ?? [];
    if (version === undefined || suite === undefined) throw new Error(`${text} isn't known here.`);
    if (process.versions.node !== version) throw new Error(`The tests run on Node ${process.versions.node}.`);
    const archive = join(CACHE, `debian-${suite}.tar`);
    await mkdir(CACHE, { recursive: true });
    if (!existsSync(archive)) run("debootstrap", "--variant=minbase", suite, this.root, "http://deb.debian.org/debian");
    if (!existsSync(archive)) run("tar", "-C", this.root, "-cf", archive, ".");
    else run("tar", "-C", this.root, "-xf", archive);
    await chmod(this.root, 0o755);
    await cp("/etc/resolv.conf", join(this.root, "etc/resolv.conf"), { dereference: true });
    await cp(process.execPath, join(this.root, "usr/local/bin/node"), { dereference: true });
    const npm = dirname(dirname(realpathSync(findOnPath(["npm"]) ?? "npm")));
    await cp(npm, join(this.root, "usr/local/lib/npm"), { recursive: true, dereference: true });
    run("ln", "-s", "../lib/npm/bin/npm-cli.js", join(this.root, "usr/local/bin/npm"));
    await this.useRegistry();
  }

  /** The registry and the certificates of this machine, which aren't part of the image. */
  private async useRegistry(): Promise<void> {
    const certificates = process.env.NODE_EXTRA_CA_CERTS;
    this.variables.npm_config_registry = run("npm", "config", "get", "registry").trim();
    if (certificates === undefined) return;
    await cp(certificates, join(this.root, "etc/outside.crt"), { dereference: true });
    this.variables.NODE_EXTRA_CA_CERTS = "/etc/outside.crt";
  }

  private call(words: readonly string[]): void {
    const { status, stderr } = spawnSync("unshare", this.enter(words), { encoding: "utf8", env: this.variables });
    if (status !== 0) throw new Error(`${words.join(" ")}: ${stderr.slice(-2000)}`);
  }

  private enter(words: readonly string[]): readonly string[] {
    const place = [this.root, this.user, this.folder];
    return ["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "enter", ...place, ...words];
  }

  /** Runs a line in its shell, and gives what it printed. */
  read(line: string): string {
    const { stdout, stderr, status } = spawnSync("unshare", this.enter(["sh", "-c", line]), {
      encoding: "utf8",
      env: this.variables,
    });
    return status === 0 ? stdout.trim() : `${status}: ${stderr.trim()}`;
  }

  /** Puts a file of this machine into it, as a volume would. */
  async share(path: string, at: string): Promise<void> {
    await cp(path, join(this.root, at), { recursive: true });
  }

  /** Starts it with further arguments and variables. It sees the network of this machine. */
  start(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcessByStdio<null, Readable, Readable> {
    return spawn("unshare", this.enter([...this.entry, ...args]), {
      env: { ...this.variables, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 100_000_000 });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr.slice(-2000)}`);
  return stdout;
}
