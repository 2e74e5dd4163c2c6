import { demandExpressible, type View } from "./view.ts";

/** A container for one program. */
export interface ContainerStart {
  readonly image: string;
  readonly name?: string;
  /** The folder to start in, by its path on this machine or in the container. */
  readonly cwd?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Further options of the engine. */
  readonly options?: readonly string[];
  readonly words: readonly string[];
}

/**
 * The arguments of `docker` or `podman` that run a program in a container, which is removed afterward. It sees the image's system and
 * what `view` names beside it.
 */
export function buildContainerArguments(view: View, start: ContainerStart): readonly string[] {
  const { image, name, cwd, variables = {}, options = [], words } = start;
  const { user } = view;
  demandExpressible(view, "A container", [
    "powers",
    "system",
    "emptied",
    "fixed",
    "sealed",
    "blanked",
    "openExcept",
    "fixedNames",
  ]);
  return [
    "run",
    "--rm",
    "--init",
    ...(name === undefined ? [] : ["--name", name]),
    ...listNetworkOptions(view),
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
    ...options,
    ...(typeof user === "string" ? [] : ["--user", `${user.id}:${user.group}`]),
    ...Object.entries(variables).flatMap(([key, value]) => ["--env", `${key}=${value}`]),
    ...view.scratch.flatMap(({ from, at }) => (from === undefined ? [] : mount(from, at, true))),
    ...view.readable.flatMap((path) => mount(path, path, false)),
    ...view.writable.flatMap((path) => mount(path, path, true)),
    ...view.mounted.flatMap(({ from, at, writable }) => mount(from, at, writable)),
    ...(cwd === undefined ? [] : ["--workdir", convertToContainerPath(cwd)]),
    image,
    ...words,
  ];
}

function listNetworkOptions({ network }: View): readonly string[] {
  if (network.kind === "machine") return [];
  const isShared = network.kind === "shared" && network.container !== undefined;
  return ["--network", isShared ? `container:${network.container}` : "none"];
}

function mount(from: string, at: string, writable: boolean): readonly string[] {
  const fields = `source=${quoteCsvField(from)},target=${quoteCsvField(convertToContainerPath(at))}`;
  return ["--mount", `type=bind,${fields}${writable ? "" : ",readonly"}`];
}

/** Converts a path for containers. A Windows drive letter becomes a folder. */
function convertToContainerPath(path: string): string {
  const [, drive, rest = ""] = /^([a-z]):(.*)$/is.exec(path) ?? [];
  return drive === undefined ? path : `/${drive.toLowerCase()}${rest.replaceAll("\\", "/")}`;
}

/** A field of a comma-separated option. */
function quoteCsvField(field: string): string {
  return /[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
