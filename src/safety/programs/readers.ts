import { displayText } from "../../texts/display-text.ts";
import {
  type Check,
  createEitherCheck,
  createExactCheck,
  createFlagCheck,
  createSingleFlagsCheck,
  createSubcommandCheck,
} from "../read-only/check.ts";
import { parseArguments } from "../read-only/flags.ts";
import { isLiteral, isReason, UNKNOWN, type Word } from "../shell/reading.ts";
import type { ProgramFacts, Rows } from "./program.ts";

/** Checks by the names of programs, as in `indexByName`. */
type Checks = Readonly<Record<string, Check>>;

const CONTENTS = { operands: "contents" } as const;
const NAMES = { operands: "names" } as const;
const ONE = { operands: "contents", most: 1 } as const;

const PRINTED = createFlagCheck("*", { operands: "text" });

/** A word that looks like a flag is printed too. */
function checkPrint(args: readonly Word[]): ReturnType<Check> {
  return PRINTED(args.map((word) => (word.text.startsWith("-") ? { ...word, text: "_" } : word)));
}

/** With `-v`, and with `%n` in its format, `printf` assigns the variable that its arguments name, such as `PATH`. */
function mayAssign([format, ...values]: readonly Word[]): boolean {
  if (!format) return false;
  const isKnown = values.length === 0 || isLiteral(format);
  return format.text.startsWith("-") || !isKnown || /%[^a-zA-Z%]*[hjlLtzq]*n/.test(format.text.replaceAll("%%", ""));
}

const PROCESS_FIELDS = "(?:pid|ppid|pgid|user|uid|comm|cmd|args|stat|etime|lstart|time|tty|rss|vsz|%cpu|%mem|nlwp)=?";
const CHOSEN_PROCESSES = new RegExp(
  `^(?:-p [\\d,]{1,200}|-C [\\w.+-]{1,100})(?: -f| -o ${PROCESS_FIELDS}(?:,${PROCESS_FIELDS}){0,20})?$`,
);

/** Some processes. A bare `e` behind them would show their environments. */
function checkProcesses(args: readonly Word[]): ReturnType<Check> {
  const isKnown = args.every(isLiteral) && CHOSEN_PROCESSES.test(args.map(({ text }) => text).join(" "));
  return isKnown ? [] : displayText("safety.line.unknownArguments");
}

/** A pager prints the text of a pipe. For a file, the user's settings may make it run programs. */
function checkPager(args: readonly Word[], input?: "stream"): ReturnType<Check> {
  const isPiped = input === "stream" && args.every(({ text }) => /^-[eEFiINnqRrSsX]+$/.test(text));
  return isPiped ? [] : displayText("safety.line.mayStartPager");
}

/** Commands that show files or their properties, search them, and transform text and write only to their output. */
const FILES: Checks = {
  ls: createFlagCheck(
    "-a -A -b -B -c -C -d -f -F -g -G -h -H -i -I: -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T: -u -U -v -w: -x -X -Z -1 --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --classify? --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference --hide= --hyperlink? --indicator-style= --inode --ignore= --kibibytes --literal --numeric-uid-gid --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --width= --context *",
    { operands: "names" },
  ),
  cat: createFlagCheck(
    "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting *",
    CONTENTS,
  ),
  tac: createFlagCheck("-b -r -s: --before --regex --separator= *", CONTENTS),
  nl: createFlagCheck(
    "-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w: --body-numbering= --number-width= --number-format= *",
    CONTENTS,
  ),
  head: createFlagCheck(
    "-c: -n: -q -v -z -NUM --bytes= --lines= --quiet --silent --verbose --zero-terminated *",
    CONTENTS,
  ),
  tail: createFlagCheck(
    "-c: -n: -q -v -z -NUM --bytes= --lines= --quiet --silent --verbose --zero-terminated",
    CONTENTS,
  ),
  wc: createFlagCheck("-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total= *", NAMES),
  stat: createFlagCheck("-c: -f -L -t -x --format= --printf= --file-system --dereference --terse", NAMES),
  file: createFlagCheck(
    "-b -h -i -I -k -L -N -p -r -0 --brief --mime --mime-type --mime-encoding --no-dereference --dereference",
    NAMES,
  ),
  du: createFlagCheck(
    "-0 -a -b -B: -c -d: -D -h -H -k -l -L -m -P -s -S -t: -x --all --apparent-size --bytes --block-size= --total --max-depth= --human-readable --si --summarize --one-file-system --time? --threshold= --exclude= --separate-dirs *",
    NAMES,
  ),
  df: createFlagCheck(
    "-a -B: -h -H -i -k -l -P -t: -T -x: --all --block-size= --human-readable --si --inodes --local --portability --output? --type= --print-type --exclude-type= --total *",
    NAMES,
  ),
  tree: createSingleFlagsCheck(
    "L",
    createFlagCheck(
      "-a -d -f -i -I: -P: -L: -C -D -F -h -n -N -p -q -Q -r -s -S -t -u -U -v -g --dirsfirst --filesfirst --noreport --prune --gitignore --matchdirs --ignore-case --du --si --charset= --filelimit= --sort= --inodes --device",
      NAMES,
    ),
  ),
  readlink: createFlagCheck(
    "-e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline *",
    NAMES,
  ),
  realpath: createFlagCheck(
    "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --relative-to= --relative-base= --strip --zero *",
    NAMES,
  ),
  basename: createFlagCheck("-a -s: -z --multiple --suffix= --zero *", { operands: "text" }),
  dirname: createFlagCheck("-z --zero *", { operands: "text" }),
  pathchk: createFlagCheck("-p -P --portability *", { operands: "text" }),
  "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum": createFlagCheck(
    "-b -t -z --binary --tag --text --zero",
    NAMES,
  ),
  shasum: createFlagCheck("-a: -b -t -0 --algorithm= --binary --text", NAMES),
  md5: createFlagCheck("-q -r -n", NAMES),
  cksum: createFlagCheck("-a: --algorithm= --untagged", NAMES),
  sum: createFlagCheck("-r -s", NAMES),
  lsattr: createFlagCheck("-R -a -d -v -p *", NAMES),
  getfacl: createFlagCheck("-a -d -c -e -E -n -p *", NAMES),
  namei: createFlagCheck("-x -m -o -l -n -v *", NAMES),
  echo: checkPrint,
  printf: (args) => (mayAssign(args) ? displayText("safety.line.mayAssignVariable") : checkPrint(args)),
  "true false": createFlagCheck("", { operands: "none" }),
  ":": createFlagCheck("*", { operands: "none" }),
  seq: createFlagCheck("-f: -s: -w -NUM --format= --separator= --equal-width", { operands: "text" }),
  sort: createFlagCheck(
    "-b -c -C -d -f -g -h -i -k: -m -M -n -r -R -s -t: -u -V -z --ignore-leading-blanks --check? --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --key= --merge --month-sort --numeric-sort --reverse --random-sort --sort= --stable --field-separator= --unique --version-sort --zero-terminated --parallel= --debug",
    CONTENTS,
  ),
  uniq: createFlagCheck(
    "-c -d -D -f: -i -s: -u -w: -z --count --repeated --all-repeated? --group? --skip-fields= --ignore-case --skip-chars= --unique --check-chars= --zero-terminated",
    ONE,
  ),
  cut: createFlagCheck(
    "-b: -c: -d: -f: -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated *",
    CONTENTS,
  ),
  tr: createFlagCheck("-c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1", {
    operands: "text",
  }),
  paste: createFlagCheck("-d: -s -z --delimiters= --serial --zero-terminated *", CONTENTS),
  join: createFlagCheck(
    "-a: -e: -i -j: -o: -t: -v: -1: -2: -z --ignore-case --check-order --nocheck-order --header",
    CONTENTS,
  ),
  comm: createFlagCheck(
    "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated *",
    CONTENTS,
  ),
  fold: createFlagCheck("-b -s -w: -NUM --bytes --spaces --width= *", CONTENTS),
  fmt: createFlagCheck("-c -s -t -u -w: -g: -NUM --width= --goal= --split-only --uniform-spacing", CONTENTS),
  column: createFlagCheck(
    "-t -s: -o: -c: -n -x -e -N: -R: -H: -O: --table --separator= --output-separator= --columns",
    CONTENTS,
  ),
  expand: createFlagCheck("-i -t: --initial --tabs= *", CONTENTS),
  unexpand: createFlagCheck("-a -t: --all --tabs= *", CONTENTS),
  "rev tsort": createFlagCheck("", CONTENTS),
  diff: createFlagCheck(
    "-q -s -c -C: -u -U: -e -n -y -W: -p -F: -L: -t -T -r -N -x: -X: -i -E -Z -b -w -B -I: -a -d -NUM --normal --brief --report-identical-files --context? --unified? --side-by-side --width= --left-column --suppress-common-lines --show-c-function --label= --expand-tabs --recursive --new-file --exclude= --ignore-case --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --color?",
    { operands: "contents", below: true, fileFlags: ["-X"] },
  ),
  cmp: createFlagCheck(
    "-b -i: -l -n: -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent *",
    CONTENTS,
  ),
  od: createFlagCheck(
    "-a -A: -b -c -d -f -i -j: -l -N: -o -s -S: -t: -v -w? -x --address-radix= --format= --read-bytes= --skip-bytes= --strings? --output-duplicates --width?",
    CONTENTS,
  ),
  hexdump: createFlagCheck("-b -c -C -d -n: -o -s: -v -x --canonical --length= --skip=", CONTENTS),
  hd: createFlagCheck("-n: -s: -v", CONTENTS),
  xxd: createSingleFlagsCheck("cglos", createFlagCheck("-a -b -c: -C -e -g: -i -l: -n: -o: -p -s: -u -d", ONE)),
  strings: createFlagCheck("-a -f -n: -o -t: -e: -NUM --all --print-file-name --bytes= --radix= --encoding=", CONTENTS),
  readelf: createFlagCheck(
    "-a -h -l -S -g -t -s -e -n -r -u -d -V -A -I -W --all --file-header --program-headers --segments --section-headers --sections --symbols --syms --headers --notes --relocs --dynamic --version-info --wide",
    CONTENTS,
  ),
  nm: createFlagCheck(
    "-a -A -C -D -f: -g -n -o -p -P -r -S -t: -u --debug-syms --defined-only --demangle --dynamic --extern-only --numeric-sort --print-file-name --print-size --size-sort --undefined-only",
    CONTENTS,
  ),
  objdump: createFlagCheck(
    "-a -C -d -D -f -h -j: -M: -p -r -R -s -t -T -w -x -z --all-headers --archive-headers --demangle --disassemble --disassemble-all --dynamic-reloc --dynamic-syms --file-headers --full-contents --headers --reloc --section-headers --section= --syms --wide",
    CONTENTS,
  ),
  "less more": checkPager,
  base64: createFlagCheck("-d -D -i -w: --decode --ignore-garbage --wrap=", ONE),
  shuf: createFlagCheck("-e -i: -n: -r -z --echo --input-range= --head-count= --repeat --zero-terminated", ONE),
  iconv: createFlagCheck("-f: -t: -l -c -s --from-code= --to-code= --list", CONTENTS),
  zcat: createFlagCheck("-f", CONTENTS),
  "grep egrep fgrep": createFlagCheck(
    "-E -F -G -P -e: -f: -i -y -v -w -x -c -L -l -m: -o -q -s -b -H -h -n -T -Z -A: -B: -C: -NUM -a -I -U -z -r --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file= --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context= --before-context= --context= --text --binary-files= --exclude= --exclude-from= --exclude-dir= --include= --recursive --line-buffered --null-data",
    {
      operands: "contents",
      textFirst: 1,
      textFlags: ["-e", "--regexp", "-f", "--file"],
      fileFlags: ["-f", "--file", "--exclude-from"],
      below: ["-r", "--recursive"],
      onlyFlags: ["--include"],
      without: "folder",
    },
  ),
  rg: createFlagCheck(
    "-A: -B: -C: -c -e: -E: -F -f: -g: -H -h -i -I -j: -l -m: -M: -n -N -o -p -P -q -r: -s -S -t: -T: -U -v -w -x -0 --after-context= --before-context= --context= --count --count-matches --regexp= --fixed-strings --file= --glob= --iglob= --with-filename --no-filename --ignore-case --case-sensitive --smart-case --files-with-matches --files-without-match --max-count= --max-columns= --max-depth= --maxdepth= --max-filesize= --line-number --no-line-number --column --no-column --only-matching --pretty --pcre2 --quiet --replace= --type= --type-not= --type-list --multiline --multiline-dotall --invert-match --word-regexp --line-regexp --null --heading --no-heading --color= --colors= --context-separator= --files --json --no-messages --sort= --sortr= --stats --trim --vimgrep --no-config --passthru --one-file-system --no-unicode --crlf --debug",
    {
      operands: "contents",
      textFirst: 1,
      textFlags: ["-e", "--regexp", "-f", "--file", "--files", "--type-list"],
      fileFlags: ["-f", "--file"],
      below: true,
      skipsHidden: true,
      onlyFlags: ["-g", "--glob", "--iglob"],
      without: "input-or-folder",
    },
  ),
  fd: createFlagCheck(
    "-a -d: -e: -E: -F -g -i -l -p -s -t: -S: -0 -1 --absolute-path --max-depth= --min-depth= --exact-depth= --extension= --exclude= --fixed-strings --glob --ignore-case --case-sensitive --full-path --type= --size= --changed-within= --changed-before= --print0 --max-results= --color= --strip-cwd-prefix",
    { operands: "names", textFirst: 1, below: true, skipsHidden: true, without: "folder" },
  ),
  locate: () => displayText("safety.line.searchesMachine"),
};

/** Variables that hold no secret. */
export const HARMLESS_VARIABLES = new Set(
  "HOME PWD OLDPWD USER LOGNAME SHELL PATH LANG LC_ALL TERM TZ HOSTNAME EDITOR TMPDIR UID EUID PPID RANDOM SECONDS LINENO BASH_VERSION ZSH_VERSION SHLVL OSTYPE MACHTYPE HOSTTYPE COLUMNS LINES VIRTUAL_ENV NODE_ENV ? # $ ! 0 * @ -".split(
    " ",
  ),
);

/** Commands that show information about the machine and the shell. */
const SYSTEM: Checks = {
  "whoami groups arch lscpu mount": createExactCheck(""),
  pwd: createFlagCheck("-L -P", { operands: "none" }),
  id: createExactCheck("", "-u", "-g", "-G", "-un", "-gn", "-nu", "-ng", "-Gn"),
  hostname: createExactCheck("", "-s", "-f", "-i", "-I"),
  uname: createFlagCheck(
    "-a -m -n -o -p -r -s -v -i --all --kernel-name --kernel-release --machine --operating-system",
    { operands: "none" },
  ),
  nproc: createExactCheck("", "--all"),
  uptime: createExactCheck("", "-p", "-s"),
  date: (args) => {
    const read = parseArguments("-u -R -I? -d: --utc --universal --iso-8601? --rfc-email --rfc-3339= --date=", args);
    if (isReason(read)) return read;
    return read.operands.every(({ text }) => text.startsWith("+")) ? [] : displayText("safety.line.maySetClock");
  },
  tty: createExactCheck("", "-s"),
  locale: createExactCheck("", "-a"),
  free: createExactCheck("", "-h", "-m", "-g", "-b", "-k", "-t", "-ht"),
  lsblk: createExactCheck("", "-f", "-a"),
  vmstat: createExactCheck("", "-s"),
  ps: createEitherCheck(
    checkProcesses,
    createExactCheck(
      ..."|aux|ax|-e|-f|-A|-ef|-eF|-aux|a|x|-u|-eo pid,comm|-eo pid,cmd|-eo pid,ppid,comm|-eo pid,ppid,cmd|-eo pid,user,comm|-o pid,comm|-o pid,cmd".split(
        "|",
      ),
    ),
  ),
  pgrep: createFlagCheck("-a -f -l -n -o -c -x -i -u:", { operands: "text" }),
  jobs: createExactCheck("", "-l", "-p"),
  which: createFlagCheck("-a", { operands: "text" }),
  whereis: createFlagCheck("-b -m -s", { operands: "text" }),
  type: createFlagCheck("-a -t -p -P", { operands: "text" }),
  command: (args) =>
    /^-[vV]$/.test(args[0]?.text ?? "")
      ? createFlagCheck("-v -V", { operands: "text" })(args)
      : displayText("safety.line.runsAnotherCommand"),
  printenv: (args) =>
    args.length > 0 && args.every(({ text }) => HARMLESS_VARIABLES.has(text))
      ? []
      : displayText("safety.line.showsEnvironmentVariables"),
  "getconf sleep": createExactCheck("*"),
  "cal exit": createExactCheck("", "*"),
  test: (args) =>
    checkTestUses(
      args.map(({ text }) => text),
      args,
    ),
  "[": createBracketTestCheck("]"),
  "[[": createBracketTestCheck("]]"),
  ss: createFlagCheck("-t -u -l -n -p -a -4 -6 -x -s -H", { operands: "none" }),
  ip: createExactCheck("a", "addr", "address", "addr show", "a show", "link", "link show", "route", "route show", "r"),
};

/** Tests of files, texts and plain numbers. `-v` isn't among them, because it evaluates a name that may hold a command. */
const TESTS = new Set(
  "-e -f -d -r -w -x -s -L -h -z -n -b -c -p -S -O -G -N -k -u -g -ef -nt -ot = == != < > -eq -ne -lt -le -gt -ge ! -a -o ( )".split(
    " ",
  ),
);

function createBracketTestCheck(end: string): Check {
  return (args) => {
    const inside = args.slice(0, -1);
    const words = inside.map(({ text }) => text);
    return args.at(-1)?.text === end ? checkTestUses(words, inside) : displayText("safety.line.unfinishedTest");
  };
}

function checkTestUses(words: readonly string[], args: Parameters<Check>[0]): ReturnType<Check> {
  const operators = words.filter((word) => /^-[A-Za-z]+$/.test(word));
  if (operators.some((word) => !TESTS.has(word))) return displayText("safety.line.unknownTest");
  if (words.includes("=~")) return displayText("safety.line.regularExpressionTest");
  const numbers = words.filter((_, at) =>
    [words[at - 1], words[at + 1]].some((near) => /^-(?:eq|ne|lt|le|gt|ge)$/.test(near ?? "")),
  );
  if (numbers.some((word) => !/^-?\d+$/.test(word) && word !== UNKNOWN))
    return displayText("safety.line.comparesNonNumber");
  const files = args.filter((_, at) => /^-[edfrwxsLhbcpSOGNkug]$|^-(ef|nt|ot)$/.test(words[at - 1] ?? ""));
  if (files.some(({ text }) => text.includes(UNKNOWN))) return displayText("safety.line.testsRuntimeFile");
  return files.map((word) => ({ word, reveals: false }));
}

function createListCheck(): Check {
  return createFlagCheck(
    "-a -g -l --all --global --long --json --parseable --prod --production --omit= --depth= --link --dev",
    { operands: "text" },
  );
}

/** Development tools, with the arguments that only show information. */
const TOOLS: Checks = {
  npm: createSubcommandCheck({
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
  }),
  "pip pip3": createSubcommandCheck({
    "--version": createExactCheck(""),
    "-V": createExactCheck(""),
    list: createFlagCheck(
      "-e -l --format= --editable --local --user --not-required --exclude= --disable-pip-version-check",
      { operands: "none" },
    ),
    show: createFlagCheck("-f --files --verbose", { operands: "text" }),
    freeze: createFlagCheck("-l --local --user --all --exclude-editable", { operands: "none" }),
    check: createExactCheck(""),
  }),
  docker: createEitherCheck(
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
  ),
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

/** Tools with the arguments that show their version. Tools that a workspace file can redirect are left out. */
const VERSIONS: Rows = {
  "python2 ruby cmake ninja podman deno bun vim emacs nano curl wget screen jq rg fd bash zsh sqlite3 psql mysql pandoc code aws ghc zig nim gh c++ cc clang++":
    { showsVersion: "--version" },
  "python python3 tmux ssh": { showsVersion: "--version -V" },
  "node make gcc g++ clang tsc php perl": { showsVersion: "--version -v" },
  "java javac": { showsVersion: "--version -version" },
  "go openssl terraform": { showsVersion: "version" },
  "docker-compose": { showsVersion: "--version -version version" },
};

/** Commands that may receive names from `find` and the like. */
const RECEIVERS: Rows = {
  "cat head tail nl grep egrep fgrep sort cut wc ls stat file du md5sum sha1sum sha256sum sha512sum cksum basename dirname realpath readlink":
    { getsFound: true },
  "ls stat basename dirname realpath readlink": { takesAnyName: true },
  grep: { passesOn: /^(?:-[viwxEFP]+ )*[^-]\S*$/ },
  "egrep fgrep": { passesOn: /^(?:-[viwx]+ )*[^-]\S*$/ },
  sort: { passesOn: /^(?:-[rnuV]+)?$/ },
  "head tail": { passesOn: /^(?:-n )?-?\d*$/ },
  uniq: { passesOn: /^(?:-u)?$/ },
  tac: { passesOn: /^$/ },
};

/** Programs that only read with some arguments. */
export const READERS: readonly Rows[] = [
  mapChecks(FILES, (reads) => ({ reads, showsHelp: true })),
  mapChecks({ ...SYSTEM, ...TOOLS }, (reads) => ({ reads })),
  VERSIONS,
  RECEIVERS,
];

function mapChecks(checks: Checks, describe: (check: Check) => ProgramFacts): Rows {
  return Object.fromEntries(Object.entries(checks).map(([names, check]) => [names, describe(check)]));
}
