import { displayText } from "../../texts/display-text.ts";
import { isLiteral } from "../shell/reading.ts";
import { type Check, either, exactly, subcommands, takes } from "./check.ts";

/** Tools with the arguments that show their version. Tools that a workspace file can redirect are left out. */
export const VERSIONS: Readonly<Record<string, Check>> = Object.fromEntries(
  [
    [
      "--version",
      "python python2 python3 ruby cmake ninja podman deno bun vim emacs nano curl wget screen jq rg fd bash zsh sqlite3 psql mysql pandoc code aws ghc zig nim gh c++ cc clang++",
    ],
    ["--version -V", "python python3 tmux ssh"],
    ["--version -v", "node make gcc g++ clang tsc php perl"],
    ["--version -version", "java javac"],
    ["version", "go openssl terraform"],
    ["--version -version version", "docker-compose"],
  ].flatMap(([ways = "", names = ""]) => names.split(" ").map((name) => [name, exactly(...ways.split(" "))])),
);

const NPM = subcommands({
  "--version": exactly(""),
  "-v": exactly(""),
  version: exactly(""),
  ls: lists(),
  list: lists(),
  ll: lists(),
  explain: exactly("*"),
  why: exactly("*"),
  root: exactly("", "-g"),
  prefix: exactly("", "-g"),
  run: exactly(""),
  "run-script": exactly(""),
});

function lists(): Check {
  return takes(
    "-a -g -l --all --global --long --json --parseable --prod --production --omit= --depth= --link --dev",
    { operands: "text" },
  );
}

const PIP = subcommands({
  "--version": exactly(""),
  "-V": exactly(""),
  list: takes(
    "-e -l --format= --editable --local --user --not-required --exclude= --disable-pip-version-check",
    { operands: "none" },
  ),
  show: takes("-f --files --verbose", { operands: "text" }),
  freeze: takes("-l --local --user --all --exclude-editable", { operands: "none" }),
  check: exactly(""),
});

const DOCKER = either(
  exactly("--version", "-v"),
  subcommands({
    ps: takes("-a -q -n: -l -s -f: --all --quiet --no-trunc --format= --filter= --size", {
      operands: "none",
    }),
    images: takes("-a -q -f: --all --quiet --no-trunc --format= --filter= --digests", { operands: "text" }),
    version: exactly(""),
  }),
);

/** Development tools, with the arguments that only show information. */
export const PROGRAMS: Readonly<Record<string, Check>> = {
  npm: NPM,
  pip: PIP,
  pip3: PIP,
  docker: DOCKER,
  go: exactly("version", "env", "env *"),
  kubectl: exactly("version --client"),
  tar: (args) =>
    args.some(({ text }) => text.includes(":")) ? displayText("safety.line.mayContactMachine") : TAR(args),
  unzip: (args) =>
    /^-[lvZ1]+$/.test(args[0]?.text ?? "")
      ? takes("-l -v -Z -1", { operands: "names" })(args)
      : displayText("safety.line.mayUnpack"),
  zipinfo: takes("-1 -s -m -l -v -h -t -z", { operands: "names" }),
  gzip: (args) =>
    /^(-l|--list)$/.test(args[0]?.text ?? "")
      ? takes("-l --list -v", { operands: "names" })(args)
      : displayText("safety.line.mayCompress"),
};

/** Listing an archive, in the old way without a dash or with one. */
const TAR: Check = (args) => {
  const [mode, ...files] = args;
  if (!mode || !/^-?[tvzjJf]+$/.test(mode.text) || !mode.text.includes("t") || !mode.text.endsWith("f"))
    return displayText("safety.line.notOnlyListing");
  if (files.some((word) => word.text.startsWith("-") || !isLiteral(word)))
    return displayText("safety.line.unknownFlags");
  return files.slice(0, 1).map((word) => ({ word, reveals: false }));
};
