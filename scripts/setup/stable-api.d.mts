export declare function declaredNames(text: string): Set<string>;
export declare function newerMembers(
  code: string,
  table: Readonly<Record<string, string>>,
  known: ReadonlySet<string>,
  file?: string,
): Map<string, string>;
export declare function versionTroubles(
  manifest: {
    readonly engines: { readonly vscode: string };
    readonly enabledApiProposals?: readonly string[];
  },
  types: string,
): readonly string[];
