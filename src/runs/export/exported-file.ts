/** One file of an export. */
export interface ExportedFile {
  /** Relative, with `/` between names. */
  readonly name: string;
  readonly text: string;
}
