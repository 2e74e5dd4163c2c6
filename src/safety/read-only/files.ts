import { displayText } from "../../texts/display-text.ts";
import type { Word } from "../shell/reading.ts";
import { type Check, createFlagCheck, createSingleFlagsCheck } from "./check.ts";

const CONTENTS = { operands: "contents" } as const;
const NAMES = { operands: "names" } as const;
const ONE = { operands: "contents", most: 1 } as const;

const PRINTED = createFlagCheck("*", { operands: "text" });

/** A word that looks like a flag is printed too. */
function checkPrint(args: readonly Word[]): ReturnType<Check> {
  return PRINTED(args.map((word) => (word.text.startsWith("-") ? { ...word, text: "_" } : word)));
}

/** A pager prints the text of a pipe. For a file, the user's settings may make it run programs. */
function checkPager(args: readonly Word[], input?: "stream"): ReturnType<Check> {
  const isPiped = input === "stream" && args.every(({ text }) => /^-[eEFiINnqRrSsX]+$/.test(text));
  return isPiped ? [] : displayText("safety.line.mayStartPager");
}

/** Commands that show files or their properties, and those that transform text and write only to their output. */
export const FILE_TOOLS: Readonly<Record<string, Check>> = {
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
  md5sum: createChecksumCheck(),
  sha1sum: createChecksumCheck(),
  sha224sum: createChecksumCheck(),
  sha256sum: createChecksumCheck(),
  sha384sum: createChecksumCheck(),
  sha512sum: createChecksumCheck(),
  b2sum: createChecksumCheck(),
  shasum: createFlagCheck("-a: -b -t -0 --algorithm= --binary --text", NAMES),
  md5: createFlagCheck("-q -r -n", NAMES),
  cksum: createFlagCheck("-a: --algorithm= --untagged", NAMES),
  sum: createFlagCheck("-r -s", NAMES),
  lsattr: createFlagCheck("-R -a -d -v -p *", NAMES),
  getfacl: createFlagCheck("-a -d -c -e -E -n -p *", NAMES),
  namei: createFlagCheck("-x -m -o -l -n -v *", NAMES),
  echo: checkPrint,
  printf: (args) => (args[0]?.text.startsWith("-") ? displayText("safety.line.mayAssignVariable") : checkPrint(args)),
  true: createFlagCheck("", { operands: "none" }),
  false: createFlagCheck("", { operands: "none" }),
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
  rev: createFlagCheck("", CONTENTS),
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
  less: checkPager,
  more: checkPager,
  base64: createFlagCheck("-d -D -i -w: --decode --ignore-garbage --wrap=", ONE),
  shuf: createFlagCheck("-e -i: -n: -r -z --echo --input-range= --head-count= --repeat --zero-terminated", ONE),
  iconv: createFlagCheck("-f: -t: -l -c -s --from-code= --to-code= --list", CONTENTS),
  zcat: createFlagCheck("-f", CONTENTS),
  tsort: createFlagCheck("", CONTENTS),
};

function createChecksumCheck(): Check {
  return createFlagCheck("-b -t -z --binary --tag --text --zero", NAMES);
}

const GREP_FLAGS =
  "-E -F -G -P -e: -f: -i -y -v -w -x -c -L -l -m: -o -q -s -b -H -h -n -T -Z -A: -B: -C: -NUM -a -I -U -z -r --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file= --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context= --before-context= --context= --text --binary-files= --exclude= --exclude-from= --exclude-dir= --include= --recursive --line-buffered --null-data";

const GREP = createFlagCheck(GREP_FLAGS, {
  operands: "contents",
  textFirst: 1,
  textFlags: ["-e", "--regexp", "-f", "--file"],
  fileFlags: ["-f", "--file", "--exclude-from"],
  below: ["-r", "--recursive"],
  onlyFlags: ["--include"],
  without: "folder",
});

const RG = createFlagCheck(
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
);

/** Commands that search for text in files, or for files by name. */
export const SEARCH_TOOLS: Readonly<Record<string, Check>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: RG,
  fd: createFlagCheck(
    "-a -d: -e: -E: -F -g -i -l -p -s -t: -S: -0 -1 --absolute-path --max-depth= --min-depth= --exact-depth= --extension= --exclude= --fixed-strings --glob --ignore-case --case-sensitive --full-path --type= --size= --changed-within= --changed-before= --print0 --max-results= --color= --strip-cwd-prefix",
    { operands: "names", textFirst: 1, below: true, skipsHidden: true, without: "folder" },
  ),
  locate: () => displayText("safety.line.searchesMachine"),
};
