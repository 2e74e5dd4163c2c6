/** The path of a folder argument: the workspace folder by any of the names the model gives it, and when it gives none. */
export function folderPath(folder: string | undefined): string {
  return folder === undefined || /^\s*\.?[\\/]*\s*$/.test(folder) ? "." : folder;
}
