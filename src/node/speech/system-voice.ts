import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";
import { createEnvironmentOutside } from "../processes/program-versions.ts";
import { findOnPath, findWindowsPowerShell } from "../processes/programs.ts";

/** A program with its arguments. The text or file comes as its input, or as its last argument. */
interface SoundProgram {
  readonly names: readonly string[];
  readonly args: readonly string[];
  readonly takes: "input" | "argument";
}

/** Programs that read a text aloud, best first. */
const VOICES: Readonly<Partial<Record<NodeJS.Platform, readonly SoundProgram[]>>> = {
  darwin: [{ names: ["say"], args: ["-f", "-"], takes: "input" }],
  linux: [
    { names: ["espeak-ng", "espeak"], args: ["--stdin"], takes: "input" },
    { names: ["spd-say"], args: ["--wait", "--"], takes: "argument" },
  ],
};

/** Programs that play a sound file, best first. */
const PLAYERS: Readonly<Partial<Record<NodeJS.Platform, readonly SoundProgram[]>>> = {
  darwin: [{ names: ["afplay"], args: [], takes: "argument" }],
  linux: [
    { names: ["paplay"], args: [], takes: "argument" },
    { names: ["aplay"], args: ["-q"], takes: "argument" },
    { names: ["ffplay"], args: ["-nodisp", "-autoexit", "-loglevel", "quiet"], takes: "argument" },
  ],
};

const POWERSHELL_SPEAKS =
  "Add-Type -AssemblyName System.Speech; [Console]::InputEncoding = [Text.Encoding]::UTF8; (New-Object System.Speech.Synthesis.SpeechSynthesizer).Speak([Console]::In.ReadToEnd())";
const POWERSHELL_PLAYS =
  "[Console]::InputEncoding = [Text.Encoding]::UTF8; (New-Object System.Media.SoundPlayer ([Console]::In.ReadToEnd())).PlaySync()";

/** Where to search for programs. Nothing below the folders is run. */
export interface SoundPlace {
  readonly folders: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

/** Reads a text aloud, or plays a sound; resolves at its end. */
type Sound<Value> = (value: Value, signal: AbortSignal) => Promise<void>;

/** The system's own voice; undefined if no such program is installed. */
export function findSystemVoice(place: SoundPlace): Sound<string> | undefined {
  return findSound(place, VOICES, POWERSHELL_SPEAKS);
}

/** Plays the bytes of a WAV file; undefined if no program for that is installed. */
export function findSoundPlayer(place: SoundPlace): Sound<Uint8Array> | undefined {
  const play = findSound(place, PLAYERS, POWERSHELL_PLAYS);
  return (
    play &&
    (async (bytes, signal) => {
      const folder = await mkdtemp(join(tmpdir(), "autogpt-speech-"));
      try {
        const file = join(folder, "speech.wav");
        await writeFile(file, bytes, { mode: 0o600 });
        await play(file, signal);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    })
  );
}

function findSound(
  { folders, env = process.env, platform = process.platform }: SoundPlace,
  programs: typeof VOICES,
  powerShell: string,
): Sound<string> | undefined {
  const outside = createEnvironmentOutside(folders, env);
  if (platform === "win32") {
    // Version 7 has no speech.
    const { path, createArgs } = findWindowsPowerShell(env);
    return (text, signal) => playSound({ path, args: createArgs(powerShell), input: text, env: outside }, signal);
  }
  for (const { names, args, takes } of programs[platform] ?? []) {
    const path = findOnPath(names, outside, platform);
    if (path === undefined) continue;
    return (text, signal) =>
      playSound(
        takes === "input"
          ? { path, args, input: text, env: outside }
          : { path, args: [...args, text], input: "", env: outside },
        signal,
      );
  }
  return undefined;
}

interface SoundProcess {
  readonly path: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a program to its end. It works in the root folder, and its output is dropped. */
function playSound({ path, args, input, env }: SoundProcess, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, {
      cwd: parse(path).root,
      env,
      signal,
      killSignal: "SIGKILL",
      stdio: ["pipe", "ignore", "ignore"],
      windowsHide: true,
    });
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${path} ended with ${code ?? "a signal"}`)),
    );
    // A program that ends early doesn't read its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
