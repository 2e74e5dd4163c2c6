/** A spelling that is refused before the disk is asked, with what to tell the model. */
interface Trick {
  readonly spelt: RegExp;
  readonly says: string;
  /** Only elsewhere than on Windows, or only there. */
  readonly on?: "posix" | "windows";
  /** Away from Windows such a file may exist, and then it is only a file. */
  readonly mayExist?: true;
}

const LONGEST_PATH = 4096;

/** Looked for in the whole path. */
const PATH_TRICKS: readonly Trick[] = [
  { spelt: /\0|%00/, says: "it holds a NUL character" },
  { spelt: /\\(?:0|x00|u0000|z)(?![1-9a-y])/i, says: "it spells a NUL character", on: "posix" },
  { spelt: /^(?:file:|[a-z][a-z0-9+.-]+:[\\/])/i, says: "it is an address, not a path" },
  { spelt: /^[\\/]{2}/, says: "it names another machine or a device" },
  { spelt: /^[a-z]:/i, says: "it names a drive, and this system has none", on: "posix", mayExist: true },
  { spelt: /^[a-z]:(?![\\/])/i, says: "it is relative to a drive", on: "windows" },
  { spelt: /^~(?:[\\/]|$|[a-z_][\w.-]*[\\/])/i, says: "`~` is not expanded", mayExist: true },
  { spelt: /^(?:\$\{?\w+\}?|%\w+%)(?:[\\/]|$)/, says: "variables are not expanded", mayExist: true },
];

/** Looked for in each name along the path, a drive left out. */
const NAME_TRICKS: readonly Trick[] = [
  {
    spelt: /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[.: ]|$)/i,
    says: "Windows takes that name for a device",
    mayExist: true,
  },
  { spelt: /:/, says: "a colon names a hidden stream of a file", on: "windows" },
  { spelt: /::|:\$/, says: "a colon names a hidden stream of a file on Windows", mayExist: true },
  { spelt: /[. ]$/, says: "a name cannot end with a dot or a space on Windows", mayExist: true },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this line is about
  { spelt: /[\x01-\x1f\x7f]/, says: "a name holds control characters", mayExist: true },
];

/** What is wrong with how a path is spelt. `mayExist`: nothing, if there is a file of that name. */
export interface BadSpelling {
  readonly says: string;
  readonly mayExist: boolean;
}

/** The first trick in a path's spelling; undefined when it is plain. */
export function badSpelling(path: string, windows: boolean): BadSpelling | undefined {
  if (path.length > LONGEST_PATH)
    return { says: `it is longer than ${LONGEST_PATH} characters`, mayExist: false };
  const names = (windows ? path.replace(/^[a-z]:/i, "") : path).split(windows ? /[\\/]/ : "/");
  const found =
    firstOf(PATH_TRICKS, [path], windows) ??
    firstOf(
      NAME_TRICKS,
      names.filter((name) => name !== "." && name !== ".."),
      windows,
    );
  return found && { says: found.says, mayExist: found.mayExist === true && !windows };
}

function firstOf(tricks: readonly Trick[], texts: readonly string[], windows: boolean): Trick | undefined {
  const here = windows ? "windows" : "posix";
  return tricks.find(({ spelt, on }) => (on ?? here) === here && texts.some((text) => spelt.test(text)));
}
