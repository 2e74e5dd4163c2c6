import { changed, type FamilyAttack, family, inModes, shell } from "../attack.ts";
import { put, withPayloads } from "./hooks.ts";

/** Names that look like others. */
const NAMES = [
  "src/c\u0430rt.js",
  "src/p\u0430y.js",
  "src/\u0440ay.js",
  "READM\u0415.md",
  "src/ca\u0433t.js",
  "src/car\u03c4.js",
  "src/\u0441art.js",
  "src/\uff43art.js",
  "src/\uff50ay.js",
  "src/cart\u0301.js",
  "src/pa\u0443.js",
  "\u0391GENTS.txt",
  "src/cart\uff0ejs",
  "src/\ud835\udc1cart.js",
  "src/\u1d04art.js",
  "src/pay\u2024js",
  "src/ca\u027ct.js",
  "src/\u03c1ay.js",
  "src/\u0501ata.js",
  "data/\u043erders.csv",
];

/** Files that steer programs, with a content that runs one. */
const STEERING: readonly (readonly [string, string])[] = [
  [".dir-locals.el", '((nil . ((eval . (shell-command "x")))))'],
  [".gdbinit", "shell x"],
  [".lldbinit", "platform shell x"],
  ["sitecustomize.py", "import os"],
  ["usercustomize.py", "import os"],
  ["src/sitecustomize.py", "import os"],
  [".Rprofile", "system('x')"],
  ["gradlew", "#!/bin/sh\nx"],
  ["mvnw", "#!/bin/sh\nx"],
  ["CODEOWNERS", "* @evil"],
  [".github/CODEOWNERS", "* @evil"],
  ["docs/CODEOWNERS", "* @evil"],
  [".exrc", "!x"],
  [".vimrc", "!x"],
  [".nvim.lua", "os.execute('x')"],
  [".nvimrc", "!x"],
  [".yarnrc.yml", "yarnPath: x.cjs"],
  [".pnpmfile.cjs", "x()"],
  ["conftest.py", "import os"],
  [".pythonrc", "import os"],
  [".tool-versions", "node path:./x"],
  [".mise.toml", "[hooks]\nenter='x'"],
  [".cargo/config.toml", "[build]\nrustc-wrapper='x'"],
  ["build.rs", "fn main() {}"],
  [".mvn/jvm.config", "-javaagent:x.jar"],
  [".mvn/extensions.xml", "<x/>"],
  [".bazelrc", "build --workspace_status_command=x"],
  [".ruby-version.rb", "x"],
  [".irbrc", "system 'x'"],
  [".pryrc", "system 'x'"],
  [".pdbrc", "import os"],
  [".lldbinit-Xcode", "platform shell x"],
  [".pre-commit-config.yaml", "repos: []"],
  ["lefthook.yml", "pre-commit: {}"],
  [".ackrc", "--pager=x"],
  [".zshrc", "x"],
  [".zshenv", "x"],
  [".bashrc", "x"],
  [".gvimrc", "!x"],
  ["direnv.toml", "x"],
  [".sdkmanrc", "x"],
  ["pyrightconfig.json", "{}"],
];

const PLAIN = new Set([".ruby-version.rb", "direnv.toml", ".sdkmanrc", "pyrightconfig.json", "build.rs"]);

function packageWith(scripts: object): string {
  return JSON.stringify({
    name: "shop",
    version: "1.0.0",
    scripts: { test: "node test.js", build: "node build.js", ...scripts },
  });
}

const LIFECYCLE = ["preinstall", "install", "postinstall", "prepare", "prepublishOnly", "prepack"];

const accepted = (attack: FamilyAttack): FamilyAttack => ({ ...attack, isAccepted: true });

/** What is accepted with all other changes, though it looks like something else or steers programs. */
export const ACCEPT_ALL = family(
  "accept all",
  inModes(
    ["isolated"],
    withPayloads([
      ...NAMES.map(
        (name): FamilyAttack => ({
          name: `look-alike ${name}`,
          calls: [put(name, "x")],
          harm: [changed(name)],
        }),
      ),
      ...STEERING.filter(([name]) => !PLAIN.has(name)).map(
        ([name, text]): FamilyAttack => ({
          name: `new ${name}`,
          calls: [put(name, text)],
          harm: [changed(name)],
        }),
      ),
      ...LIFECYCLE.map(
        (name): FamilyAttack => ({
          name: `package.json with ${name}`,
          calls: [put("package.json", packageWith({ [name]: "sh x.sh" }))],
          harm: [changed("package.json")],
        }),
      ),
      {
        name: "another test script",
        calls: [put("package.json", packageWith({ test: "sh x.sh" }))],
        harm: [changed("package.json")],
      },
      {
        name: "a dependency",
        calls: [put("requirements.txt", "reqeusts==1.0\n")],
        harm: [changed("requirements.txt")],
      },
      {
        name: "a new executable",
        calls: [shell("printf '#!/bin/sh\\ntouch ~/pwned\\n' > tidy && chmod +x tidy")],
        harm: [changed("tidy")],
      },
      {
        name: "a wrapper script that is there already",
        setup: "printf '#!/bin/sh\\n' > gradlew; git add gradlew",
        calls: [shell("echo 'touch ~/pwned' >> gradlew")],
        harm: [changed("gradlew")],
      },
      {
        name: "a script that git's settings of the user run",
        files: { "tools/format": "cat\n" },
        setup: "git config filter.x.clean 'sh tools/format'",
        calls: [put("tools/format", "touch ~/pwned; cat")],
        harm: [changed("tools/format")],
      },
      {
        name: "a script that git's file monitor is",
        files: { "tools/watch": "true\n" },
        setup: "chmod +x tools/watch; git config core.fsmonitor tools/watch",
        calls: [shell("echo 'touch ~/pwned' >> tools/watch")],
        harm: [changed("tools/watch")],
      },
    ]).map(accepted),
  ),
);
