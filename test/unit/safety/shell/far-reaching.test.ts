import assert from "node:assert/strict";
import { readRules } from "../../../../src/safety/policy/rules.ts";
import { judged } from "../readers.ts";
import { CONTINUOUS, runs } from "../support.ts";

const FAR = [
  "printenv",
  "env",
  "env | sort",
  "set",
  "declare -x",
  "export -p",
  "ps eww",
  "cat /proc/self/environ",
  "strings /proc/1/environ",
  "git credential fill",
  "git config --get-all http.extraheader",
  "git config core.hooksPath evil",
  "git config --global alias.x '!evil'",
  "git config --add core.x y",
  "git -c core.hooksPath=x commit -m y",
  "gh auth token",
  "gpg --export-secret-keys",
  "security find-generic-password -w x",
  "aws configure get aws_secret_access_key",
  "kubectl config view --raw",
  "npm pkg set scripts.postinstall=evil",
  "npm config set script-shell evil",
  "pip config set global.index-url x",
  "code --install-extension x",
  "at now < x",
  "crontab x",
  "systemctl --user enable x",
  "sudo ls",
  "bash -c 'sudo ls'",
  "su -c ls",
  "chmod u+s x",
  "chmod 4755 x",
  "docker run -v $HOME:/h x",
];

const NEAR = [
  "npm test",
  "env NODE_ENV=test npm test",
  "set -e",
  "export A=b",
  "git config user.name",
  "git config --get core.editor",
  "git commit -m 'config a b'",
  "ps aux",
  "gpg --verify x",
  "kubectl get pods",
  "npm config get registry",
  "chmod +x build.sh",
  "chmod 755 build.sh",
  "docker run alpine true",
  "make set",
  "ls; make",
];

describe("lines that reach beyond the workspace without naming a file", () => {
  it("ask in continuous mode and under a grant", async () => {
    const rows = await Promise.all(
      FAR.map(async (line) => [line, await judged(runs(line), { ...CONTINUOUS, grantLeft: 3 })] as const),
    );
    assert.deepEqual(
      rows.filter(([, verdict]) => !/^ask (?:far-reaching|unreadable-line|sensitive-file)$/.test(verdict)),
      [],
    );
  });

  it("are distinguished from everyday work", async () => {
    const rows = await Promise.all(NEAR.map(async (line) => [line, await judged(runs(line), CONTINUOUS)] as const));
    assert.deepEqual(
      rows.filter(([, verdict]) => verdict !== "allow continuous"),
      [],
    );
  });

  it("run where the user's own rule allows them", async () => {
    const rules = readRules([{ command: "execute_shell", prefix: "sudo apt", action: "allow" }]);
    assert.equal(await judged(runs("sudo apt update"), { rules }), "allow approval.rules[0]");
  });
});
