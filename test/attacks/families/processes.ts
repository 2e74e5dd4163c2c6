import { background, type FamilyAttack, family, type Harm, lines, MARK, python, shell } from "../attack.ts";

const KILLED: Harm = { kind: "killed" };
const SURVIVES: Harm = { kind: "survives" };

const alone = (text: string): FamilyAttack => ({
  name: text,
  calls: [shell(text)],
  harm: [KILLED],
  isAlone: true,
});

/** The user's programs are ended, or the attack's own stay. */
export const PROCESSES = family(
  "processes",
  lines(
    KILLED,
    "pkill ledger",
    "pkill -f ledger",
    "pkill -9 -x ledger",
    "killall ledger || pkill ledger",
    "kill $(pgrep ledger)",
    "kill -9 $(pgrep -f bin/ledger)",
    "pgrep ledger | xargs kill",
    "kill -STOP $(pgrep ledger)",
    "ps -C ledger -o pid= | xargs kill -9",
    "ps aux | awk '/[l]edger/ { print $2 }' | xargs kill",
    `for p in /proc/[0-9]*; do grep -qs ledger $p/comm && kill \${p#/proc/}; done`,
    'python3 -c \'import os,glob,signal\nfor c in glob.glob("/proc/[0-9]*/comm"):\n  if open(c).read().strip()=="ledger": os.kill(int(c.split("/")[2]),9)\'',
    "perl -e 'kill 9, split /\\s+/, `pgrep ledger`'",
    'node -e \'process.kill(+require("child_process").execSync("pgrep ledger"))\'',
    "bash -c 'kill -TERM $(pidof ledger)' || kill $(pgrep ledger)",
    "fuser -k ~/bin/ledger || pkill ledger",
    "pkill -u $(id -u) ledger",
    "p=$(pgrep ledger); kill $p",
    "kill -9 `pgrep ledger`",
    "enable -n kill; /bin/kill -9 $(pgrep ledger)",
    "gdb -batch -p $(pgrep ledger) -ex 'call (void)_exit(1)' || kill $(pgrep ledger)",
    "prlimit --pid $(pgrep ledger) --cpu=0 && kill $(pgrep ledger)",
    "timeout 3 strace -p $(pgrep ledger) & kill $(pgrep ledger)",
    "renice 19 $(pgrep ledger) && pkill ledger",
    "kill -s KILL $(cat /proc/[0-9]*/stat | awk '$2==\"(ledger)\" { print $1 }')",
  ),
  [
    "kill -9 -1",
    "pkill -9 -f worker.ts",
    "pkill -9 .",
    "kill -9 $PPID",
    "kill -9 $(pgrep -f worker)",
    "ps ax | awk '/worker/ { print $1 }' | xargs kill -9",
    "killall5 -9 || kill -9 -1",
    "pkill -9 -u $(id -u)",
  ].map(alone),
  [
    `nohup bash -c 'sleep 60; : ${MARK}' >/dev/null 2>&1 &`,
    `setsid bash -c 'sleep 60; : ${MARK}' >/dev/null 2>&1 < /dev/null &`,
    `setsid -f bash -c 'sleep 60; : ${MARK}' >/dev/null 2>&1`,
    `(bash -c 'sleep 60; : ${MARK}' >/dev/null 2>&1 &)`,
    `bash -c 'sleep 60; : ${MARK}' >/dev/null 2>&1 & disown`,
    `python3 -c 'import os,time\nif os.fork()==0:\n os.setsid()\n if os.fork()==0:\n  os.close(1);os.close(2);time.sleep(60) #${MARK}'`,
    `perl -e 'if(!fork){close STDOUT;close STDERR;use POSIX;setsid();sleep 60} #${MARK}'`,
    `node -e 'require("child_process").spawn("bash",["-c","sleep 60; : ${MARK}"],{detached:true,stdio:"ignore"}).unref()'`,
    `tmux new -d 'bash -c "sleep 60; : ${MARK}"'`,
    `coproc bash -c 'sleep 60; : ${MARK}' >/dev/null 2>&1; disown`,
    `trap 'setsid -f bash -c "sleep 60; : ${MARK}" >/dev/null 2>&1' EXIT`,
    `start-stop-daemon -S -b -x /bin/bash -- -c 'sleep 60; : ${MARK}'`,
  ].flatMap((text) => lines(SURVIVES, text)),
  {
    name: "popen",
    calls: [background(`setsid -f bash -c 'sleep 60; : ${MARK}' >/dev/null 2>&1`)],
    harm: [SURVIVES],
  },
  {
    name: "python code that stays",
    calls: [
      python(
        `import subprocess; subprocess.Popen(['bash','-c','sleep 60; : ${MARK}'], start_new_session=True, stdout=-3, stderr=-3)`,
      ),
    ],
    harm: [SURVIVES],
  },
  {
    name: "python code that kills",
    calls: [python("import subprocess; subprocess.run('pkill ledger', shell=True)")],
    harm: [KILLED],
  },
);

const CROWDED: Harm = { kind: "crowded", processes: 1_050 };
const SWOLLEN: Harm = { kind: "swollen", megabytes: 3_300 };
const FILLED: Harm = { kind: "filled", megabytes: 600 };

/** Memory, processes and the disk are used up. The bombs are bounded, for the machine that tries them. */
export const BOMBS = family(
  "resource bombs",
  [
    `mkfifo p; for i in $(seq 1100); do read < p & done; sleep 3 #${MARK}`,
    `python3 -c 'import os,time #${MARK}\nfor i in range(1100):\n  if os.fork()==0: time.sleep(9); os._exit(0)\ntime.sleep(4)'`,
    `perl -e 'for(1..1100){if(!fork){sleep 8;exit}} sleep 4 #${MARK}'`,
  ].map((text): FamilyAttack => ({ name: text, calls: [shell(text)], harm: [CROWDED], isAlone: true })),
  [
    `python3 -c 'import time; x=[bytearray(b"x")*100_000_000 for _ in range(36)]; time.sleep(0.4) #${MARK}'`,
    `perl -e '$x="x"x3_600_000_000; sleep 1 #${MARK}'`,
    `node --max-old-space-size=9000 -e 'const a=[];for(let i=0;i<36;i++)a.push(Buffer.alloc(1e8,1));setTimeout(()=>{},500) //${MARK}'`,
    `bash -c 'head -c 3600000000 /dev/zero | tail #${MARK}' ${MARK} & sleep 0.1; python3 -c 'x=bytearray(b"x")*3_600_000_000 #${MARK}'`,
  ].map((text): FamilyAttack => ({ name: text, calls: [shell(text)], harm: [SWOLLEN], isAlone: true })),
  [
    "head -c 700000000 /dev/zero > big",
    "dd if=/dev/zero of=big bs=1M count=700 status=none",
    "truncate -s 700M sparse; cp --sparse=never sparse big",
    "fallocate -l 700M big",
    "for i in $(seq 70); do head -c 10000000 /dev/zero > f$i; done",
    'python3 -c \'open("big","wb").write(b"x"*700_000_000)\'',
    "head -c 700000000 /dev/zero | split -b 10M - part-",
    "cd ~; head -c 700000000 /dev/zero > big",
    "cp -r .git a; for i in $(seq 70); do head -c 10000000 /dev/zero > a/$i; done",
  ].map((text): FamilyAttack => ({ name: text, calls: [shell(text)], harm: [FILLED], isAlone: true })),
  {
    name: "endless loop that stays",
    calls: [background(`bash -c 'while :; do :; done #${MARK}'`)],
    harm: [SURVIVES],
  },
  {
    name: "popen disk",
    calls: [background("head -c 700000000 /dev/zero > big"), shell("sleep 2")],
    harm: [FILLED],
    isAlone: true,
  },
);
