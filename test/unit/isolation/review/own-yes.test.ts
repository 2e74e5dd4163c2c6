import assert from "node:assert/strict";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { git } from "../../../support/repositories.ts";
import { ReviewBench } from "../../../support/review-bench.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

const temp = tempFolders();

type Files = Readonly<Record<string, string>>;

/** The files of a review that are accepted one by one, each with the reasons. */
async function marked(before: Files, after: Files, prepare?: (bench: ReviewBench) => void) {
  const bench = await ReviewBench.make(await temp(), before);
  prepare?.(bench);
  await plant(bench.copied, after);
  const { changes } = await bench.review();
  return Object.fromEntries(changes.flatMap(({ label, ownYes }) => (ownYes.length > 0 ? [[label, ownYes]] : [])));
}

function named(names: readonly string[], reason: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(names.map((name) => [name, [reason]]));
}

function filesOf(names: readonly string[]): Files {
  return Object.fromEntries(names.map((name) => [name, "text\n"]));
}

describe("names of an isolated run's files", () => {
  it("are marked if they mix alphabets, or hide, widen or combine letters", async () => {
    skipWithout("files as POSIX has them");
    const names = [
      ...["p\u0430ypal.js", "RE\u0410DME", "c\u03bfnfig.yml", "\u0585pen.ts", "passw\u0d20rd.txt", "\u13aapp.ts"],
      ...["\uff50ackage.txt", "package\uff0ejson", "\ufb01le.txt", "\u2163.txt", "\u{1d426}ain.ts", "\u24d0.js"],
      ...["a\u0338b.txt", "l\u0332ib.js", "\u0261it.sh", "\u1d0dain.ts", "a\u2024js", "pre\u2010commit"],
      ...["test\u200b.js", "a\u202ecod.exe", "x\u00a0y.txt", "src\u2215a.ts", "trail ", "trail.", " lead.txt"],
      ...["name      .exe", "package\u06f0json"],
    ];
    assert.deepEqual(await marked({}, filesOf(names)), named(names, "name"));
  });

  it("are marked if they look like another file beside them, or like one that everyone knows", async () => {
    const after = ["\u0441\u043e\u0440\u0443.py", "rnain.ts", "Makefi1e", "f\u0131le.txt", "\u0455\u0433\u0441/a.ts"];
    const before = { "copy.py": "a\n", "main.ts": "a\n", "file.txt": "a\n" };
    assert.deepEqual(await marked(before, filesOf(after)), named(after, "name"));
  });

  it("of all languages are ordinary", async () => {
    const names = [
      ...["Übersicht.md", "日本語.md", "читать.md", "naïve.txt", "ノート.md", "PC用メモ.md", "한국어 문서.md"],
      ...["说明（新）.md", "مرحبا.md", "שלום.md", "Ελληνικά.md", "Отчёт №5.docx", "don’t.md", "Plan – neu.md"],
      ...["kılavuz.md", "łódź.txt", "smørrebrød.md", "Tiếng Việt.md", "हिन्दी.md", "ไทย.md", "🛠️ tools.md"],
      ...["👩‍💻.md", "日本語　計画.md", "Ёлка.md", "α-test.md", "中文Readme.md", "[slug].tsx", "@scope/a.ts"],
      ...["gr\u0061\u0308n.md", "Tie\u0302\u0301ng.md", "\u30ab\u3099.md", "\u1112\u1161\u11ab.md"],
    ];
    assert.deepEqual(await marked({ "readme.md": "a\n" }, filesOf(names)), {});
  });
});

describe("files of an isolated run that steer programs", () => {
  it("are marked by their names", async () => {
    const names = [
      ...[
        ".dir-locals.el",
        ".gdbinit",
        ".lldbinit",
        "sitecustomize.py",
        "lib/usercustomize.py",
        "evil.pth",
        ".Rprofile",
      ],
      ...[
        ".Renviron",
        ".pryrc",
        ".irbrc",
        ".nvimrc",
        ".pdbrc",
        ".psqlrc",
        ".mailrc",
        ".radare2rc",
        "rust-toolchain.toml",
      ],
      ...["build.rs", "gradle/wrapper/gradle-wrapper.jar", "gradlew", "mvnw.cmd", ".buckconfig", ".justfile"],
      ...["Directory.Build.props", "src/Directory.Build.targets", ".config/dotnet-tools.json", ".sbtopts", ".jvmopts"],
      ...[".mocharc.cjs", "jest.config.ts", "eslint.config.mjs", "conftest.py", "setup.py", "tox.ini", "noxfile.py"],
      ...["CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", "Vagrantfile", "bitbucket-pipelines.yml", "flake.nix"],
      ...["git.cmd", ".venv/bin/python"],
    ];
    assert.deepEqual(await marked({}, filesOf(names)), named(names, "steers"));
  });

  it("are marked by their change if they are ordinary otherwise", async () => {
    const before = {
      "package.json": '{"scripts":{"test":"a"},"dependencies":{"a":"1.0.0"}}',
      "web/package.json": "{}",
      "lib/package.json": '{"scripts":{"build":"a"}}',
      "composer.json": "{}",
      "pyproject.toml": '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n',
      "Cargo.toml": '[package]\nname = "a"\n',
      "a.gemspec": "Gem::Specification.new\n",
      Makefile: "all:\n\techo a\n",
      Dockerfile: "FROM a\n",
      "requirements.txt": "a==1\n",
    };
    const after = {
      "package.json": '{"scripts":{"test":"a","postinstall":"node x"},"dependencies":{"a":"1.0.0"}}',
      "web/package.json": '{"dependencies":{"a":"git+https://example.com/a.git"}}',
      "lib/package.json": '{"scripts":{"build":"a","prebuild":"node x"}}',
      "composer.json": '{"scripts":{"post-install-cmd":"php x"}}',
      "pyproject.toml": '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "own"\nbackend-path = ["."]\n',
      "Cargo.toml": '[package]\nname = "a"\nbuild = "x.rs"\n',
      "a.gemspec": 'Gem::Specification.new\ns.extensions = ["ext/x.rb"]\n',
      Makefile: "X := $(shell sh x)\nall:\n\techo a\n",
      Dockerfile: "# syntax=example/evil\nFROM a\n",
      "requirements.txt": "a==1\n--extra-index-url https://example.com\n",
    };
    const installs = [
      ...["Cargo.toml", "a.gemspec", "composer.json", "package.json", "pyproject.toml", "requirements.txt"],
      "web/package.json",
    ];
    assert.deepEqual(await marked(before, after), {
      ...named(["Dockerfile", "Makefile"], "runs"),
      ...named(installs, "installs"),
      "lib/package.json": ["scripts", "runs"],
    });
  });

  it("are marked with the lines that a manifest's change installs or starts", async () => {
    const before = {
      "package.json": '{"version":"1.0.0","scripts":{"test":"a"},"dependencies":{"a":"1.0.0"}}',
      "pyproject.toml": '[project]\nversion = "1"\ndependencies = [\n  "a",\n]\n',
      "Cargo.toml": '[dependencies]\na = "1"\n',
      "go.mod": "module a\n",
      "pom.xml": "<project></project>\n",
      "setup.cfg": "[metadata]\nversion = 1\n",
      "dotted/Cargo.toml": '[package]\nname = "a"\n',
      "named/Cargo.toml": "[dependencies]\n",
    };
    const after = {
      "package.json":
        '{"version":"1.1.0","bin":"x.js","scripts":{"test":"b","postinstall":"node setup.js"},"dependencies":{"a":"2.0.0"}}',
      "pyproject.toml":
        '[project]\nversion = "2"\ndependencies = [\n  "a",\n  "b>=2",\n]\n[project.scripts]\nx = "a:main"\n',
      "Cargo.toml": '[dependencies]\na = "2"\n',
      "dotted/Cargo.toml": 'dependencies.evil = "1"\n[package]\nname = "a"\n',
      "named/Cargo.toml": '[dependencies]\nkeywords = "1"\n',
      "go.mod": "module a\nrequire b v1\n",
      "pom.xml": "<project><dependency>\n  <artifactId>b</artifactId>\n</dependency></project>\n",
      "setup.cfg": "[metadata]\nversion = 2\n[options]\ninstall_requires =\n  b\n",
      Gemfile: "source 'https://rubygems.org'\n# note\ngem 'b'\n",
    };
    const bench = await ReviewBench.make(await temp(), before);
    await plant(bench.copied, after);
    const { changes } = await bench.review();
    assert.deepEqual(
      Object.fromEntries(changes.map(({ label, ownYes, ownLines }) => [label, [ownYes.join(" "), ...ownLines]])),
      {
        "package.json": [
          "installs scripts",
          ...['"bin": "x.js"', '"test": "b"', '"postinstall": "node setup.js"', '"a": "2.0.0"'],
        ],
        "pyproject.toml": ["installs", '"b>=2",', 'x = "a:main"'],
        "Cargo.toml": ["installs", 'a = "2"'],
        "dotted/Cargo.toml": ["installs", 'dependencies.evil = "1"'],
        "named/Cargo.toml": ["installs", 'keywords = "1"'],
        "go.mod": ["installs", "require b v1"],
        "pom.xml": ["installs", "<dependency> <artifactId>b</artifactId> </dependency>"],
        "setup.cfg": ["installs", "install_requires =", "b"],
        Gemfile: ["installs", "source 'https://rubygems.org'", "gem 'b'"],
      },
    );
  });

  it("are marked if they are new and can be run as programs", async () => {
    skipWithout("files as POSIX has them");
    const bench = await ReviewBench.make(await temp(), {});
    await plant(bench.copied, { "run.sh": "echo a\n", "plain.sh": "echo a\n" });
    await chmod(join(bench.copied, "run.sh"), 0o755);
    const { changes } = await bench.review();
    assert.deepEqual(
      changes.map(({ label, ownYes }) => [label, ...ownYes]),
      [["run.sh", "executable"], ["plain.sh"]],
    );
  });

  it("aren't marked for an ordinary change", async () => {
    const before = {
      "package.json": '{"version":"1.0.0","scripts":{"test":"a","postinstall":"b"},"dependencies":{"a":"1.0.0"}}',
      "composer.json": '{"version":"1.0.0","require":{"a/b":"1"}}',
      "pyproject.toml": '[project]\nversion = "1.0"\ndependencies = ["a"]\n[tool.ruff]\nline-length = 80\n',
      "Cargo.toml": '[package]\nversion = "1.0.0"\n[dependencies]\na = "1"\n[lints.rust]\n',
      "pom.xml": "<project>\n<version>1</version>\n<dependency><version>1</version></dependency>\n</project>\n",
      "go.mod": "module a\n\nrequire (\n\tb v1.0.0\n\tc v1.0.0\n)\n",
      Makefile: "X := $(shell date)\nall:\n\techo a\n",
      Dockerfile: "FROM a\n",
      "tsconfig.json": "{}\n",
      "requirements.txt": "a==1\nb\n",
      "build.gradle": "version = '1'\ndependencies {\n  implementation 'a:b:1'\n}\n",
      "src/config.py": "a\n",
    };
    const after = {
      "package.json":
        '{"dependencies":{"a":"1.0.0"},"scripts":{"postinstall":"b","test":"a"},"version":"1.1.0","files":[]}',
      "composer.json": '{"version":"1.1.0","require":{"a/b":"1"}}',
      "pyproject.toml": '[project]\nversion = "1.1"\ndependencies = ["a"]\n[tool.ruff]\nline-length = 120\n',
      "Cargo.toml": '[package]\nversion = "1.1.0"\n# note\n[dependencies]\na  =  "1"\n[lints.rust]\nx = "deny"\n',
      "pom.xml": "<project>\n<version>2</version>\n<dependency><version>1</version></dependency>\n</project>\n",
      "go.mod": "module a\n\nrequire (\n\tc v1.0.0\n\tb v1.0.0\n)\n// note\n",
      Makefile: "X := $(shell date)\nall:\n\techo a\nlint:\n\techo b\n",
      Dockerfile: "FROM a\nRUN apt-get install -y b\n",
      "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
      "requirements.txt": "# sorted\nb\na==1\n",
      "build.gradle": "version = '2'\ndependencies {\n  implementation 'a:b:1'\n}\n",
      "src/config.py": "b\n",
    };
    assert.deepEqual(await marked(before, after), {});
  });

  it("are marked if the user's git settings run them", async () => {
    const names = ["tools/clean.sh", "hooks/pre-push", "diff.py", "tools/filter.js", "tools/other.sh", "gitsettings"];
    const found = await marked({}, filesOf(names), ({ work }) => {
      git(work, "init", "-q");
      git(work, "config", "filter.x.clean", "sh tools/clean.sh %f");
      git(work, "config", "core.hooksPath", "hooks");
      git(work, "config", "diff.x.textconv", `python3 '${join(work, "diff.py")}'`);
      git(work, "config", "alias.go", "!node tools/filter");
      git(work, "config", "include.path", "../gitsettings");
    });
    assert.deepEqual(
      found,
      named(
        names.filter((name) => name !== "tools/other.sh"),
        "git",
      ),
    );
  });
});
