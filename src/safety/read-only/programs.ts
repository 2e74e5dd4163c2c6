import { displayText } from "../../texts/display-text.ts";
import { isLiteral } from "../shell/reading.ts";
import { type Check, createEitherCheck, createExactCheck, createFlagCheck, createSubcommandCheck } from "./check.ts";

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
  ].flatMap(([ways = "", names = ""]) => names.split(" ").map((name) => [name, createExactCheck(...ways.split(" "))])),
);

const NPM = createSubcommandCheck({
  "--version": createExactCheck(""),
  "-v": createExactCheck(""),
  version: createExactCheck(""),
  ls: createListCheck(),
  list: createListCheck(),
  ll: createListCheck(),
  explain: createExactCheck("*"),
  why: createExactCheck("*"),
  root: createExactCheck("", "-g"),
  prefix: createExactCheck("", "-g"),
  run: createExactCheck(""),
  "run-script": createExactCheck(""),
});

function createListCheck(): Check {
  return createFlagCheck(
    "-a -g -l --all --global --long --json --parseable --prod --production --omit= --depth= --link --dev",
    { operands: "text" },
  );
}

const PIP = createSubcommandCheck({
  "--version": createExactCheck(""),
  "-V": createExactCheck(""),
  list: createFlagCheck(
    "-e -l --format= --editable --local --user --not-required --exclude= --disable-pip-version-check",
    { operands: "none" },
  ),
  show: createFlagCheck("-f --files --verbose", { operands: "text" }),
  freeze: createFlagCheck("-l --local --user --all --exclude-editable", { operands: "none" }),
  check: createExactCheck(""),
});

const DOCKER = createEitherCheck(
  createExactCheck("--version", "-v"),
  createSubcommandCheck({
    ps: createFlagCheck("-a -q -n: -l -s -f: --all --quiet --no-trunc --format= --filter= --size", {
      operands: "none",
    }),
    images: createFlagCheck("-a -q -f: --all --quiet --no-trunc --format= --filter= --digests", {
      operands: "text",
    }),
    version: createExactCheck(""),
  }),
);

/** Development tools, with the arguments that only show information. */
export const PROGRAMS: Readonly<Record<string, Check>> = {
  npm: NPM,
  pip: PIP,
  pip3: PIP,
  docker: DOCKER,
  go: createExactCheck("version", "env", "env *"),
  kubectl: createExactCheck("version --client"),
  tar: (args) =>
    args.some(({ text }) => text.includes(":")) ? displayText("safety.line.mayContactMachine") : checkTar(args),
  unzip: (args) =>
    /^-[lvZ1]+$/.test(args[0]?.text ?? "")
      ? createFlagCheck("-l -v -Z -1", { operands: "names" })(args)
      : displayText("safety.line.mayUnpack"),
  zipinfo: createFlagCheck("-1 -s -m -l -v -h -t -z", { operands: "names" }),
  gzip: (args) =>
    /^(-l|--list)$/.test(args[0]?.text ?? "")
      ? createFlagCheck("-l --list -v", { operands: "names" })(args)
      : displayText("safety.line.mayCompress"),
};

/** Allows listing an archive, in the old way without a dash or with one. */
const checkTar: Check = (args) => {
  const [mode, ...files] = args;
  if (!mode || !/^-?[tvzjJf]+$/.test(mode.text) || !mode.text.includes("t") || !mode.text.endsWith("f"))
    return displayText("safety.line.notOnlyListing");
  if (files.some((word) => word.text.startsWith("-") || !isLiteral(word)))
    return displayText("safety.line.unknownFlags");
  return files.slice(0, 1).map((word) => ({ word, reveals: false }));
};
