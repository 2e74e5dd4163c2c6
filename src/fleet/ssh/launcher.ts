/** The oldest Node that the program runs on. */
export const OLDEST_NODE = 22;

/**
 * Finds the program on another machine and runs it with the arguments, or prints what is there instead. A shell that isn't interactive
 * often lacks the folders where users have Node. It contains nothing of others.
 */
export const LAUNCHER = `
case "$(uname -s)" in
  Darwin) own="$HOME/Library/Application Support/autogpt" ;;
  *) own="\${XDG_DATA_HOME:-$HOME/.local/share}/autogpt" ;;
esac
PATH="$PATH:$HOME/.local/bin:$HOME/bin:$HOME/.npm-global/bin:/usr/local/bin:/opt/homebrew/bin"
fits() {
  case "$("$1" --version 2>/dev/null)" in v2[2-9].*|v[3-9][0-9].*) return 0 ;; esac
  return 1
}
if ! fits node; then
  for folder in "$HOME/.local/bin" "$HOME/bin" "$HOME/.volta/bin" "$HOME"/.nvm/versions/node/*/bin \\
    "$HOME"/.local/share/fnm/node-versions/*/installation/bin /opt/homebrew/bin; do
    if fits "$folder/node"; then PATH="$folder:$PATH"; break; fi
  done
fi
export PATH
node=$(node --version 2>/dev/null)
program=
if [ -f "$own/program/autogpt.mjs" ]; then program="$own/program/autogpt.mjs"
elif command -v autogpt >/dev/null 2>&1; then program=autogpt; fi
if ! fits node || [ -z "$program" ]; then
  printf '{"type":"unfit","node":"%s","git":"%s","program":"%s","system":"%s"}\\n' "$node" \\
    "$(git --version 2>/dev/null | head -n 1)" "\${program##*/}" "$(uname -sm)"
  exit 0
fi
if [ "$program" = autogpt ]; then exec autogpt "$@"; fi
exec node "$program" "$@"
`.trim();

/** Replaces the program of a user by the files of an archive on standard input, once all of them have arrived. */
export const INSTALLER = `
set -e
case "$(uname -s)" in
  Darwin) own="$HOME/Library/Application Support/autogpt" ;;
  *) own="\${XDG_DATA_HOME:-$HOME/.local/share}/autogpt" ;;
esac
umask 077
mkdir -p "$own"
rm -rf "$own/program.new"
mkdir "$own/program.new"
trap 'rm -rf "$own/program.new"' EXIT
tar -xf - -C "$own/program.new"
[ -f "$own/program.new/autogpt.mjs" ]
rm -rf "$own/program.old"
if [ -d "$own/program" ]; then mv "$own/program" "$own/program.old"; fi
mv "$own/program.new" "$own/program"
rm -rf "$own/program.old"
printf '{"type":"started"}\\n'
`.trim();
