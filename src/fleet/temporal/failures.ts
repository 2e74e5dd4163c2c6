import { isGrpcServiceError } from "@temporalio/client";
import { getErrorMessage } from "../../core/base/errors.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";

/** Codes of gRPC. */
const [INVALID, LATE, UNKNOWN, DENIED, FULL, AWAY, NOBODY] = [3, 4, 5, 7, 8, 14, 16];
/** How the library of gRPC wraps the reason for which it has no connection. */
const AWAY_REASON = /Last error: (?:Error: )?(.+?) Resolution note:/s;
/** How the server and the library name a value of more than 2 or 4 MB. */
const TOO_LONG = /exceeds (?:size )?limit|larger than max|too large/i;

/** The systems for which Temporal's library brings a program. */
const SYSTEMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

const IMAGE =
  "Use the image of packages/worker/deploy there, or a machine that you reach by ssh: autogpt --on ssh:HOST";

/** Makes a failed call of Temporal a sentence that says what to do. Other errors stay as they are. */
export function explainFailure(
  error: unknown,
  { host, namespace }: { readonly host: string; readonly namespace: string },
) {
  const cause = findServiceError(error);
  if (!cause) return error;
  const why = getErrorMessage(cause);
  switch (cause.code) {
    case INVALID:
    case FULL:
      return TOO_LONG.test(why) ? new DisplayError(displayText("temporal.tooLong")) : error;
    case UNKNOWN:
      return /namespace/i.test(why)
        ? new DisplayError(displayText("temporal.noNamespace", { host, namespace }))
        : error;
    case DENIED:
    case NOBODY:
      return new DisplayError(displayText("temporal.denied", { host, why }));
    case LATE:
    case AWAY:
      return new DisplayError(displayText("temporal.unreachable", { host, why: describeAbsence(why) }));
    default:
      return error;
  }
}

function describeAbsence(message: string): string {
  return (AWAY_REASON.exec(message)?.[1] ?? message).replace(/\.$/, "");
}

/** The answer of the server in an error of the library, which may be the cause of another one. */
function findServiceError(error: unknown) {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (isGrpcServiceError(at)) return at;
  return undefined;
}

/** Why no worker can be on a system, as a sentence with what works instead; undefined if one can. */
export function explainNoLibrary({
  platform,
  arch,
  report,
}: Pick<NodeJS.Process, "platform" | "arch" | "report">): string | undefined {
  if (!SYSTEMS.includes(`${platform}-${arch}`))
    return `Temporal's library isn't made for ${platform}-${arch}. ${IMAGE}`;
  const { header } = report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } };
  const isMusl = platform === "linux" && header?.glibcVersionRuntime === undefined;
  return isMusl ? `Temporal's library needs glibc, which Alpine and other systems with musl lack. ${IMAGE}` : undefined;
}
