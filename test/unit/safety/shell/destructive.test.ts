import assert from "node:assert/strict";
import { judged } from "../readers.ts";
import { CONTINUOUS, request, runs } from "../support.ts";

/** Each is refused in every mode. */
const REFUSED = [
  "rm -rf /",
  "rm -rf /*",
  "rm -rf -- /",
  "rm -rf //",
  "rm -rf /usr/..",
  "rm -fr ~",
  "rm -rf ~/",
  "rm -rf ~/*",
  "rm -rf $HOME",
  'rm -rf "$HOME"/*',
  "rm -rf $" + "{HOME}",
  "rm -rf /home",
  "rm -rf /home/u",
  "rm -rf /home/u/app",
  "rm -rf /home/u/app/",
  "rm -rf .",
  "rm -rf ./",
  "rm -rf *",
  "rm -rf ./*",
  "rm -rf ..",
  "rm -rf ../..",
  "rm --recursive --force /etc",
  "r''m -rf /",
  "\\rm -rf /",
  "/bin/rm -rf /",
  "sudo rm -rf /",
  "sudo -u root rm -rf /",
  "env A=1 rm -rf /",
  "ls; rm -rf /",
  "true && rm -rf ~",
  "(rm -rf /)",
  "if true; then rm -rf /; fi",
  "for i in 1; do rm -rf /; done",
  "f() { rm -rf /; }; f",
  "echo $(rm -rf /)",
  "bash -c 'rm -rf /'",
  'sh -lc "rm -rf ~"',
  "eval rm -rf /",
  "ls | xargs rm -rf /",
  "find / -delete",
  "find . -delete",
  "find ~ -exec rm -rf {} +",
  "chmod -R 000 /",
  "chown -R nobody ~",
  "mv ~ /tmp/x",
  "mv * /dev/null",
  "rsync -a --delete empty/ /home/u/app",
  "dd if=/dev/zero of=/dev/sda",
  "cat x > /dev/nvme0n1",
  "echo x | sudo tee /dev/sda",
  "rm -rf ~; echo x | python3.12",
  "mongosh '!cd x'; rm -rf .",
  "python3 -c 'import os; os.system(\"cd x\")'; rm -rf .",
  "mongo 'exec(\"cd sub\")' && rm -rf ./",
  "mkfs.ext4 /dev/sdb1",
  "wipefs -a /dev/sda",
  "shred /home/u/app",
  ":(){ :|:& };:",
  "bomb() { bomb | bomb & }; bomb",
  "python3 -c \"import shutil; shutil.rmtree('/')\"",
  "node -e \"fs.rmSync('/', { recursive: true })\"",
  "perl -e 'fork while fork'",
  "rm -rf /{bin,etc}",
  "rm -rf {/,}",
  "rm -rf ../app",
  "rm -rf src/../../app",
  "rm -rf ../../../etc",
  "rm -rf ?*",
  "rm -rf [a-z]*",
  'rm -rf "$PWD/.."',
  "find / -print0 | xargs -0 rm -rf",
  "find ~ -type f | xargs rm -f",
  "trash /",
  "tar --remove-files -cf /dev/null /",
  "python3 -c \"import os; os.system('rm -rf /')\"",
  "perl -e 'fork while 1'",
  "ruby -e 'loop { fork }'",
];

/** Each deletes something a person should look at first, in every mode. */
const DOUBTFUL = [
  "rm -rf $BUILD",
  'rm -rf "$BUILD"/',
  "rm -rf $(cat list)",
  "cd build && rm -rf *",
  "cd build; rm -rf .",
  "echo / | xargs rm -rf",
  "ls | xargs -I{} rm -rf {}",
  "rm -rf /$X",
  "rm -rf ./$X",
  "cd x && rm -rf ../y",
  "shutdown -h now",
  "systemctl poweroff",
  "kill -9 -1",
];

/** Each openly writes where the workspace is not. */
const OUTSIDE = [
  "> /etc/passwd",
  "echo x >> ~/notes",
  "cp a.txt /usr/local/bin/x",
  "mv a.txt ../../x",
  "rm ../other/x",
  "tee /opt/x < a",
  "ln -s a /usr/bin/b",
  "dd if=a of=/srv/x",
  "rm -rf ../other",
];

/** Each is everyday work. */
const EVERYDAY = [
  "rm -rf build",
  "rm -rf ./dist/*",
  "rm -rf src/../dist",
  "rm -f a.txt",
  "rm *.log",
  "find . -name '*.tmp' -delete",
  "chmod -R u+w .",
  "mv * sub/",
  "echo 'rm -rf /'",
  "grep -r 'rm -rf' src",
  "dd if=a of=b",
  "fdisk -l",
  "mkdir -p /home/u/app/x",
  "loop() { sleep 1; }; loop",
  "touch /tmp/x",
  "npm test > /dev/null 2>&1",
  "rm -rf {build,dist}",
  "rm -rf build/$NAME",
  "find . -name '*.pyc' | xargs rm -f",
  "git commit -m 'fork while testing'",
];

describe("destructive command lines", () => {
  for (const [lines, verdict] of [
    [REFUSED, "refuse destructive"],
    [DOUBTFUL, "ask doubtful-line"],
    [OUTSIDE, "ask outside-workspace"],
    [EVERYDAY, "allow continuous"],
  ] as const) {
    it(`are distinguished: "${verdict}"`, async () => {
      const rows = await Promise.all(lines.map(async (line) => [line, await judged(runs(line), CONTINUOUS)] as const));
      assert.deepEqual(
        rows.filter(([, found]) => found !== verdict),
        [],
      );
    });
  }
});

describe("code that destroys", () => {
  const code = (text: string) => request("execute_python_code", { code: text }, { effect: "run" });

  it("is refused in every mode where its text gives it away, and only there", async () => {
    const texts = [
      "import shutil\nshutil.rmtree('/')",
      "import os\nos.system('rm -rf /')",
      "import os\nwhile True:\n    os.fork()",
      "open('/dev/sda', 'wb').write(b'x')",
      "import shutil\nshutil.rmtree('build')",
      "print('fork')",
    ];
    const verdicts = await Promise.all(texts.map((text) => judged(code(text), CONTINUOUS)));
    assert.deepEqual(verdicts, [...Array(4).fill("refuse destructive"), ...Array(2).fill("allow continuous")]);
  });
});
