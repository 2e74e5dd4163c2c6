/** An area of a picture, in shares of its width and height. */
export interface MarkedArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const FIRST_AREA: MarkedArea = { left: 0.3, top: 0.3, width: 0.4, height: 0.4 };

/** The share that one press of an arrow key moves or resizes an area by. */
const STEP = 0.02;
const LEAST = 0.02;

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** The area after an arrow key: it moves, or with Shift its right and lower edges do. Undefined for other keys. */
export function changeAreaByKey(area: MarkedArea, key: string, isResized: boolean): MarkedArea | undefined {
  const [x, y] = ARROWS[key] ?? [];
  if (x === undefined || y === undefined) return undefined;
  if (!isResized)
    return { ...area, left: clamp(area.left + x, 0, 1 - area.width), top: clamp(area.top + y, 0, 1 - area.height) };
  const width = clamp(area.width + x, LEAST, 1 - area.left);
  return { ...area, width, height: clamp(area.height + y, LEAST, 1 - area.top) };
}

/** A place in a picture, in shares of its width and height. */
interface MarkedPoint {
  readonly x: number;
  readonly y: number;
}

/** The area between two corners, which a pointer may have drawn beyond the picture. */
export function computeArea(one: MarkedPoint, other: MarkedPoint): MarkedArea {
  const [left, right] = [one.x, other.x].map((value) => clamp(value, 0, 1)).sort((a, b) => a - b) as [number, number];
  const [top, bottom] = [one.y, other.y].map((value) => clamp(value, 0, 1)).sort((a, b) => a - b) as [number, number];
  const width = Math.max(LEAST, right - left);
  const height = Math.max(LEAST, bottom - top);
  return { left: Math.min(left, 1 - width), top: Math.min(top, 1 - height), width, height };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
