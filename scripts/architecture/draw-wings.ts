import { layersOf, type WingGraph, withoutShortcuts } from './wings.ts'

/** A short description of each wing, shown in its box. */
const CONTENTS: Readonly<Record<string, string>> = {
  base: 'errors, config, log',
  schema: 'content-types',
  query: 'query strings',
  extensions: 'hooks, routes, jobs',
  configuration: 'quire.config.ts',
  mongo: 'versions, commit log',
  jobs: 'work under leases',
  media: 'files, images',
  people: 'access, users',
  content: 'documents, releases',
  changes: 'sync, live, webhooks',
  describe: 'OpenAPI, clients',
  transfer: 'archives, apply',
  http: 'routes, middleware',
  server: 'opens and starts all',
  main: 'entry of the server',
  cli: 'commands',
  dev: 'quire dev',
  public: 'entry for projects',
  quire: 'entry of quire',
  register: 'TypeScript in tests',
}

const WIDTH = 760
const BOX = { width: 150, height: 44 }
const ROW = 84
const MARGIN = 16
const GAP = 26
const BEND_WIDTH = 10
/** Rounds of ordering the nodes of each layer by their neighbors. */
const ROUNDS = 12

/** A box, or a bend of an arrow that crosses its layer. */
interface Node {
  readonly name: string
  readonly layer: number
  readonly isBend: boolean
  x: number
}

interface Arrow {
  readonly from: string
  readonly to: string
  /** The names of its nodes from top to bottom. */
  readonly path: readonly string[]
}

/** Draws the wings in layers, as SVG. An arrow that follows from other arrows is omitted. */
export function drawWings(graph: WingGraph): string {
  const layers = layersOf(graph)
  const arrows = [...withoutShortcuts(graph)].flatMap(([from, targets]) =>
    [...targets].map((to) => arrowBetween(from, to, layers)),
  )
  const nodes = placeNodes(layers, arrows)
  const top = Math.max(...layers.values())
  const yOf = (layer: number): number => MARGIN + (top - layer) * ROW
  const height = yOf(0) + BOX.height + MARGIN
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" role="img">`,
    '<title>The wings of src and their imports</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#6b6557"/></marker></defs>',
    ...arrows.map((arrow) => drawArrow(arrow, nodes, yOf)),
    ...[...nodes.values()].filter(({ isBend }) => !isBend).map((node) => drawBox(node, yOf)),
    '</svg>',
    '',
  ].join('\n')
}

function arrowBetween(from: string, to: string, layers: ReadonlyMap<string, number>): Arrow {
  const [high = 0, low = 0] = [layers.get(from), layers.get(to)]
  const bends = Array.from(
    { length: high - low - 1 },
    (_, index) => `${from}>${to}:${high - 1 - index}`,
  )
  return { from, to, path: [from, ...bends, to] }
}

function placeNodes(
  layers: ReadonlyMap<string, number>,
  arrows: readonly Arrow[],
): ReadonlyMap<string, Node> {
  const nodes = new Map<string, Node>()
  for (const [name, layer] of [...layers].sort(([one], [other]) => (one < other ? -1 : 1))) {
    nodes.set(name, { name, layer, isBend: false, x: WIDTH / 2 })
  }
  for (const { path } of arrows) {
    for (const name of path.slice(1, -1)) {
      nodes.set(name, { name, layer: Number(name.split(':')[1]), isBend: true, x: WIDTH / 2 })
    }
  }
  const all = [...nodes.values()]
  const numbers = [...new Set(all.map(({ layer }) => layer))]
  const rows = new Map(numbers.map((layer) => [layer, all.filter((node) => node.layer === layer)]))
  for (const row of rows.values()) spread(row)
  const neighbors = neighborsOf(arrows, nodes)
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = [...rows.keys()].sort((one, other) =>
      round % 2 === 0 ? one - other : other - one,
    )
    for (const layer of order) {
      const row = rows.get(layer) ?? []
      const wanted = new Map(
        row.map((node) => [node, centerOf(neighbors.get(node.name) ?? [], node.x)]),
      )
      row.sort((one, other) => (wanted.get(one) ?? 0) - (wanted.get(other) ?? 0))
      spread(row)
    }
  }
  return nodes
}

function neighborsOf(
  arrows: readonly Arrow[],
  nodes: ReadonlyMap<string, Node>,
): ReadonlyMap<string, readonly Node[]> {
  const pairs = arrows.flatMap(({ path }) =>
    path.slice(1).flatMap((below, index) => {
      const above = path[index] ?? ''
      return [
        [above, below],
        [below, above],
      ] as const
    }),
  )
  const found = new Map<string, Node[]>()
  for (const [name, other] of pairs) {
    const node = nodes.get(other)
    if (node !== undefined) found.set(name, [...(found.get(name) ?? []), node])
  }
  return found
}

function centerOf(nodes: readonly Node[], otherwise: number): number {
  if (nodes.length === 0) return otherwise
  return nodes.reduce((sum, { x }) => sum + x, 0) / nodes.length
}

/** Centers a row on the picture. */
function spread(row: readonly Node[]): void {
  const widthOf = ({ isBend }: Node): number => (isBend ? BEND_WIDTH : BOX.width)
  const total = row.reduce((sum, node) => sum + widthOf(node), 0) + GAP * (row.length - 1)
  let left = (WIDTH - total) / 2
  for (const node of row) {
    node.x = left + widthOf(node) / 2
    left += widthOf(node) + GAP
  }
}

function drawArrow(
  { from, to, path }: Arrow,
  nodes: ReadonlyMap<string, Node>,
  yOf: (layer: number) => number,
): string {
  const points = path.flatMap((name, index): readonly (readonly [number, number])[] => {
    const { x = 0, layer = 0 } = nodes.get(name) ?? {}
    const [boxTop, boxBottom] = [yOf(layer), yOf(layer) + BOX.height]
    if (index === 0) return [[x, boxBottom]]
    if (index === path.length - 1) return [[x, boxTop - 2]]
    return [
      [x, boxTop], // passes between the boxes of its layer
      [x, boxBottom],
    ]
  })
  const [[startX, startY] = [0, 0], ...rest] = points
  let last = [startX, startY] as readonly [number, number]
  const curves = rest.map(([x, y]) => {
    const middle = round((last[1] + y) / 2)
    const curve = `C${round(last[0])} ${middle} ${round(x)} ${middle} ${round(x)} ${round(y)}`
    last = [x, y]
    return curve
  })
  return `<path d="M${round(startX)} ${round(startY)} ${curves.join(' ')}" fill="none" stroke="#6b6557" stroke-width="1.4" marker-end="url(#head)"><title>${from} imports ${to}</title></path>`
}

function drawBox({ name, layer, x }: Node, yOf: (layer: number) => number): string {
  const [left, y] = [x - BOX.width / 2, yOf(layer)]
  return [
    `<rect x="${round(left)}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6" fill="#f6f3ec" stroke="#8a8373"/>`,
    `<text x="${round(x)}" y="${y + 19}" text-anchor="middle" font-size="14" font-weight="600" fill="#1f1d19">${name}</text>`,
    `<text x="${round(x)}" y="${y + 35}" text-anchor="middle" font-size="11" fill="#5d584c">${CONTENTS[name] ?? ''}</text>`,
  ].join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
