/** A line of a plot, with its points from left to right. */
export interface Series {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

export interface Plot {
  readonly title: string
  readonly x: string
  readonly y: string
  /** The y axis starts at 0, or at a power of ten. */
  readonly scale: 'linear' | 'logarithmic'
  readonly series: readonly Series[]
}

type Scale = (value: number) => number

interface Axis {
  readonly place: Scale
  /** The labelled values. */
  readonly levels: readonly number[]
}

const WIDTH = 640
const HEIGHT = 400
const AREA = { left: 70, right: 620, top: 50, bottom: 340 } as const
const COLOURS = ['#0b6e99', '#c2541b', '#3f7d20', '#7a3e9d']
const STEPS = 4

/**
 * Renders a plot as SVG: a logarithmic x axis, a mark per point and a legend.
 * @throws RangeError if there are no points, or a value on a logarithmic scale is not positive
 */
export function toSvg({ title, x, y, scale, series }: Plot): string {
  const points = series.flatMap((line) => line.points)
  const isBelow = ([at, value]: readonly [number, number]): boolean =>
    at <= 0 || (scale === 'logarithmic' && value <= 0)
  if (points.length === 0 || points.some(isBelow)) {
    throw new RangeError('a plot needs points, and a logarithmic scale needs them above 0')
  }
  const ticks = [...new Set(points.map(([at]) => at))].toSorted((one, other) => one - other)
  const [low = 1, high = 1] = [ticks[0], ticks.at(-1)]
  const span = Math.log(high / low) || 1
  const left: Scale = (at) => AREA.left + (Math.log(at / low) / span) * (AREA.right - AREA.left)
  const values = points.map(([, value]) => value)
  const { place: down, levels } = scale === 'linear' ? linear(values) : logarithmic(values)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(WIDTH / 2, 24, title, 'middle', 15),
    text((AREA.left + AREA.right) / 2, 378, x, 'middle'),
    text(AREA.left, AREA.top - 10, y, 'middle'),
    ...levels.flatMap((level) => [
      `<path d="M${AREA.left} ${round(down(level))}H${AREA.right}" stroke="#ddd"/>`,
      text(AREA.left - 8, down(level) + 4, short(level), 'end'),
    ]),
    ...ticks.map((tick) => text(left(tick), AREA.bottom + 18, short(tick), 'middle')),
    ...series.flatMap((line, index) => drawLine(line, index, { left, down })),
    '</svg>',
    '',
  ].join('\n')
}

function linear(values: readonly number[]): Axis {
  const top = roundUp(Math.max(...values))
  return {
    place: (value) => AREA.bottom - (value / top) * (AREA.bottom - AREA.top),
    levels: Array.from({ length: STEPS + 1 }, (_, step) => (top * step) / STEPS),
  }
}

function logarithmic(values: readonly number[]): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1)
  return {
    place: (value) =>
      AREA.bottom - ((Math.log10(value) - low) / (high - low)) * (AREA.bottom - AREA.top),
    levels: Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step)),
  }
}

function drawLine(
  { name, points }: Series,
  index: number,
  { left, down }: { readonly left: Scale; readonly down: Scale },
): readonly string[] {
  const colour = COLOURS[index % COLOURS.length] ?? 'black'
  const places = points.map(([at, value]) => `${round(left(at))},${round(down(value))}`)
  const row = AREA.top + 8 + index * 18
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...places.map((place) => {
      const [cx = '', cy = ''] = place.split(',')
      return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`
    }),
    `<rect x="${AREA.right - 150}" y="${row - 9}" width="10" height="10" fill="${colour}"/>`,
    text(AREA.right - 134, row, name, 'start'),
  ]
}

function text(x: number, y: number, content: string, anchor: string, size = 12): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}">${escaped}</text>`
}

/** Rounds up to 1, 2, 4, 6, 8 or 10 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 6, 8].find((step) => step * power >= value) ?? 10) * power
}

function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000} M`
  if (value >= 10_000) return `${value / 1000} k`
  return String(round(value))
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
