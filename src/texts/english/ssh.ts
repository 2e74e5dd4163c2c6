/** Texts about machines that are reached by ssh. */
export const sshTexts = {
  "ssh.badHost":
    '"{host}" can\'t be the name of a machine. Take a name from ~/.ssh/config, made of letters, digits, dots, dashes and underscores.',
  "ssh.noSsh": "The program ssh isn't installed on this machine. Install OpenSSH, then try again.",
  "ssh.hostKeyChanged":
    "{host} shows another host key than before. If its system was installed again, remove the old key, with the command that this prints in a terminal: ssh {host}; otherwise someone may be pretending to be it.",
  "ssh.hostKeyUnknown":
    "This machine doesn't know the host key of {host} yet. Connect once in a terminal and compare the key: ssh {host}",
  "ssh.password":
    "{host} asks for a password, which can't be typed here. Set up a key once in a terminal: ssh-copy-id {host}",
  "ssh.denied":
    "{host} doesn't accept your SSH key. Check User and IdentityFile of {host} in ~/.ssh/config, or add the key to your agent with ssh-add.",
  "ssh.unknownHost":
    "The address of {host} can't be found. Check HostName of {host} in ~/.ssh/config, and whether you need a VPN.",
  "ssh.refused":
    "{host} is there but doesn't accept SSH connections. Start its SSH server, or check Port in ~/.ssh/config.",
  "ssh.unreachable":
    "{host} can't be reached. Check whether it's switched on and connected; a run there goes on without this connection.",
  "ssh.noShell": "{host} has no POSIX shell. Runs need Linux or macOS there; on Windows, connect to WSL.",
  "ssh.lost": "The connection to {host} ended. A run there goes on without it.",
  "ssh.diskFull": "The disk of {host} is full. Make room there, then try again.",
  "ssh.failed": "{host} can't be used: {said}",
  "ssh.says": "{host} reports: {said}",
  "ssh.notOurs":
    "The answer of {host} isn't one of AutoGPT. Install the same version on both machines; if its shell prints a greeting, limit that to interactive shells.",
  "ssh.noNode":
    "{host} has no Node. Install version 22 or newer there, for example with: curl -fsSL https://fnm.vercel.app/install | bash && fnm install 24",
  "ssh.oldNode":
    "{host} has Node {found}, and version 22 or newer is needed. Update it there, for example with: fnm install 24",
  "ssh.noGit": "{host} has no git, which carries the files. Install it there, for example with: sudo apt install git",
  "ssh.noWalls":
    "{host} has no sandbox, so no run starts there: {said} On Debian or Ubuntu, install one with: sudo apt install bubblewrap",
  "ssh.noProgram":
    "AutoGPT isn't installed on {host} for your user. Copy the one of your command line there with: autogpt fleet set-up --on ssh:{host}",
  "ssh.oldProgram":
    "{host} has AutoGPT {found}, which is older than the {own} of this machine. Replace it with: autogpt fleet set-up --on ssh:{host}",
  "ssh.newProgram":
    "{host} has AutoGPT {found}, which is newer than the {own} of this machine. Update AutoGPT here, then send the task again.",
  "ssh.noKey":
    "{host} doesn't have your fleet key yet, which seals your runs. Send it with: autogpt fleet set-up --on ssh:{host}",
  "ssh.otherKey":
    "{host} has another fleet key than this machine. Take the one that both should have: autogpt fleet key export there, autogpt fleet key import here.",
  "ssh.noTar":
    "The program tar isn't installed on this machine, so AutoGPT can't be copied to {host}. Install it on {host} with npm instead.",
} as const;
