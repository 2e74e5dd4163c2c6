import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { SECRET_VARIABLE } from "./mentions.ts";
import { UNKNOWN } from "./reading.ts";
import type { ProgramCall } from "./script.ts";

/** Lists the programs that a command receives as text among its arguments. */
export function listInlineCode({ program: { code: found }, texts: args }: ProgramCall): readonly string[] {
  if (!found) return [];
  const codes: string[] = [];
  for (const [at, arg] of args.entries()) {
    if (found.flags?.test(arg)) codes.push(args[at + 1] ?? "");
    const attached = /^(?:--[\w-]+=|-[a-zA-Z]{0,6}?[ceErp](?=[^\w=-]|[a-zA-Z]\w*[\s(.;]))(.+)$/s.exec(arg)?.[1];
    if (attached !== undefined) codes.push(attached);
  }
  if (found.operandUnless && !args.some((arg) => found.operandUnless?.test(arg)))
    codes.push(...args.filter((arg) => !arg.startsWith("-") && arg !== UNKNOWN));
  return codes.filter((code) => code !== "").map((code) => code.slice(0, LONGEST_CODE));
}

/** Longer code is judged by its beginning. */
const LONGEST_CODE = 20_000;
const MOST_LITERALS = 400;

/** Code whose text is put together at run time may name anything. */
const HIDDEN =
  /\b(?:b64decode|b32decode|b16decode|a2b_\w+|unhexlify|fromhex|atob|fromCharCode|fromCodePoint|decode64|decode_base64|base64_decode|hex2bin|str_rot13|strrev|marshal\.loads|codecs\.decode|__import__|ctypes|pickle\.loads?)\b|\bchr\s*\(|\bpack\s*\(?\s*["']H|\bfrom\([^)]*["'](?:hex|base64)["']|(?<![.\w])(?:eval|exec)\s*\(|\bgetattr\s*\(\s*(?:os|__\w+|builtins|subprocess)|["']\[::-1\]/;
/** A substitution of sed whose result runs. Each delimiter has its own pattern, so that none is tried from every position. */
const RUNS_SUBSTITUTION = new RegExp(
  `^\\S{0,20}s(?:${["/", "\\|", ",", "#"].map((end) => `${end}[^${end}\n]*${end}.*${end}`).join("|")})[gpIiM0-9]*e(?![\\w/])`,
);
/** Ways to the folder of a user or to the one above. */
const HOME =
  /\bexpanduser\b|\bPath\.home\b|\bhomedir\s*\(|\bDir\.home\b|\bgethomedir\b|\buser\.home\b|\bhome_dir\b|\bUSERPROFILE\b|\bHOME\b|\bpwd\.getpw|\bgetpwuid\b|\bpardir\b|\.parents\[|\.parent\.parent|\bposix_getpwuid\b/;
/** All variables of the environment, rather than one by its name. */
const ENVIRONMENT =
  /\bos\.environ(?:b)?\b(?!\s*(?:\[|\.get\b|\.setdefault\b|\.pop\b|\.update\b))|\bprocess\.env\b(?!\s*(?:\.\w|\?\.\w|\[))|\bDeno\.env\.toObject|\bBun\.env\b(?!\.)|%ENV\b|\bENV\b(?!\s*(?:\[|\.fetch|\.key|IRON))|\$_(?:ENV|SERVER)\b(?!\s*\[)|\bgetenv\s*\(\s*\)|\bphpinfo\b|\bENVIRON\b(?!\s*\[\s*["'])|\benviron\b\s*(?:\(|\))|\bos\.environ\.(?:items|copy|values|keys)|\bSys\.getenv\s*\(\s*\)|\bSystem\.getenv\s*\(\s*\)|\$ENV\b(?!\{|\.\w)|^\s*env\s*(?:$|\|)/;

/** A variable of the environment by its name, in any language. */
const NAMED_VARIABLE =
  /(?:\benviron\w*|\bENV(?:IRON)?|\$_ENV|\$_SERVER|\bgetenv|\bprocess\.env|\bDeno\.env\.get|\bBun\.env)\s*(?:\.get)?[.[({\s'"]{1,5}(\w+)/g;

const ENDS_PROCESSES = /\bgetppid\b|\bkillpg?\s*\(\s*(?:-1|0|1)\s*,/;
const ENDS = /\bkill\b/;
const FINDS_PROCESSES = /\b(?:pgrep|pidof)\b/;

/** Explains in a clause why code asks in every mode without naming a place; undefined if it doesn't seem to. */
export function explainCodeProblem(code: string): DisplayText | undefined {
  const text = unescapeCode(code.slice(0, LONGEST_CODE));
  if (ENVIRONMENT.test(text)) return displayText("safety.line.showsEnvironment");
  for (const [, name = ""] of text.matchAll(NAMED_VARIABLE))
    if (SECRET_VARIABLE.test(name)) return displayText("safety.line.showsEnvironment");
  if (ENDS_PROCESSES.test(text) || (ENDS.test(text) && FINDS_PROCESSES.test(text)))
    return displayText("safety.line.endsByName");
  if (code === UNKNOWN) return displayText("safety.line.knownAtRunTime");
  return HIDDEN.test(text) || RUNS_SUBSTITUTION.test(text) ? displayText("safety.line.hidesCode") : undefined;
}

/** Texts in code that may be paths or command lines, and the home folder if the code finds it by itself. */
export function listCodeLiterals(code: string): readonly string[] {
  const text = unescapeCode(code.slice(0, LONGEST_CODE)).replace(/(["'])\s*[+.]?\s*\1/g, (joint, quote) =>
    joint.length > 2 ? "" : quote + quote,
  );
  const found: string[] = HOME.test(text) ? ["~"] : [];
  for (const [, , content = ""] of text.matchAll(/(["'`])((?:\\.|(?!\1)[^\\]){1,2000})\1/gs)) {
    found.push(content);
    if (found.length > MOST_LITERALS) break;
  }
  for (const [, place = ""] of text.matchAll(/(?:^|[\s;}\d$/{])[wWrR]\s+((?:~|\.\.)?\/[^\s;}]+)/g)) found.push(place);
  for (const [, place = ""] of text.matchAll(/(?:^|[\s:(<>|])((?:~|\.\.)\/[^\s"'();|]+)/g)) found.push(place);
  for (const [, place = ""] of text.matchAll(/^\s*\.\w+\s+((?:~|\.\.)?\/\S+)/gm)) found.push(place);
  return found;
}

/** Calls that start programs from code. */
const STARTS =
  /\b(?:system|popen\d?|Popen|subprocess|webbrowser|spawn(?:Sync|v\w*|l\w*)?|exec(?:Sync|File|FileSync|v\w*|l\w*|ute)?|shell_exec|passthru|proc_open|pcntl_exec|backtick|Kernel|Open3|check_output|check_call|getoutput|getstatusoutput|child_process|Deno\.(?:run|Command)|Bun\.(?:spawn|\$)|os\.startfile|qx|IO\.popen|shell)\b|`|\|\s*getline|print\s*\||\|\s*["']|!|\.s(?:hell|ystem)\b/;

/** Command lines that code would start, as far as its text shows them. */
export function listStartedLines(code: string): readonly string[] {
  const text = unescapeCode(code.slice(0, LONGEST_CODE));
  if (!STARTS.test(text)) return [];
  const lists = [...text.matchAll(/[[(]((?:\s*["'][^"'\n]{0,200}["']\s*,?){2,30}\s*)[\])]/g)].map(([, list = ""]) =>
    [...list.matchAll(/["']([^"'\n]*)["']/g)].map(([, one = ""]) => one).join(" "),
  );
  const calls = [...text.matchAll(/\(\s*["']([\w./-]{1,60})["']\s*,\s*\[([^\]]{0,600})\]/g)].map(
    ([, program = "", list = ""]) =>
      [program, ...[...list.matchAll(/["']([^"'\n]*)["']/g)].map(([, one = ""]) => one)].join(" "),
  );
  const shells = [
    ...text.matchAll(/(?:^|[\s:;])[:.]?(?:!|\.shell\s|\.system\s|shell\s|qx[{(/])([^\n'"`})]{1,300})/g),
  ].map(([, line = ""]) => line);
  const literals = listCodeLiterals(code).filter((one) => one !== "~" && one.length < LONGEST_LINE);
  return [...new Set([...literals, ...lists, ...calls, ...shells])].slice(0, MOST_LINES);
}

const LONGEST_LINE = 500;
const MOST_LINES = 30;

/** Code with its escapes replaced, so that `\x2f` is a slash. */
function unescapeCode(code: string): string {
  return code.replace(/\\(?:x([0-9a-f]{2})|u\{?([0-9a-f]{4})\}?|([0-3][0-7]{2}))/gi, (_all, hex, long, octal) =>
    String.fromCharCode(Number.parseInt(octal ?? hex ?? long, octal === undefined ? 16 : 8)),
  );
}
