import * as fc from 'fast-check'
import { documentIdFor } from '../../src/mongo/versions/document-id.ts'
import { declare } from './server.ts'

const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
})

/** Fully connected nodes, and shelves with books. Responses grow with each populated level. */
export const CONTENT_TYPES = {
  node: declare('node', {
    name: { type: 'string' },
    number: { type: 'integer' },
    links: relation('manyToMany', 'node', { inversedBy: 'backs' }),
    backs: relation('manyToMany', 'node', { mappedBy: 'links' }),
    shelf: relation('manyToOne', 'shelf'),
  }),
  shelf: declare('shelf', {
    name: { type: 'string' },
    books: relation('oneToMany', 'book', { mappedBy: 'shelf' }),
  }),
  book: declare('book', {
    title: { type: 'string' },
    text: { type: 'text' },
    shelf: relation('manyToOne', 'shelf', { inversedBy: 'books' }),
    nodes: relation('manyToMany', 'node'),
  }),
}

export const NODES = 60
export const SHELVES = 5
export const BOOKS = 800

export const idOf = (kind: string, n: number): string => documentIdFor(`${kind}:${n}`)

const STEPS: Readonly<Record<string, readonly string[]>> = {
  node: ['links', 'backs', 'shelf'],
  shelf: ['books'],
  book: ['shelf', 'nodes'],
}
const LEADS_TO: Readonly<Record<string, string>> = {
  links: 'node',
  backs: 'node',
  nodes: 'node',
  shelf: 'shelf',
  books: 'book',
}
const TEXT: Readonly<Record<string, string>> = { node: 'name', shelf: 'name', book: 'title' }

interface Path {
  readonly steps: readonly string[]
  readonly end: string
}

function pathFrom(kind: string, maxLength: number): fc.Arbitrary<Path> {
  const choices = fc.array(fc.nat(2), { minLength: 1, maxLength })
  return choices.map((picks) => {
    let end = kind
    const steps = picks.map((pick) => {
      const known = STEPS[end] ?? []
      const step = known[pick % known.length] ?? 'links'
      end = LEADS_TO[step] ?? 'node'
      return step
    })
    return { steps, end }
  })
}

function populate(kind: string): fc.Arbitrary<string> {
  const dotted = pathFrom(kind, 12).map(({ steps }) => `populate=${steps.join('.')}`)
  const nested = fc
    .tuple(
      pathFrom(kind, 8),
      fc.constantFrom('=true', '[populate]=*', '[count]=true', '=ids', '[sort]=id:desc'),
    )
    .map(([{ steps }, last]) => `populate[${steps.join('][populate][')}]${last}`)
  const paged = fc
    .tuple(pathFrom(kind, 3), fc.integer({ min: 1, max: 100 }))
    .map(
      ([{ steps }, size]) => `populate[${steps.join('][populate][')}][pagination][limit]=${size}`,
    )
  return fc.oneof(dotted, nested, paged, fc.constant('populate=*'))
}

const sort = (kind: string): fc.Arbitrary<string> =>
  fc
    .tuple(pathFrom(kind, 5), fc.constantFrom('', ':desc'))
    .map(([{ steps, end }, order]) => `sort=${[...steps, TEXT[end]].join('.')}${order}`)

function filter(kind: string): fc.Arbitrary<string> {
  const operand = fc.constantFrom('[$contains]=1', '[$ne]=x', '[$notContainsi]=z', '[$null]=false')
  const deep = fc
    .tuple(pathFrom(kind, 6), operand)
    .map(([{ steps, end }, test]) => `filters[${[...steps, TEXT[end]].join('][')}]${test}`)
  const long = fc
    .integer({ min: 1, max: 1_200 })
    .map((count) =>
      Array.from({ length: count }, (_, n) => `filters[id][$in][${n}]=${n}`).join('&'),
    )
  const wide = fc
    .tuple(pathFrom(kind, 2), fc.integer({ min: 1, max: 60 }))
    .map(([{ steps, end }, count]) =>
      Array.from({ length: count }, (_, n) => {
        const path = [...steps, TEXT[end]].join('][')
        return `filters[$or][${n}][${path}][$contains]=${n}`
      }).join('&'),
    )
  return fc.oneof(deep, long, wide)
}

const page = fc.oneof(
  fc.constantFrom(
    'pagination[pageSize]=100',
    'pagination[start]=0&pagination[limit]=-1',
    'pagination[pageSize]=1',
  ),
  fc.integer({ min: 1, max: 1_000_000 }).map((n) => `pagination[page]=${n}`),
)

/** A query about content that is short and as expensive as possible. */
export function expensiveQuestion(): fc.Arbitrary<string> {
  return fc
    .constantFrom('node', 'shelf', 'book')
    .chain((kind) =>
      fc
        .tuple(
          fc.option(populate(kind), { freq: 4, nil: '' }),
          fc.option(sort(kind), { freq: 1, nil: '' }),
          fc.option(filter(kind), { freq: 1, nil: '' }),
          fc.option(page, { freq: 1, nil: '' }),
        )
        .map(
          (parts) =>
            `/api/${kind === 'shelf' ? 'shelfs' : `${kind}s`}?${parts.filter((part) => part !== '').join('&')}`,
        ),
    )
}

/** A random size, format and quality of the image at `url`. */
export function variantOf(url: string): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(16, 64, 256, 640, 1080, 1920),
      fc.constantFrom('inside', 'cover', 'fill'),
      fc.constantFrom('avif', 'webp', 'jpeg', 'png'),
      fc.constantFrom(50, 75, 90),
    )
    .map(
      ([width, fit, format, quality]) =>
        `${url}?width=${width}&height=64&fit=${fit}&format=${format}&quality=${quality}`,
    )
}
