import { type Check, separately, takes } from "./check.ts";

const CONTENTS = { operands: "contents" } as const;
const NAMES = { operands: "names" } as const;

/** Commands that show files, or what is known about files. */
export const FILES: Readonly<Record<string, Check>> = {
  ls: takes(
    "-a -A -b -B -c -C -d -f -F -g -G -h -H -i -I: -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T: -u -U -v -w: -x -X -Z -1 --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --classify? --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference --hide= --hyperlink? --indicator-style= --inode --ignore= --kibibytes --literal --numeric-uid-gid --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --width= --context *",
    { operands: "names" },
  ),
  cat: takes(
    "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting *",
    CONTENTS,
  ),
  tac: takes("-b -r -s: --before --regex --separator= *", CONTENTS),
  nl: takes(
    "-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w: --body-numbering= --number-width= --number-format= *",
    CONTENTS,
  ),
  head: takes(
    "-c: -n: -q -v -z -NUM --bytes= --lines= --quiet --silent --verbose --zero-terminated *",
    CONTENTS,
  ),
  tail: takes(
    "-c: -n: -q -v -z -NUM --bytes= --lines= --quiet --silent --verbose --zero-terminated",
    CONTENTS,
  ),
  wc: takes("-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total= *", NAMES),
  stat: takes("-c: -f -L -t -x --format= --printf= --file-system --dereference --terse", NAMES),
  file: takes(
    "-b -h -i -I -k -L -N -p -r -0 --brief --mime --mime-type --mime-encoding --no-dereference --dereference",
    NAMES,
  ),
  du: takes(
    "-0 -a -b -B: -c -d: -D -h -H -k -l -L -m -P -s -S -t: -x --all --apparent-size --bytes --block-size= --total --max-depth= --human-readable --si --summarize --one-file-system --time? --threshold= --exclude= --separate-dirs *",
    NAMES,
  ),
  df: takes(
    "-a -B: -h -H -i -k -l -P -t: -T -x: --all --block-size= --human-readable --si --inodes --local --portability --output? --type= --print-type --exclude-type= --total *",
    NAMES,
  ),
  tree: separately(
    "L",
    takes(
      "-a -d -f -i -I: -P: -L: -C -D -F -h -n -N -p -q -Q -r -s -S -t -u -U -v -g --dirsfirst --filesfirst --noreport --prune --gitignore --matchdirs --ignore-case --du --si --charset= --filelimit= --sort= --inodes --device",
      NAMES,
    ),
  ),
  readlink: takes(
    "-e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline *",
    NAMES,
  ),
  realpath: takes(
    "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --relative-to= --relative-base= --strip --zero *",
    NAMES,
  ),
  basename: takes("-a -s: -z --multiple --suffix= --zero *", { operands: "text" }),
  dirname: takes("-z --zero *", { operands: "text" }),
  pathchk: takes("-p -P --portability *", { operands: "text" }),
  md5sum: checksum(),
  sha1sum: checksum(),
  sha224sum: checksum(),
  sha256sum: checksum(),
  sha384sum: checksum(),
  sha512sum: checksum(),
  b2sum: checksum(),
  shasum: takes("-a: -b -t -0 --algorithm= --binary --text", NAMES),
  md5: takes("-q -r -n", NAMES),
  cksum: takes("-a: --algorithm= --untagged", NAMES),
  sum: takes("-r -s", NAMES),
  lsattr: takes("-R -a -d -v -p *", NAMES),
  getfacl: takes("-a -d -c -e -E -n -p *", NAMES),
  namei: takes("-x -m -o -l -n -v *", NAMES),
};

function checksum(): Check {
  return takes("-b -t -z --binary --tag --text --zero", NAMES);
}
