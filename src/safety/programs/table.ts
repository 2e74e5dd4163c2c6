import { displayText } from "../../texts/display-text.ts";
import { type Check, createEitherCheck, createExactCheck } from "../read-only/check.ts";
import { find } from "../read-only/find.ts";
import { checkGit } from "../read-only/git.ts";
import { checkAwk, checkJq, checkSed } from "../read-only/script-filters.ts";
import type { ShellDialect } from "../shell/reading.ts";
import { CMDLET_READERS } from "./cmdlets.ts";
import { indexByName, type ProgramFacts, type Rows } from "./program.ts";
import { READERS } from "./readers.ts";

/** Programs that run others, and files, and text. */
const STARTS: Rows = {
  "sudo doas env taskset chrt nice ionice nohup time timeout stdbuf setsid command builtin exec chronic caffeinate xargs watch strace ltrace flock chroot unshare nsenter runuser parallel entr unbuffer busybox toybox coproc noglob then else do start rlwrap systemd-run firejail bwrap sandbox-exec":
    { runs: "command" },
  "proxychains torsocks": { runs: "command", unclear: "socket" },
  "sh bash dash zsh ksh": { runs: "script", runsFile: true, unclear: "code" },
  "ash mksh rbash": { runs: "script" },
  "node deno bun pwsh powershell rscript": { runs: "input", runsFile: true, unclear: "code" },
  "python python2 python3": { runs: "input" },
  "python#": { runsFile: true, unclear: "code" },
  "perl ruby php lua": { runs: "input", runsFile: true },
  "luajit osascript fish csh tcsh tclsh expect irb ghci r ed ex vim vi gdb": {
    runs: "input",
    unclear: "code",
  },
  "sqlite3 psql mysql at batch crontab bc": { runs: "input" },
  "source . tsx ts-node": { runsFile: true, unclear: "code" },
  java: { runsFile: true },
  "pypy# ipython nodejs perl# ruby# php# lua# julia elixir iex groovy jshell wish guile sbcl runghc swift kotlin scala cmd wscript cscript mshta eval lldb nvim emacs":
    { unclear: "code" },
  "nc ncat netcat nc.* socat telnet ssh scp sftp sshfs mosh rsh rlogin autossh sshpass openssl gnutls-cli socket cryptcat websocat wscat chisel ngrok cloudflared proxychains4 tor iodine dnscat dnscat2 hping3 scapy nmap masscan tcpdump tshark":
    { unclear: "socket" },
};

/** Programs that get other programs as text among their arguments. */
const TAKES_CODE: Rows = {
  "busybox awk gawk mawk nawk": { code: { flags: /^(?:-e|--source)$/, operandUnless: /^(?:-f|--file)/ } },
  "python# pypy# ipython# jython hy xonsh coconut": { code: { flags: /^-[a-zA-Z]*c$/ } },
  "node bun tsx ts-node nodejs electron qjs jsc d8": { code: { flags: /^-(?:[a-z]*[pe]|-eval|-print)$/ } },
  deno: { code: { flags: /^eval$/ } },
  "luajit r rscript perl# ruby# lua# julia elixir groovy guile sbcl scala jruby raku crystal ghc nix": {
    code: { flags: /^-(?:[a-zA-Z0-9]*[eE]|-eval|-expr)$/ },
  },
  "osascript tclsh expect jshell emacs": { code: { flags: /^-(?:e|c|-eval|-execute)$/ } },
  "sqlite3 bc sqlite jq yq dasel mongos mongosh redis-cli m4 dc": {
    code: { operandUnless: /^(?:-f|--from-file|--file)$/ },
  },
  "psql mysql mariadb duckdb usql clickhouse-client": {
    code: { flags: /^-(?:c|e|-command|-execute|-query|cmd)$/ },
  },
  "ed ex vim vi nvim view gvim": { code: { flags: /^(?:-c|--cmd)$/ } },
  "gdb lldb": { code: { flags: /^(?:-ex|-eval-command|--eval-command|-iex|-o|-O|--one-line)$/ } },
  "php#": { code: { flags: /^-(?:r|B|E|R|-run|-process-begin|-process-code|-process-end)$/ } },
  "sed gsed": {
    code: {
      flags: /^(?:-[a-zA-Z]*e|--expression)$/,
      operandUnless: /^(?:-[a-zA-Z]*[ef]|--expression|--file)/,
    },
  },
};

/** Tools that run what files of the workspace define. */
const MANIFESTS: Rows = {
  deno: { manifests: "deno.json deno.jsonc package.json" },
  bun: { manifests: "package.json bunfig.toml" },
  "npm npx pnpm yarn pip pip3 gem bundle composer mvn gradle tsc code": { isBatchFile: true },
  "npm npx": { manifests: "package.json .npmrc" },
  pnpm: { manifests: "package.json .npmrc pnpm-workspace.yaml .pnpmfile.cjs" },
  yarn: { manifests: "package.json .yarnrc .yarnrc.yml" },
  make: { manifests: "Makefile makefile GNUmakefile" },
  just: { manifests: "justfile Justfile .justfile" },
  task: { manifests: "Taskfile.yml Taskfile.yaml" },
  rake: { manifests: "Rakefile rakefile.rb" },
  bundle: { manifests: "Gemfile Rakefile" },
  cargo: { manifests: "Cargo.toml build.rs .cargo/config.toml rust-toolchain.toml rust-toolchain" },
  go: { manifests: "go.mod go.work" },
  pytest: { manifests: "pytest.ini pyproject.toml setup.cfg tox.ini conftest.py" },
  tox: { manifests: "tox.ini pyproject.toml setup.cfg" },
  nox: { manifests: "noxfile.py" },
  poetry: { manifests: "pyproject.toml" },
  uv: { manifests: "pyproject.toml uv.toml" },
  pip: { manifests: "requirements.txt setup.py pyproject.toml" },
  mvn: { manifests: "pom.xml .mvn/jvm.config .mvn/maven.config .mvn/extensions.xml" },
  gradle: {
    manifests: "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties",
  },
  composer: { manifests: "composer.json" },
  dotnet: { manifests: "global.json Directory.Build.props Directory.Build.targets" },
  cmake: { manifests: "CMakeLists.txt CMakePresets.json" },
  docker: { manifests: "Dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml" },
  "docker-compose": { manifests: "docker-compose.yml docker-compose.yaml compose.yml compose.yaml" },
  jest: { manifests: "package.json jest.config.js jest.config.ts jest.config.mjs jest.config.cjs" },
  vitest: { manifests: "package.json vitest.config.ts vitest.config.js vite.config.ts vite.config.js" },
  eslint: {
    manifests: "package.json eslint.config.js eslint.config.mjs eslint.config.ts .eslintrc.js .eslintrc.cjs",
  },
  tsc: { manifests: "tsconfig.json" },
};

/** Programs that contact hosts. */
const CONTACTS: Rows = {
  "nc ncat netcat socat telnet ssh scp sftp openssl nmap masscan curl wget http https httpie xh aria2c ping ping6 dig nslookup host drill traceroute tracepath mtr rsync ftp lftp tftp whois lynx w3m links elinks smbclient mount invoke-webrequest invoke-restmethod iwr irm start-bitstransfer test-connection resolve-dnsname test-netconnection certutil bitsadmin getent":
    { contacts: true },
  npm: { sends: /^(?:publish|deprecate)$/, fetches: /^(?:view|info|show|search|audit)$/ },
  pnpm: { sends: /^publish$/, fetches: /^(?:view|info|search|audit)$/ },
  yarn: { sends: /^(?:publish|npm)$/, fetches: /^(?:info|npm|audit)$/ },
  cargo: { sends: /^publish$/, fetches: /^(?:search|info)$/ },
  poetry: { sends: /^publish$/ },
  pip: { fetches: /^(?:search|index)$/ },
  docker: { sends: /^(?:push|pull|login)$/, fetches: /^search$/ },
  git: { sends: /^(?:push|send-email)$/, fetches: /^(?:pull|clone|ls-remote)$/ },
  gem: { sends: /^push$/, fetches: /^(?:search|info)$/ },
  twine: { sends: /^upload$/ },
  podman: { sends: /^(?:push|pull|login)$/ },
  gh: { sends: /^(?:gist|issue|pr|release|repo|api|workflow)$/, fetches: /./ },
  glab: { sends: /^(?:issue|mr|release|repo|api|snippet)$/, fetches: /./ },
  "aws gcloud az mail mutt sendmail msmtp": { sends: /./ },
};

/** Programs that write files. */
const WRITES: Rows = {
  "env awk mawk pip uniq unzip pip3": { alsoWrites: true },
  "xargs ssh grep rg test [ [[ ls cut tr python python3": { otherFlags: /^-[a-zA-Z]$/ },
  "python#": { creates: /^-m$/ },
  "perl ruby gsed yq eslint prettier black autopep8 isort gofmt goimports rustfmt clang-format": {
    inPlace: true,
  },
  "sqlite3 ed ex vim vi emacs duckdb sqlite rm rmdir unlink mv tee touch mkdir mkfifo mknod truncate shred chmod chown chgrp srm trash trash-put rimraf del-cli sponge nano patch mkdirp fallocate rename remove-item new-item set-content add-content move-item clear-content out-file tee-object dos2unix unix2dos gunzip bzip2 bunzip2 xz unxz zstd sd rename-item ni ri mi sc ac clc ren del erase rd md expand-archive export-csv export-clixml start-transcript":
    { writes: "all" },
  "scp sftp rsync cp install copy-item cpi copy xcopy robocopy ditto pax gcp ginstall ffmpeg convert magick mmv pandoc split csplit virtualenv degit wkhtmltopdf":
    { writes: "last" },
  "openssl wget zip 7z* jar ar cpio ssh-keygen script logrotate": { creates: /^\S+$/ },
  "gawk sed": { inPlace: true, alsoWrites: true },
  npm: { creates: /^(?:init|create|pack|link)$/, alsoWrites: true },
  npx: { inPlace: true, creates: /^(?:create\S*|degit|init)$/ },
  "pnpm yarn bunx": { creates: /^(?:create\S*|degit|init)$/ },
  cargo: { creates: /^(?:new|init|install)$/ },
  go: { creates: /^(?:mod|install)$/, alsoWrites: true },
  "poetry dotnet rails": { creates: /^new$/ },
  uv: { creates: /^(?:venv|init)$/ },
  docker: { creates: /^cp$/, otherFlags: /^-[a-zA-Z]$/, alsoWrites: true },
  curl: { otherFlags: /^-[dCDtPT]$/ },
  git: {
    creates: /^(?:clone|init|worktree|archive|bundle|format-patch|submodule|apply|am)$/,
    alsoWrites: true,
  },
  podman: { creates: /^cp$/, otherFlags: /^-[a-zA-Z]$/ },
  gzip: { writes: "all", alsoWrites: true },
  hg: { writes: "last", creates: /^(?:clone|init)$/ },
  svn: { writes: "last", creates: /^(?:checkout|co|export)$/ },
  "gcc clang cc c++ g++": { otherFlags: /^-[BDCP]$/ },
  "find date": { otherFlags: /^-[a-zA-Z]$/, alsoWrites: true },
  diff: { otherFlags: /^-[a-zA-Z]$|^--to/ },
  sort: { otherFlags: /^-[tkd]$/, alsoWrites: true },
  "django-admin": { creates: /^startproject$/ },
  kubectl: { creates: /^cp$/, alsoWrites: true },
  tar: { creates: /^\S+$/, alsoWrites: true },
};

/** Programs that delete, overwrite or end something, or move on to another folder. */
const LOSES: Rows = {
  scp: { copies: true },
  rsync: { deletes: { flag: /^--del/, operands: "last" }, disk: "last", copies: true },
  "rm srm": { deletes: { flag: /^-[a-zA-Z]*[rR]|^--r/ }, removes: true },
  "rmdir remove-item ri del erase rd": { deletes: { flag: /^-r|^\/s$/i }, removes: true },
  "unlink trash-put del-cli move-item clear-content mi clc": { removes: true },
  mv: { deletes: { operands: "sources" }, removes: true, disk: "last", copies: true },
  "tee sponge pv": { disk: "last" },
  truncate: { removes: true, disk: "last" },
  shred: { deletes: {}, removes: true, disk: "last" },
  "chmod chown chgrp": { deletes: { flag: /^-[a-zA-Z]*R|^--recursive/, isHarmlessHere: true } },
  "trash rimraf": { deletes: {}, removes: true },
  "cp install ln": { disk: "last", copies: true },
  tar: { deletes: { flag: /^--remove-files$/ } },
  dd: { loses: true, disk: "of" },
  kill: { loses: true, stops: / -1$/ },
  "killall pkill": { loses: true },
  "shutdown reboot poweroff halt stop-computer restart-computer": { stops: /^/ },
  "init telinit": { stops: /^[06](?: |$)/ },
  systemctl: { stops: /(?:^| )(?:poweroff|reboot|halt|kexec|rescue|emergency)(?: |$)/ },
  "mkfs mkfs.* mke2fs wipefs cfdisk gdisk sgdisk mkswap blkdiscard badblocks hdparm diskpart format-volume clear-disk initialize-disk remove-partition newfs* vgremove pvremove lvremove":
    { disk: {} },
  "fdisk parted sfdisk": { disk: { unless: /^(?:-l|--list)$/ } },
  "nvme zpool cryptsetup": {
    disk: { when: /^(?:format|destroy|create|labelclear|sanitize|write|erase|luksformat)/i },
  },
  diskutil: { disk: { when: /^(?:erase|partition|zero|secureerase|reformat)/i } },
  format: { disk: { when: /^[a-z]:/i } },
  "cd pushd set-location": { enters: 1 },
  sl: { enters: 2 },
  chdir: { enters: 3 },
  "push-location": { enters: 4 },
};

/** Programs that read everything below a folder. */
const READS_BELOW: Rows = {
  "python#": { readsBelow: [{ args: /^-m http\.server/, isHereByDefault: true, textFirst: 9 }] },
  php: { readsBelow: [{ args: /(?:^| )-S /, isHereByDefault: true, textFirst: 9 }] },
  "scp rsync lftp rclone croc ncftpput s3cmd gsutil azcopy": {
    readsBelow: [{ args: /(?:^| )-[a-zA-Z]*[ra]|--rec|--arch|\b(?:copy|sync|cp|send)\b/ }],
  },
  "npx bunx": {
    readsBelow: [{ args: /(?:^| )(?:http-server|serve|live-server)(?= |$)/, isHereByDefault: true, textFirst: 9 }],
  },
  git: {
    readsBelow: [
      { args: /^grep\b.* --(?:no-i|unt|no-ex)/, textFirst: 1, isHereByDefault: true },
      { args: /^diff\b.* (?:--no-i|\/|~|\.\.(?:\/|$| ))/ },
      { args: /^(?:add|stage)\b.* (?:-\w*f|--forc?e?)/, isHereByDefault: true },
      { args: /^stash\b.* (?:-\w*a|--all?)(?: |$)/, isHereByDefault: true },
      { args: /^archive\b/, isHereByDefault: true, textFirst: 1 },
    ],
  },
  aws: { readsBelow: [{ args: /\bs3 (?:sync|cp)\b/ }] },
  "cp gcp": { readsBelow: [{ args: /(?:^| )-(?:[a-zA-Z]*[rRa]|-rec\w*|-arch\w*)/ }] },
  "copy-item cpi copy xcopy robocopy compress-archive": {
    readsBelow: [{ args: /(?:^| )(?:-r\w*|\/[es]|-path|\.)/i }],
  },
  "pax jar ar 7z 7za 7zz 7zr rar squashfs mksquashfs genisoimage mkisofs dar restic borg duplicity": {
    readsBelow: [{}],
  },
  "grep egrep fgrep zgrep bzgrep xzgrep ugrep": {
    readsBelow: [
      {
        args: /(?:^| )-(?:[a-zA-Z]*[rR]|-rec|-deref|d ?rec|-directories=rec)/,
        textFirst: 1,
        isHereByDefault: true,
      },
    ],
  },
  "rg ag ack pt sift gg": {
    readsBelow: [
      {
        textFirst: 1,
        isHereByDefault: true,
        hiddenOnlyWith: /(?:^| )(?:-[a-zA-Z]*[u.a]|--hid\w*|--no-ignore\S*|--unrestricted|--all\S*)/,
      },
    ],
  },
  diff: { readsBelow: [{ args: /(?:^| )-(?:[a-zA-Z]*r|-rec)/ }] },
  "tar bsdtar": { readsBelow: [{ args: /^-?[a-zA-Z]*[cru]|--(?:create|append|update|cat)/ }] },
  zip: { readsBelow: [{ args: /(?:^| )-[a-zA-Z0-9]*[rR]|--rec/ }] },
  "ug rgrep": { readsBelow: [{ textFirst: 1, isHereByDefault: true }] },
  "http-server serve live-server webfsd darkhttpd miniserve caddy": {
    readsBelow: [{ isHereByDefault: true }],
  },
};

/** Programs that show files, or list their names. */
const SHOWS: Rows = {
  "sh bash dash zsh python# node nc ncat openssl gpg read": { shows: "rarely" },
  "perl ruby vim vi emacs scp view mv nano gzip cp install pax diff cut sort zip dd ln tac less more most bat batcat nl strings xxd od hexdump hd base64 base32 uuencode uniq paste join column fold fmt pr rev expand iconv cmp comm":
    { shows: "files" },
  "awk sed": { lists: "names", shows: "files", textFirst: true },
  "gawk mawk gsed yq zgrep ag": { shows: "files", textFirst: true },
  "jq egrep fgrep": { shows: "files", textFirst: true, takesText: true },
  "curl wget tee": { shows: "rarely", takesText: true },
  "rsync cpio get-content gc select-string sls": { shows: "files", namesFromInput: true },
  git: { lists: "files", takesText: true },
  "gh glab logger say notify-send cowsay": { takesText: true },
  grep: { lists: "names", shows: "files", textFirst: true, takesText: true },
  rg: { lists: "files", shows: "files", textFirst: true, takesText: true },
  "find ls gfind fd fdfind tree locate get-childitem gci dir": { lists: "files" },
  date: { listFlag: /^-f|^--file/ },
  tar: { shows: "files", listFlag: /^-[a-zA-Z]*T/, namesFromInput: true },
  bsdtar: { listFlag: /^-[a-zA-Z]*T/ },
  cat: { lists: "names", shows: "files", takesText: true },
  "head tail": { lists: "names", shows: "files" },
  type: { shows: "rarely", namesFromInput: true },
  file: { listFlag: /^-f|^--files-from/ },
  "echo printf": { lists: "names", takesText: true },
  "dirname realpath readlink seq": { lists: "names" },
};

/** Programs that only read with some arguments, each with a check of its own. */
const READS: Rows = {
  find: { reads: find },
  sed: { reads: checkSed },
  "awk gawk mawk": { reads: checkAwk },
  jq: { reads: checkJq },
  git: { reads: checkGit },
  "npm pip pip3 docker go kubectl tar unzip zipinfo gzip git rg": { isEverywhere: true },
};

/**
 * Facts about programs, by question, with a row for each family that does the same. All rows with its name hold for a program.
 * Calls that ask in every mode are in `asking.ts`.
 */
export const PROGRAM_FACTS: readonly (readonly [names: string, facts: ProgramFacts])[] = [
  STARTS,
  TAKES_CODE,
  MANIFESTS,
  CONTACTS,
  WRITES,
  LOSES,
  READS_BELOW,
  SHOWS,
  READS,
  ...READERS,
  ...CMDLET_READERS,
].flatMap((rows) => Object.entries(rows));

const findRows = indexByName(PROGRAM_FACTS);
const known = new Map<string, ProgramFacts>();

/** The facts about a program; none for an unknown one. */
export function getProgramFacts(name: string): ProgramFacts {
  const program = known.get(name) ?? Object.assign({}, ...findRows(name));
  if (known.size < MOST_KNOWN) known.set(name, program);
  return program;
}

const MOST_KNOWN = 5000;

/** The check of a program that can be read-only, by its name as spelled; undefined for any other. */
export function findReadCheck(name: string, dialect: ShellDialect): Check | undefined {
  if (dialect === "powershell") return findPowershellCheck(name.toLowerCase());
  const { reads, showsVersion, showsHelp } = getProgramFacts(name);
  const checks = [showsHelp && HELP, createVersionCheck(showsVersion), reads].filter((check) => check !== undefined);
  return checks.length === 0 ? undefined : createEitherCheck(...checks);
}

const HELP = createExactCheck("--help", "--version");

function createVersionCheck(ways: string | undefined): Check | undefined {
  return ways === undefined ? undefined : createExactCheck(...ways.split(" "));
}

function findPowershellCheck(name: string): Check | undefined {
  const { cmdlet } = getProgramFacts(name);
  if (cmdlet) return cmdlet.check;
  const { reads, readsOnWindows, isEverywhere, showsVersion, isBatchFile } = getProgramFacts(
    name.replace(/\.exe$/, ""),
  );
  const check = readsOnWindows ?? (isEverywhere ? reads : createVersionCheck(showsVersion));
  return check && rejectInnerQuotes(check, isBatchFile ? /["&|<>^%]/ : /"/);
}

/** Windows PowerShell may split an argument at a quote inside it. */
function rejectInnerQuotes(check: Check, inner: RegExp): Check {
  return (args, input) =>
    args.some(({ text }) => /\\$/.test(text) || inner.test(text))
      ? displayText("safety.line.quoteInsideArgument")
      : check(args, input);
}
