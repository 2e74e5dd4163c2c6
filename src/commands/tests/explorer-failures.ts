import type { FailedTest, TestReport } from "../../core/ports/tests.ts";

const FAILURE = /<testFailure name=("(?:[^"\\]|\\.)*"|undefined) path=("(?:[^"\\]|\\.)*")>\n([\s\S]*?)<\/testFailure>/g;
const PART = /<(message|expectedOutput|actualOutput)>\n([\s\S]*?)\n<\/\1>/g;
const PLACE = /<(?:location|stackFrame) path="([^"]*)" line="(\d+)"(?: col="(\d+)")? \/>/;
const OUTPUT = /<output>\n([\s\S]*)\n<\/output>/;

const PART_NAMES = { message: "", expectedOutput: "expected: ", actualOutput: "actual: " } as const;

/** Reads the failed tests that VS Code's tool reports. It doesn't report how many tests passed. */
export function readExplorerFailures(text: string): { readonly report: TestReport; readonly output: string } {
  const failures = [...text.matchAll(FAILURE)].map(([, name = '""', path = '""', body = ""]) =>
    parseFailedTest([path, name].map(stripQuotes), body),
  );
  return {
    report: { format: "Test Explorer", failed: failures.length, failures },
    output: OUTPUT.exec(text)?.[1] ?? "",
  };
}

function parseFailedTest(names: readonly string[], body: string): FailedTest {
  const parts = [...body.matchAll(PART)].map(([, part, text = ""]) =>
    isPart(part) ? `${PART_NAMES[part]}${text}` : text,
  );
  const [, file, line, column] = PLACE.exec(body) ?? [];
  const location = [file, line, column].filter((one) => one !== undefined).join(":");
  return {
    name: names
      .filter((name) => name !== "")
      .join(" › ")
      .replaceAll(" > ", " › "),
    ...(location === "" ? {} : { location }),
    message: parts.join("\n").trim(),
  };
}

function isPart(name: string | undefined): name is keyof typeof PART_NAMES {
  return name !== undefined && Object.hasOwn(PART_NAMES, name);
}

function stripQuotes(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return "";
  }
}
