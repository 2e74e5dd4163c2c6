import { WorkspaceError } from "../../core/ports/workspace.ts";
import { findErrorCode } from "../../disk/error-codes.ts";

type ErrorSentence = (label: string) => string;

/** Sentences for the model about the system's error codes, with the next step. */
const SENTENCES: Readonly<Record<string, ErrorSentence>> = {
  ENOENT: (label) => `"${label}" is not there any more. Look at its folder with list_files.`,
  EACCES: describeDeniedAccess,
  EPERM: describeDeniedAccess,
  EROFS: (label) => `"${label}" is on a read-only disk, so it was left unchanged. Choose another place.`,
  ENOSPC: describeFullDisk,
  EDQUOT: describeFullDisk,
  EFBIG: (label) => `"${label}" would become larger than the disk allows, so it was left unchanged.`,
  EISDIR: (label) => `"${label}" is a folder. Name a file in it.`,
  ENOTDIR: (label) => `"${label}" cannot be there: a name along its path is a file, not a folder.`,
  EEXIST: (label) => `"${label}" already exists. Choose another name.`,
  ENOTEMPTY: (label) => `The folder "${label}" is not empty.`,
  EBUSY: describeFileInUse,
  ETXTBSY: describeFileInUse,
  EMFILE: describeTooManyOpenFiles,
  ENFILE: describeTooManyOpenFiles,
  ENAMETOOLONG: (label) => `The name "${label.slice(0, 80)}…" is longer than the disk allows. Choose a shorter one.`,
  ELOOP: (label) => `"${label}" goes through a symbolic link that leads nowhere safe. Name the real file.`,
  EXDEV: (label) => `"${label}" is on another disk. Write the new file and delete the old one instead.`,
  EIO: (label) => `The disk failed at "${label}". Tell the user.`,
};

/** Runs a file operation. System errors become a `WorkspaceError` with a sentence about `label`. */
export async function runFileOperation<T>(label: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw convertFileError(label, error);
  }
}

/** Converts a system error to a sentence; any other error is returned unchanged. */
export function convertFileError(label: string, error: unknown): unknown {
  const code = findErrorCode(error);
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error;
  const sentence =
    SENTENCES[code]?.(label) ?? `The system refused "${label}" (${code}). Try another way, or tell the user.`;
  return new WorkspaceError(sentence, { cause: error });
}

function describeDeniedAccess(label: string): string {
  return `The system denies access to "${label}". Choose another file, or ask the user to change its permissions.`;
}

function describeFullDisk(label: string): string {
  return `The disk is full, so "${label}" was left unchanged. Ask the user to make room, then try again.`;
}

function describeFileInUse(label: string): string {
  return `"${label}" is in use by another program, such as a virus scanner, a build or an editor. Try again later, or ask the user to close it there.`;
}

function describeTooManyOpenFiles(label: string): string {
  return `Too many files are open, so "${label}" could not be opened. Try again in a moment.`;
}
