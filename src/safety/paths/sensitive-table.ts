import { type DisplayText, displayText } from "../../texts/display-text.ts";

/**
 * Why paths are protected, by the paths, separated by a comma and a blank: names or `*` patterns of consecutive path segments, in lower case,
 * anywhere in the path. Everything below counts too.
 */
export type ProtectedPaths = Readonly<Record<string, DisplayText>>;

/** Files that may hold secrets. */
export const SECRETS: ProtectedPaths = {
  ".env*, *.env, *.tfvars, *.tfstate, secrets.y*ml, secrets.json, secrets.toml, .secrets*, *.kdbx, .vault*, ntuser.dat*":
    displayText("safety.line.mayHoldSecrets"),
  "*.pem, *.key, *.p12, *.pfx, *.jks, *.keystore, *.ppk, *.asc, *.gpg, id_*, *_rsa, *_ed25519, fleet-key": displayText(
    "safety.line.mayHoldPrivateKey",
  ),
  ".ssh, .gnupg, .aws, .azure, .gcloud, .config/gcloud, .oci": displayText("safety.line.holdsKeys"),
  ".kube, .docker/config.json, .dockercfg, .config/gh, .config/hub": displayText("safety.line.holdsCredentials"),
  ".netrc, _netrc, .git-credentials, credentials*, .credentials*, *credentials.json, .pgpass, .my.cnf":
    displayText("safety.line.holdsCredentials"),
  ".npmrc, .yarnrc*, .pypirc, .gem/credentials, .cargo/credentials*, .m2/settings.xml, .htpasswd": displayText(
    "safety.line.mayHoldRegistryCredentials",
  ),
  "service-account*.json, service_account*.json, .terraformrc, .boto, .s3cfg":
    displayText("safety.line.holdsCredentials"),
  ".bash_history, .zsh_history, .python_history, .node_repl_history, .psql_history, .mysql_history, .zsh_sessions, consolehost_history.txt":
    displayText("safety.line.historyMayHoldSecrets"),
  "cookies.sqlite, login data, logins.json, key4.db, keychains": displayText("safety.line.holdsBrowserSecrets"),
};

/** Files that steer programs, editors, agents or builds. */
export const CONTROLS: ProtectedPaths = {
  ".git, .gitattributes, .gitmodules, .gitconfig, .lfsconfig, .hg, .svn, .jj": displayText(
    "safety.line.steersVersionControl",
  ),
  ".husky, .githooks, lefthook.*, .lefthook*, .pre-commit-config.yaml, .lintstagedrc*":
    displayText("safety.line.runsAtCommits"),
  ".vscode, *.code-workspace, .idea, .zed, .fleet, .vs, .nvim.lua, .exrc, .vimrc":
    displayText("safety.line.steersEditor"),
  ".devcontainer, .devcontainer.json, .envrc, .tool-versions, .mise.toml, mise.toml, .direnv": displayText(
    "safety.line.steersEnvironment",
  ),
  ".github/workflows, .github/actions, .gitlab-ci.yml, .circleci, .travis.yml, jenkinsfile, azure-pipelines.yml, .buildkite, .drone.yml":
    displayText("safety.line.runsInContinuousIntegration"),
  // The user's own folder, with consents, keys and compiled code, where the workspace is their home.
  ".autogpt, .autogptignore, .local/share/autogpt, application support/autogpt, support/autogpt, appdata/local/autogpt":
    displayText("safety.line.steersThisAgent"),
  ".mcp.json, mcp.json, .mcp": displayText("safety.line.startsAgentPrograms"),
  "agents.md, agent.md, agents.override.md, claude.md, claude.local.md, gemini.md, qwen.md, crush.md, warp.md, copilot-instructions.md, *.instructions.md, *.prompt.md, *.chatmode.md, *.agent.md, skill.md":
    displayText("safety.line.instructsAgents"),
  ".cursor, .cursorrules, .cursorignore, .clinerules*, .clineignore, .cline, .roo*, .windsurf*, .codeium, .continue*, .aider*, .claude*, .gemini, .geminiignore, .codex, .opencode*, opencode.json*, .kiro, .junie, .amazonq, .augment*, .goose*, .trae, .qwen, .crush*, .openhands*, .kilocode*, .agents, .agent, .factory, .qoder, .void, .rules, .copilot, .github/instructions, .github/prompts, .github/agents, .github/chatmodes, .github/hooks, .airules, airules.md":
    displayText("safety.line.steersOtherAgents"),
  ".npmrc, .yarnrc*, .yarn, .pnpmfile.*, pnpm-workspace.yaml, .pypirc, pip.conf, .cargo/config*, .bazelrc, .mvn, gradle-wrapper.properties, nuget.config":
    displayText("safety.line.steersPackageManager"),
  ".bashrc, .bash_profile, .bash_login, .bash_logout, .profile, .zshrc, .zshenv, .zprofile, .zlogin, .inputrc, .config/fish, .config/autostart, .config/systemd, profile.ps1, *_profile.ps1, launchagents, launchdaemons, crontab, authorized_keys, known_hosts, sudoers":
    displayText("safety.line.runsAtLogin"),
};

/** Files that are started in place of well-known programs. */
const REPLACEMENTS = [
  "node_modules/.bin, .venv/bin, .venv/scripts, venv/bin, venv/scripts, .bin",
  ..."git npm npx pnpm yarn node python python3 py pip code make docker"
    .split(" ")
    .flatMap((name) => ["exe", "com", "cmd", "bat", "ps1"].map((ending) => `${name}.${ending}`)),
].join(", ");

/** Files that programs obey automatically. Reviews show them one by one; a change asks as usual, and the sandbox allows it. */
export const STEERING: ProtectedPaths = {
  ".dir-locals*.el, .emacs*, .vim, .nvim, .nvimrc, _vimrc, .gvimrc, .lvimrc, .local.vimrc, .kakrc, .helix, *.sublime-project, *.code-profile":
    displayText("safety.line.steersEditor"),
  ".gdbinit*, .lldbinit*, .radare2rc, .pdbrc*, .pythonrc*, .pryrc, .irbrc, .byebugrc, .rdbgrc*, .ghci, .ocamlinit, .iex.exs, .rprofile, .rprofile.site, rprofile.site, .renviron, .rdata, .juliarc.jl, .octaverc, startup.m, .psqlrc, .sqliterc, .mailrc, .erlang, .sbclrc, .perldb, .curlrc, .wgetrc, .screenrc, .tmux.conf, .ackrc, .ripgreprc, .lesskey, .mongorc.js, .sbtopts, .sbtrc, .jvmopts, .mavenrc, .gemrc, .rspec, .ctags, .ctags.d, .bcrc":
    displayText("safety.line.countsAtStart"),
  "sitecustomize.py, usercustomize.py, sitecustomize, usercustomize, *.pth, *.egg-link, pyvenv.cfg":
    displayText("safety.line.runsWithPython"),
  "conftest.py, setup.py, tox.ini, noxfile.py, binding.gyp, build.rs, gnumakefile":
    displayText("safety.line.runsAtBuilds"),
  "gradlew*, mvnw*, millw*, gradle/wrapper, gradle/init.d, init.gradle*, buildsrc, build-logic, tools/bazel, *.bazelrc, .bazelversion, .bazeliskrc, .buckconfig*, .watchmanconfig, .justfile, project/plugins.sbt, project/build.properties, rust-toolchain*, .cargo/bin, vagrantfile, directory.build.*, directory.solution.*, msbuild.rsp, .config/dotnet-tools.json, *.csproj.user, bunfig.toml, uv.toml, poetry.toml, .condarc, .bundle, pip.ini, deps.edn, .lein*":
    displayText("safety.line.steersBuilds"),
  [REPLACEMENTS]: displayText("safety.line.replacesProgram"),
  ".mocharc.*js, jest.config.*, jest.setup.*, vitest.config.*, vitest.workspace.*, vitest.setup.*, vite.config.*, .eslintrc.*js, eslint.config.*, .prettierrc.*s, prettier.config.*, .babelrc.*js, babel.config.*, webpack.config.*, webpack.*.js, rollup.config.*, postcss.config.*, .postcssrc.*s, tailwind.config.*, next.config.*, nuxt.config.*, svelte.config.*, astro.config.*, metro.config.*, karma.conf.*, playwright.config.*, cypress.config.*, wdio.conf.*, ava.config.*, nyc.config.*, stylelint.config.*, .stylelintrc.*js, commitlint.config.*, .commitlintrc.*s, .huskyrc*, lint-staged.config.*, release.config.*, .releaserc.*js, gulpfile.*, gruntfile.*, .remarkrc.*js":
    displayText("safety.line.runByTool"),
  "mise*.toml, .mise*.toml, .mise, .config/mise*, .rtx.toml, .envrc*, .autoenv*, .sdkmanrc, flake.nix, shell.nix, devenv.nix, devbox.json, .lando.yml, .ddev, devcontainer.json, .gitpod.yml, .gitpod.dockerfile, .replit, .codesandbox, .stackblitzrc, .asdfrc, .proto":
    displayText("safety.line.steersEnvironment"),
  ".gitlab, *.gitlab-ci.y*ml, .gitlab-ci.y*ml, bitbucket-pipelines.yml, .woodpecker*, jenkinsfile*, appveyor.yml, .appveyor.yml, .cirrus.*, .semaphore, .teamcity, azure-pipelines*, .azure-pipelines, cloudbuild.y*ml, buildspec*.y*ml, codefresh.yml, .gitea, .forgejo, .drone.*, .travis.y*ml, netlify.toml, vercel.json, render.yaml, .tekton, action.y*ml, .github/dependabot.y*ml, renovate.json*, .renovaterc*, .mergify.yml, .github/settings.yml, .platform.app.yaml":
    displayText("safety.line.runsInContinuousIntegration"),
  ".ycm_extra_conf.py, hie.yaml, .formatter.exs, .credo.exs, project.clj, .luacheckrc, ansible.cfg, .ansible.cfg, .php-cs-fixer*.php, rector.php, .storybook, .proverc, .clangd, tiltfile, setup.hs, node_modules, site-packages":
    displayText("safety.line.runByEditorOrTool"),
  "*.desktop, autorun.inf, desktop.ini, *.lnk, *.scf, *.url, *.command": displayText("safety.line.startsPrograms"),
  codeowners: displayText("safety.line.decidesReviewers"),
};
