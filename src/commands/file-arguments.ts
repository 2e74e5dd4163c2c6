/** Older and other names of the argument that names a file. */
export const FILE_ALIASES: Readonly<Record<string, string>> = {
  file: "filename",
  file_name: "filename",
  file_path: "filename",
  filepath: "filename",
  fileName: "filename",
  filePath: "filename",
  path: "filename",
  name: "filename",
};

/** Older and other names of the argument that holds a file's text. */
export const CONTENTS_ALIASES: Readonly<Record<string, string>> = {
  text: "contents",
  content: "contents",
  data: "contents",
};

/** Older and other names of the argument that names a folder. */
export const FOLDER_ALIASES: Readonly<Record<string, string>> = {
  directory: "folder",
  dir: "folder",
  path: "folder",
  folder_path: "folder",
  folder_name: "folder",
  directory_path: "folder",
};

/** The schema of an argument that names a file. */
export const FILENAME = {
  type: "string",
  minLength: 1,
  description: 'Like "src/app.ts".',
} as const;
