/** Numbers of Linux system calls by processor. */
const NUMBERS = {
  x64: {
    arch: 0xc000003e,
    socket: 41,
    refused: [248, 249, 250, 321, 298, 323, 246, 320, 175, 313, 176, 304],
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    refused: [217, 218, 219, 280, 241, 282, 104, 294, 105, 273, 106, 265],
  },
} as const;

/** Calls of io_uring, which can create sockets past this filter. The numbers are the same on all processors. */
const RINGS = [425, 426, 427];

/** Socket families that the namespaces confine: unix, inet, inet6, netlink. Others, such as vsock, reach the host. */
const FAMILIES = [1, 2, 10, 16];

const [LOAD, EQUAL, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06];
const ALLOW = 0x7fff0000;
const [NOT_PERMITTED, NOT_THERE, NO_SUCH_FAMILY] = [0x00050001, 0x00050026, 0x00050061];
/** Flag of the x32 system calls of x86-64. */
const X32 = 0x40000000;

/**
 * Creates a seccomp filter for the kernel. It blocks keyrings, kernel modules, kernel tracing, file handles, and sockets that reach the
 * host. Undefined for other processors.
 */
export function createSystemCallFilter(processor: string = process.arch): Buffer | undefined {
  if (processor !== "x64" && processor !== "arm64") return undefined;
  const { arch, socket, refused } = NUMBERS[processor];
  const buildReturnIfEqual = (number: number, answer: number): Instruction[] => [
    [EQUAL, 0, 1, number],
    [RETURN, 0, 0, answer],
  ];
  return encodeFilterProgram([
    [LOAD, 0, 0, 4],
    [EQUAL, 1, 0, arch],
    [RETURN, 0, 0, NOT_THERE],
    [LOAD, 0, 0, 0],
    [AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, NOT_THERE],
    ...refused.flatMap((number) => buildReturnIfEqual(number, NOT_PERMITTED)),
    ...RINGS.flatMap((number) => buildReturnIfEqual(number, NOT_THERE)),
    [EQUAL, 1, 0, socket],
    [RETURN, 0, 0, ALLOW],
    [LOAD, 0, 0, 16],
    ...FAMILIES.flatMap((family) => buildReturnIfEqual(family, ALLOW)),
    [RETURN, 0, 0, NO_SUCH_FAMILY],
  ]);
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

function encodeFilterProgram(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
