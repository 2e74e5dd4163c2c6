import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasSucceeded } from "../core/base/async.ts";
import { ignoreCodes } from "../disk/error-codes.ts";
import { readLinkedText } from "../disk/plain-file.ts";
import { findOnPath, findSystemProgram } from "../node/processes/programs.ts";
import { fail } from "../texts/display-text.ts";

/** The roles of a team: who may send tasks, and who may decide. */
export type SignatureRole = "submit" | "decide";

/** Files in the user's folder, in the formats of ssh-keygen. */
const SIGNERS = "allowed_signers";
const REVOKED = "revoked_signers";
/** A private key, or the public one of a key in the SSH agent. */
const SIGNING_KEY = "signing-key";

const KEYGEN_MS = 20_000;
const MOST_OUTPUT = 100_000;

/** Signs a text with the user's SSH key; undefined if there is none. Throws a sentence if it can't be used. */
export async function signWithSsh(data: string, role: SignatureRole, text: string): Promise<string | undefined> {
  const key = getPath(data, SIGNING_KEY);
  if (!(await hasSucceeded(access(key)))) return undefined;
  const { code, stdout, stderr } = await runKeygen(["-Y", "sign", "-q", "-f", key, "-n", getNamespace(role)], text);
  return code === 0 ? stdout : fail("fleet.notSigned", { path: key, why: stderr.trim() });
}

/** The result of checking who signed. */
export type SignatureCheck =
  /** Signatures aren't asked for on this machine. */
  { readonly kind: "unneeded" } | { readonly kind: "signed"; readonly by: string } | { readonly kind: "refused" };

/**
 * Checks a signature against the `allowed_signers` in the user's folder, if there is such a file. It names each signer's key, and with
 * `namespaces` the roles. Throws if the file can't be read, so that nothing counts then.
 */
export async function checkSshSignature(
  data: string,
  role: SignatureRole,
  { text, signature }: { readonly text: string; readonly signature?: string | undefined },
): Promise<SignatureCheck> {
  const signers = getPath(data, SIGNERS);
  if ((await readLines(signers)) === undefined) return { kind: "unneeded" };
  if (signature === undefined) return { kind: "refused" };
  const revoked = getPath(data, REVOKED);
  const place = await mkdtemp(join(tmpdir(), "autogpt-signature-"));
  try {
    const file = join(place, "signature");
    await writeFile(file, signature, { mode: 0o600 });
    const found = await runKeygen(["-Y", "find-principals", "-s", file, "-f", signers], "");
    const without = (await readLines(revoked)) === undefined ? [] : ["-r", revoked];
    // One key may have several lines, such as one for each role.
    for (const by of found.code === 0 ? new Set(found.stdout.split("\n").filter((name) => name !== "")) : []) {
      const given = ["-f", signers, "-I", by, "-n", getNamespace(role), "-s", file];
      const { code } = await runKeygen(["-Y", "verify", "-q", ...given, ...without], text);
      if (code === 0) return { kind: "signed", by };
    }
    return { kind: "refused" };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function getNamespace(role: SignatureRole): string {
  return `autogpt-${role}`;
}

function getPath(data: string, name: string): string {
  return join(data, "fleet", name);
}

/** The text of a file; undefined only if there is none. */
async function readLines(path: string): Promise<string | undefined> {
  return readLinkedText(path).catch(ignoreCodes("ENOENT"));
}

interface KeygenAnswer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs ssh-keygen, which never asks for a passphrase. */
async function runKeygen(args: readonly string[], input: string): Promise<KeygenAnswer> {
  const program = findSystemProgram("ssh-keygen") ?? findOnPath(["ssh-keygen"]) ?? fail("fleet.noKeygen");
  const env = { ...process.env, SSH_ASKPASS_REQUIRE: "never", LC_ALL: "C" };
  const child = spawn(program, args, {
    env,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
    detached: process.platform !== "win32",
    timeout: KEYGEN_MS,
  });
  const kept = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      kept[name] = (kept[name] + text).slice(0, MOST_OUTPUT);
    });
  child.stdin.on("error", () => undefined).end(input);
  const [code] = await once(child, "close");
  return { code, ...kept };
}
