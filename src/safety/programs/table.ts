import { type CodeFlags, type FolderReader, indexByName, type Program } from "./program.ts";

const LETTERS = /^-[a-zA-Z]$/;
const PYTHON_CODE: CodeFlags = { flags: /^-[a-zA-Z]*c$/ };
const NODE_CODE: CodeFlags = { flags: /^-(?:[a-z]*[pe]|-eval|-print)$/ };
const PERL_CODE: CodeFlags = { flags: /^-(?:[a-zA-Z0-9]*[eE]|-eval|-expr)$/ };
const TCL_CODE: CodeFlags = { flags: /^-(?:e|c|-eval|-execute)$/ };
const VI_CODE: CodeFlags = { flags: /^(?:-c|--cmd)$/ };
const GDB_CODE: CodeFlags = { flags: /^(?:-ex|-eval-command|--eval-command|-iex|-o|-O|--one-line)$/ };
const SQL_CODE: CodeFlags = { flags: /^-(?:c|e|-command|-execute|-query|cmd)$/ };
const AWK_CODE: CodeFlags = { flags: /^(?:-e|--source)$/, operandUnless: /^(?:-f|--file)/ };
const SED_CODE: CodeFlags = {
  flags: /^(?:-[a-zA-Z]*e|--expression)$/,
  operandUnless: /^(?:-[a-zA-Z]*[ef]|--expression|--file)/,
};
const FILTER_CODE: CodeFlags = { operandUnless: /^(?:-f|--from-file|--file)$/ };
const ALL_BELOW: readonly FolderReader[] = [{}];
const GREP_BELOW: readonly FolderReader[] = [
  {
    args: /(?:^| )-(?:[a-zA-Z]*[rR]|-rec|-deref|d ?rec|-directories=rec)/,
    textFirst: 1,
    isHereByDefault: true,
  },
];
const RG_BELOW: readonly FolderReader[] = [
  {
    textFirst: 1,
    isHereByDefault: true,
    hiddenOnlyWith: /(?:^| )(?:-[a-zA-Z]*[u.a]|--hid\w*|--no-ignore\S*|--unrestricted|--all\S*)/,
  },
];
const CP_BELOW: readonly FolderReader[] = [{ args: /(?:^| )-(?:[a-zA-Z]*[rRa]|-rec\w*|-arch\w*)/ }];
const SYNC_BELOW: readonly FolderReader[] = [
  { args: /(?:^| )-[a-zA-Z]*[ra]|--rec|--arch|\b(?:copy|sync|cp|send)\b/ },
];
const COPY_BELOW: readonly FolderReader[] = [{ args: /(?:^| )(?:-r\w*|\/[es]|-path|\.)/i }];
const SERVED_BELOW: readonly FolderReader[] = [
  { args: /(?:^| )(?:http-server|serve|live-server)(?= |$)/, isHereByDefault: true, textFirst: 9 },
];
const CREATES_PROJECT = /^(?:create\S*|degit|init)$/;
const SENDS_IMAGE = /^(?:push|pull|login)$/;
const ANY_WORD = /^\S+$/;
const COMPOSE_FILES = "docker-compose.yml docker-compose.yaml compose.yml compose.yaml";

/**
 * What programs do, one row for each program or family of programs that do the same. The facts of all rows with a name hold for it.
 * What asks in every mode is in `asking.ts`; what only reads is in `read-only`.
 */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  "sudo doas taskset chrt nice ionice nohup time timeout stdbuf setsid command builtin exec chronic caffeinate watch strace ltrace flock chroot unshare nsenter runuser parallel entr unbuffer toybox coproc noglob then else do start rlwrap systemd-run firejail bwrap sandbox-exec":
    { runs: "command" },
  env: { runs: "command", alsoWrites: true },
  xargs: { runs: "command", otherFlags: LETTERS },
  "proxychains torsocks": { runs: "command", unclear: "socket" },
  busybox: { runs: "command", code: AWK_CODE },
  "sh bash dash zsh": { runs: "script", runsFile: true, unclear: "code", shows: "rarely" },
  ksh: { runs: "script", runsFile: true, unclear: "code" },
  "ash mksh rbash": { runs: "script" },
  "python#": {
    runs: "input",
    runsFile: true,
    code: PYTHON_CODE,
    unclear: "code",
    creates: /^-m$/,
    readsBelow: [{ args: /^-m http\.server/, isHereByDefault: true, textFirst: 9 }],
    shows: "rarely",
  },
  node: { runs: "input", runsFile: true, code: NODE_CODE, unclear: "code", shows: "rarely" },
  deno: {
    runs: "input",
    runsFile: true,
    code: { flags: /^eval$/ },
    unclear: "code",
    manifests: "deno.json deno.jsonc package.json",
  },
  bun: {
    runs: "input",
    runsFile: true,
    code: NODE_CODE,
    unclear: "code",
    manifests: "package.json bunfig.toml",
  },
  "perl ruby": { runs: "input", runsFile: true, inPlace: true, shows: "files" },
  php: {
    runs: "input",
    runsFile: true,
    readsBelow: [{ args: /(?:^| )-S /, isHereByDefault: true, textFirst: 9 }],
  },
  lua: { runs: "input", runsFile: true },
  "luajit r": { runs: "input", code: PERL_CODE, unclear: "code" },
  "osascript tclsh expect": { runs: "input", code: TCL_CODE, unclear: "code" },
  "pwsh powershell": { runs: "input", runsFile: true, unclear: "code" },
  "fish csh tcsh irb ghci": { runs: "input", unclear: "code" },
  rscript: { runs: "input", runsFile: true, code: PERL_CODE, unclear: "code" },
  sqlite3: { runs: "input", code: FILTER_CODE, writes: "all" },
  "psql mysql": { runs: "input", code: SQL_CODE },
  "ed ex": { runs: "input", code: VI_CODE, unclear: "code", writes: "all" },
  "vim vi": { runs: "input", code: VI_CODE, unclear: "code", writes: "all", shows: "files" },
  "at batch crontab": { runs: "input" },
  bc: { runs: "input", code: FILTER_CODE },
  gdb: { runs: "input", code: GDB_CODE, unclear: "code" },
  "source .": { runsFile: true, unclear: "code" },
  "tsx ts-node": { runsFile: true, code: NODE_CODE, unclear: "code" },
  java: { runsFile: true },
  "pypy#": { code: PYTHON_CODE, unclear: "code" },
  "ipython iex wish runghc swift kotlin cmd wscript cscript mshta eval": { unclear: "code" },
  nodejs: { code: NODE_CODE, unclear: "code" },
  "perl# ruby# lua# julia elixir groovy guile sbcl scala": { code: PERL_CODE, unclear: "code" },
  "php#": {
    code: { flags: /^-(?:r|B|E|R|-run|-process-begin|-process-code|-process-end)$/ },
    unclear: "code",
  },
  jshell: { code: TCL_CODE, unclear: "code" },
  lldb: { code: GDB_CODE, unclear: "code" },
  nvim: { code: VI_CODE, unclear: "code" },
  emacs: { code: TCL_CODE, unclear: "code", writes: "all", shows: "files" },
  "nc ncat": { unclear: "socket", contacts: true, shows: "rarely" },
  "netcat socat telnet nmap masscan": { unclear: "socket", contacts: true },
  "nc.* sshfs mosh rsh rlogin autossh sshpass gnutls-cli socket cryptcat websocat wscat chisel ngrok cloudflared proxychains4 tor iodine dnscat dnscat2 hping3 scapy tcpdump tshark":
    { unclear: "socket" },
  ssh: { unclear: "socket", contacts: true, otherFlags: LETTERS },
  scp: {
    unclear: "socket",
    contacts: true,
    writes: "last",
    readsBelow: SYNC_BELOW,
    shows: "files",
    copies: true,
  },
  sftp: { unclear: "socket", contacts: true, writes: "last" },
  openssl: { unclear: "socket", contacts: true, creates: ANY_WORD, shows: "rarely" },
  "ipython# jython hy xonsh coconut": { code: PYTHON_CODE },
  "electron qjs jsc d8": { code: NODE_CODE },
  "jruby raku crystal ghc nix": { code: PERL_CODE },
  view: { code: VI_CODE, shows: "files" },
  gvim: { code: VI_CODE },
  "mariadb usql clickhouse-client": { code: SQL_CODE },
  duckdb: { code: SQL_CODE, writes: "all" },
  awk: { code: AWK_CODE, alsoWrites: true, lists: "names", shows: "files", textFirst: true },
  gawk: { code: AWK_CODE, inPlace: true, alsoWrites: true, shows: "files", textFirst: true },
  mawk: { code: AWK_CODE, alsoWrites: true, shows: "files", textFirst: true },
  nawk: { code: AWK_CODE },
  sed: { code: SED_CODE, inPlace: true, alsoWrites: true, lists: "names", shows: "files", textFirst: true },
  gsed: { code: SED_CODE, inPlace: true, shows: "files", textFirst: true },
  sqlite: { code: FILTER_CODE, writes: "all" },
  jq: { code: FILTER_CODE, shows: "files", textFirst: true, takesText: true },
  yq: { code: FILTER_CODE, inPlace: true, shows: "files", textFirst: true },
  "dasel mongo mongos mongosh redis-cli m4 dc": { code: FILTER_CODE },
  npm: {
    manifests: "package.json .npmrc",
    sends: /^(?:publish|deprecate)$/,
    creates: /^(?:init|create|pack|link)$/,
    alsoWrites: true,
  },
  npx: {
    manifests: "package.json .npmrc",
    inPlace: true,
    creates: CREATES_PROJECT,
    readsBelow: SERVED_BELOW,
  },
  pnpm: {
    manifests: "package.json .npmrc pnpm-workspace.yaml .pnpmfile.cjs",
    sends: /^publish$/,
    creates: CREATES_PROJECT,
  },
  yarn: {
    manifests: "package.json .yarnrc .yarnrc.yml",
    sends: /^(?:publish|npm)$/,
    creates: CREATES_PROJECT,
  },
  make: { manifests: "Makefile makefile GNUmakefile" },
  just: { manifests: "justfile Justfile .justfile" },
  task: { manifests: "Taskfile.yml Taskfile.yaml" },
  rake: { manifests: "Rakefile rakefile.rb" },
  bundle: { manifests: "Gemfile Rakefile" },
  cargo: {
    manifests: "Cargo.toml build.rs .cargo/config.toml rust-toolchain.toml rust-toolchain",
    sends: /^publish$/,
    creates: /^(?:new|init|install)$/,
  },
  go: { manifests: "go.mod go.work", creates: /^(?:mod|install)$/, alsoWrites: true },
  pytest: { manifests: "pytest.ini pyproject.toml setup.cfg tox.ini conftest.py" },
  tox: { manifests: "tox.ini pyproject.toml setup.cfg" },
  nox: { manifests: "noxfile.py" },
  poetry: { manifests: "pyproject.toml", sends: /^publish$/, creates: /^new$/ },
  uv: { manifests: "pyproject.toml uv.toml", creates: /^(?:venv|init)$/ },
  pip: { manifests: "requirements.txt setup.py pyproject.toml", alsoWrites: true },
  mvn: { manifests: "pom.xml .mvn/jvm.config .mvn/maven.config .mvn/extensions.xml" },
  gradle: {
    manifests: "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties",
  },
  composer: { manifests: "composer.json" },
  dotnet: { manifests: "global.json Directory.Build.props Directory.Build.targets", creates: /^new$/ },
  cmake: { manifests: "CMakeLists.txt CMakePresets.json" },
  docker: {
    manifests: "Dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml",
    sends: SENDS_IMAGE,
    creates: /^cp$/,
    otherFlags: LETTERS,
    alsoWrites: true,
  },
  "docker-compose": { manifests: COMPOSE_FILES },
  jest: { manifests: "package.json jest.config.js jest.config.ts jest.config.mjs jest.config.cjs" },
  vitest: { manifests: "package.json vitest.config.ts vitest.config.js vite.config.ts vite.config.js" },
  eslint: {
    manifests: "package.json eslint.config.js eslint.config.mjs eslint.config.ts .eslintrc.js .eslintrc.cjs",
    inPlace: true,
  },
  tsc: { manifests: "tsconfig.json" },
  curl: { contacts: true, otherFlags: /^-[dCDtPT]$/, shows: "rarely", takesText: true },
  wget: { contacts: true, creates: ANY_WORD, shows: "rarely", takesText: true },
  "http https httpie xh aria2c ping ping6 dig nslookup host drill traceroute tracepath mtr ftp tftp whois lynx w3m links elinks smbclient mount invoke-webrequest invoke-restmethod iwr irm start-bitstransfer test-connection resolve-dnsname test-netconnection certutil bitsadmin getent":
    { contacts: true },
  rsync: {
    contacts: true,
    writes: "last",
    deletes: { flag: /^--del/, operands: "last" },
    disk: "last",
    readsBelow: SYNC_BELOW,
    shows: "files",
    copies: true,
    namesFromInput: true,
  },
  lftp: { contacts: true, readsBelow: SYNC_BELOW },
  git: {
    sends: /^(?:push|send-email)$/,
    creates: /^(?:clone|init|worktree|archive|bundle|format-patch|submodule|apply|am)$/,
    alsoWrites: true,
    readsBelow: [
      { args: /^grep\b.* --(?:no-i|unt|no-ex)/, textFirst: 1, isHereByDefault: true },
      { args: /^diff\b.* (?:--no-i|\/|~|\.\.(?:\/|$| ))/ },
      { args: /^(?:add|stage)\b.* (?:-\w*f|--forc?e?)/, isHereByDefault: true },
      { args: /^stash\b.* (?:-\w*a|--all?)(?: |$)/, isHereByDefault: true },
      { args: /^archive\b/, isHereByDefault: true, textFirst: 1 },
    ],
    lists: "files",
    takesText: true,
  },
  gem: { sends: /^push$/ },
  twine: { sends: /^upload$/ },
  podman: { sends: SENDS_IMAGE, creates: /^cp$/, otherFlags: LETTERS },
  gh: { sends: /^(?:gist|issue|pr|release|repo|api|workflow)$/, takesText: true },
  glab: { sends: /^(?:issue|mr|release|repo|api|snippet)$/, takesText: true },
  aws: { sends: /./, readsBelow: [{ args: /\bs3 (?:sync|cp)\b/ }] },
  "gcloud az mail mutt sendmail msmtp": { sends: /./ },
  "rm srm": { writes: "all", deletes: { flag: /^-[a-zA-Z]*[rR]|^--r/ }, removes: true },
  "rmdir remove-item ri del erase rd": { writes: "all", deletes: { flag: /^-r|^\/s$/i }, removes: true },
  "unlink trash-put del-cli move-item clear-content mi clc": { writes: "all", removes: true },
  mv: {
    writes: "all",
    deletes: { operands: "sources" },
    removes: true,
    disk: "last",
    shows: "files",
    copies: true,
  },
  tee: { writes: "all", disk: "last", shows: "rarely", takesText: true },
  "touch mkdir mkfifo mknod patch mkdirp fallocate rename new-item set-content add-content out-file tee-object dos2unix unix2dos gunzip bzip2 bunzip2 xz unxz zstd sd rename-item ni sc ac ren md expand-archive export-csv export-clixml start-transcript":
    { writes: "all" },
  truncate: { writes: "all", removes: true, disk: "last" },
  shred: { writes: "all", deletes: {}, removes: true, disk: "last" },
  "chmod chown chgrp": {
    writes: "all",
    deletes: { flag: /^-[a-zA-Z]*R|^--recursive/, isHarmlessHere: true },
  },
  "trash rimraf": { writes: "all", deletes: {}, removes: true },
  sponge: { writes: "all", disk: "last" },
  nano: { writes: "all", shows: "files" },
  gzip: { writes: "all", alsoWrites: true, shows: "files" },
  cp: { writes: "last", disk: "last", readsBelow: CP_BELOW, shows: "files", copies: true },
  install: { writes: "last", disk: "last", shows: "files", copies: true },
  "copy-item cpi copy xcopy robocopy": { writes: "last", readsBelow: COPY_BELOW },
  "ditto ginstall ffmpeg convert magick mmv pandoc split csplit virtualenv degit wkhtmltopdf": {
    writes: "last",
  },
  pax: { writes: "last", readsBelow: ALL_BELOW, shows: "files" },
  gcp: { writes: "last", readsBelow: CP_BELOW },
  hg: { writes: "last", creates: /^(?:clone|init)$/ },
  svn: { writes: "last", creates: /^(?:checkout|co|export)$/ },
  "prettier black autopep8 isort gofmt goimports rustfmt clang-format": { inPlace: true },
  grep: {
    otherFlags: LETTERS,
    readsBelow: GREP_BELOW,
    lists: "names",
    shows: "files",
    textFirst: true,
    takesText: true,
  },
  rg: {
    otherFlags: LETTERS,
    readsBelow: RG_BELOW,
    lists: "files",
    shows: "files",
    textFirst: true,
    takesText: true,
  },
  "gcc clang cc c++ g++": { otherFlags: /^-[BDCP]$/ },
  "test [ [[ tr python python3": { otherFlags: LETTERS },
  find: { otherFlags: LETTERS, alsoWrites: true, lists: "files" },
  ls: { otherFlags: LETTERS, lists: "files" },
  diff: {
    otherFlags: /^-[a-zA-Z]$|^--to/,
    readsBelow: [{ args: /(?:^| )-(?:[a-zA-Z]*r|-rec)/ }],
    shows: "files",
  },
  cut: { otherFlags: LETTERS, shows: "files" },
  sort: { otherFlags: /^-[tkd]$/, alsoWrites: true, shows: "files" },
  date: { otherFlags: LETTERS, alsoWrites: true, listFlag: /^-f|^--file/ },
  bunx: { creates: CREATES_PROJECT, readsBelow: SERVED_BELOW },
  "django-admin": { creates: /^startproject$/ },
  rails: { creates: /^new$/ },
  kubectl: { creates: /^cp$/, alsoWrites: true },
  tar: {
    creates: ANY_WORD,
    alsoWrites: true,
    deletes: { flag: /^--remove-files$/ },
    readsBelow: [{ args: /^-?[a-zA-Z]*[cru]|--(?:create|append|update|cat)/ }],
    shows: "files",
    listFlag: /^-[a-zA-Z]*T/,
    namesFromInput: true,
  },
  zip: { creates: ANY_WORD, readsBelow: [{ args: /(?:^| )-[a-zA-Z0-9]*[rR]|--rec/ }], shows: "files" },
  "7z* ssh-keygen script logrotate": { creates: ANY_WORD },
  "jar ar": { creates: ANY_WORD, readsBelow: ALL_BELOW },
  cpio: { creates: ANY_WORD, shows: "files", namesFromInput: true },
  dd: { loses: true, disk: "of", shows: "files" },
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
  ln: { disk: "last", shows: "files", copies: true },
  pv: { disk: "last" },
  "egrep fgrep": { readsBelow: GREP_BELOW, shows: "files", textFirst: true, takesText: true },
  zgrep: { readsBelow: GREP_BELOW, shows: "files", textFirst: true },
  "bzgrep xzgrep ugrep": { readsBelow: GREP_BELOW },
  "ug rgrep": { readsBelow: [{ textFirst: 1, isHereByDefault: true }] },
  ag: { readsBelow: RG_BELOW, shows: "files", textFirst: true },
  "ack pt sift gg": { readsBelow: RG_BELOW },
  bsdtar: {
    readsBelow: [{ args: /^-?[a-zA-Z]*[cru]|--(?:create|append|update|cat)/ }],
    listFlag: /^-[a-zA-Z]*T/,
  },
  "7z 7za 7zz 7zr rar squashfs mksquashfs genisoimage mkisofs dar restic borg duplicity": {
    readsBelow: ALL_BELOW,
  },
  "rclone croc ncftpput s3cmd gsutil azcopy": { readsBelow: SYNC_BELOW },
  "http-server serve live-server webfsd darkhttpd miniserve caddy": {
    readsBelow: [{ isHereByDefault: true }],
  },
  "compress-archive": { readsBelow: COPY_BELOW },
  "gfind fd fdfind tree locate get-childitem gci dir": { lists: "files" },
  cat: { lists: "names", shows: "files", takesText: true },
  "tac less more most bat batcat nl strings xxd od hexdump hd base64 base32 uuencode paste join column fold fmt pr rev expand iconv cmp comm":
    { shows: "files" },
  "head tail": { lists: "names", shows: "files" },
  uniq: { alsoWrites: true, shows: "files" },
  "get-content gc select-string sls": { shows: "files", namesFromInput: true },
  "gpg read": { shows: "rarely" },
  type: { shows: "rarely", namesFromInput: true },
  file: { listFlag: /^-f|^--files-from/ },
  "echo printf": { lists: "names", takesText: true },
  "dirname realpath readlink seq": { lists: "names" },
  "logger say notify-send cowsay": { takesText: true },
  "unzip pip3": { alsoWrites: true },
  "cd pushd set-location sl chdir push-location": { enters: true },
};

const findRows = indexByName(Object.entries(PROGRAMS));
const known = new Map<string, Program>();

/** What a program does; nothing for an unknown one. */
export function findProgram(name: string): Program {
  const program = known.get(name) ?? Object.assign({}, ...findRows(name));
  if (known.size < MOST_KNOWN) known.set(name, program);
  return program;
}

const MOST_KNOWN = 5000;
