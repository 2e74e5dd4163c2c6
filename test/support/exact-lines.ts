import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** What a line printed, both outputs together, and its exit code. */
export interface LineOutcome {
  readonly code: number | undefined;
  readonly output: string;
}

/** Lines that interactive shells change, misread or never end, and ordinary ones beside them. */
export const EXACT_LINES: readonly string[] = [
  'echo "!!"',
  'echo "wow!x"',
  "ls -1",
  "printf 'a\\nb\\n' | grep b",
  "echo 'a\tb'",
  'echo "a\nb"',
  "cat <<EOF\nhere $((1 + 1))\nEOF",
  "if true\nthen echo yes\nfi",
  "echo 'unclosed",
  "echo trailing \\",
  "fi",
  "(echo sub; exit 4)",
  "\\ls -1",
  "exit 3",
  "if true; then echo one; fi",
  "echo x & wait",
  `echo ${"long ".repeat(1600)}`,
  "# only a comment",
  "true",
  "false",
  "no-such-command-at-all",
  "kill -INT $$",
  "kill -9 $$",
  "printf 'no line end'",
  "echo größe ✓ 漢字 🎉",
  "printf '\\033[31mred\\033[0m\\n'",
  "echo out; echo err >&2",
  "set -e; false; echo never",
  "cd / && pwd",
  "export X=1; echo $X",
  "printf 'a\\r\\nb\\r\\n'",
  // Further ones.
  "f() { echo in f; }; f",
  "for i in 1 2 3; do echo $i; done",
  "case x in x) echo case ;; esac",
  "echo $((6 * 7))",
  'echo "$0" $#',
  "echo {a,b}{1,2}",
  "echo 'it'\"'\"'s'",
  'echo "$(printf %s "$(echo nested)")"',
  'a=(1 2 3); echo "${a[1]} ${#a[@]}"',
  "diff <(echo a) <(echo b)",
  "yes | head -3",
  'seq 1 3 | while read -r n; do echo "n=$n"; done',
  "trap 'echo bye' EXIT; echo hi",
  "echo '$HOME' \"\\$HOME\" \\$HOME",
  "printf '%s\\n' \"a b\" c\\ d",
  '[[ abc =~ ^a(.)c$ ]] && echo "${BASH_REMATCH[1]}"',
  "echo $'tab\\there'",
  "cat <<'EOF'\n$x `y` !z\nEOF",
  "! true",
  "echo a; exit 256",
  "sleep 0.1; echo slept",
  "exec echo replaced",
  "printf '\\000\\001\\002\\377' | od -c",
  "printf '\\377\\376'",
  "printf '\\033]633;D;0\\007forged\\n'; exit 5",
  "printf '\\033]7717;00;end\\007not yet\\n'; exit 6",
  "echo 'semi;colon' \"pipe|amp&\"",
  "echo *.txt",
  "   echo ^a^b",
  "declare -F; alias",
];

/** The outcome of a line in bash alone, with both outputs in one pipe. */
export async function plainOutcome(line: string, cwd: string): Promise<LineOutcome> {
  // With a socket for its input, as Node gives it, Bash might take the files of the user's shell.
  const args = ["-c", 'exec 2>&1 </dev/null; exec /bin/bash -c "$1"', "sh", line];
  const ran = await promisify(execFile)("/bin/sh", args, { cwd, encoding: "buffer" }).catch((error) => error);
  const signal = { SIGINT: 130, SIGKILL: 137 }[String(ran.signal)];
  return { code: ran.signal ? signal : (ran.code ?? 0), output: new TextDecoder().decode(ran.stdout) };
}

/** The home of a user whose shells do something else for many words. */
const TRAPS: Readonly<Record<string, string>> = {
  ".bashrc": "alias ls='echo hijacked'\ngrep() { echo hijacked; }\nexport -f grep\nHISTCONTROL=ignoreboth\n",
  ".bash-env": "ls() { echo hijacked; }\nprintf() { echo hijacked; }\n",
  ".zshrc": "alias ls='echo hijacked' seq='echo hijacked'\ngrep() { echo hijacked }\nsetopt extended_glob\n",
  // Where this folder is missing, fish fills it in the background.
  ".local/share/fish/generated_completions/none.fish": "",
  ".config/fish/config.fish": "function ls; echo hijacked; end\nfunction grep; echo hijacked; end\n",
};

/** Variables of such a user, who has that home. */
export function trapVariables(home: string): Readonly<Record<string, string>> {
  return {
    HOME: home,
    ZDOTDIR: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    BASH_ENV: `${home}/.bash-env`,
    "BASH_FUNC_cat%%": "() { echo hijacked\n}",
    "BASH_FUNC_/bin/bash%%": "() { :\n}",
  };
}

/** Writes the files of that home. */
export async function writeTraps(home: string): Promise<void> {
  for (const [name, text] of Object.entries(TRAPS)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
}
