import * as fc from 'fast-check'
import type { Status } from './dump.ts'
import type { Node, Populate } from './expected.ts'
import type { Where } from './oracle.ts'
import {
  PRIVATE_ATTRIBUTE,
  relationsOf,
  SCALARS,
  type Shapes,
  type TypeName,
  TYPES,
} from './world.ts'

interface Base extends Node {
  readonly principal: number
  readonly type: TypeName
  readonly at: Status
}

export interface ListProbe extends Base {
  readonly door: 'list' | 'query' | 'mcp'
  readonly sort: string | null
  readonly pageSize: number
  /** The way to read all pages. */
  readonly pages: 'page' | 'start' | 'cursor'
  readonly withCount: 'true' | 'estimate'
  /** Another principal that reads the same address at the same moment. */
  readonly other: number
}

export interface EntryProbe extends Base {
  readonly door: 'entry'
  /** The last position is an id that does not exist. */
  readonly position: number
}

export interface SearchProbe extends Base {
  readonly door: 'search'
  readonly position: number
}

export type Probe = ListProbe | EntryProbe | SearchProbe

export const PRINCIPALS = 6

const fieldNames = [...SCALARS, PRIVATE_ATTRIBUTE]

function filterOf(shapes: Shapes, type: string, depth: number): fc.Arbitrary<Where> {
  const rank = fc.integer({ min: 0, max: 3 })
  if (type === 'team')
    return fc.constantFrom('team0', 'team1').map((name) => ({ name: { $eq: name } }))
  const own = fc.oneof(
    ...['$eq', '$ne', '$gt', '$lte'].map((name) =>
      rank.map((value) => ({ rank: { [name]: value } })),
    ),
    fc.boolean().map((value) => ({ flag: { $eq: value } })),
    fc.boolean().map((value) => ({ rank: { $null: value } })),
    fc.constantFrom('ape', 'asp').map((value) => ({ word: { $eq: value } })),
    fc.constant({ hidden: { $eq: 'h0' } }),
  )
  if (depth === 0) return own
  const inner = filterOf(shapes, type, depth - 1)
  const below = relationNames(shapes, type).flatMap(([name, target]) => [
    filterOf(shapes, target, depth - 1).map((value) => ({ [name]: value })),
    fc.boolean().map((value) => ({ [name]: { $null: value } })),
  ])
  return fc.oneof(
    own,
    ...below,
    inner.map((value) => ({ $not: value })),
    fc.tuple(inner, inner).map((list) => ({ $or: list })),
  )
}

/** Users are no target of a probe, because no principal may read them. */
function relationNames(shapes: Shapes, type: string): readonly (readonly [string, string])[] {
  return Object.entries(relationsOf(shapes)[type] ?? {}).flatMap(([name, { target }]) =>
    target === 'user' ? [] : [[name, target] as const],
  )
}

function populateOf(shapes: Shapes, type: string, depth: number): fc.Arbitrary<Populate> {
  const below = (target: string): fc.Arbitrary<'ids' | 'count' | Node> =>
    fc.oneof(
      fc.constant('ids' as const),
      fc.constant('count' as const),
      depth === 0 ? fc.constant({}) : nodeOf(shapes, target, depth - 1),
    )
  const names = relationNames(shapes, type)
  const each = names.map(([name, target]) => below(target).map((node) => [name, node] as const))
  const options = TYPES.some((name) => name === type)
    ? [...each, partOf(shapes, type, depth).map((node) => ['part', node] as const)]
    : each
  if (options.length === 0) return fc.constant({})
  return fc
    .uniqueArray(fc.oneof(...options), { maxLength: 3, selector: ([name]) => name })
    .map((list) => Object.fromEntries(list))
}

function partOf(shapes: Shapes, type: string, depth: number): fc.Arbitrary<Node> {
  if (depth === 0) return fc.constant({})
  return populateOf(shapes, `${type}Part`, depth - 1).map((populate) => ({ populate }))
}

function nodeOf(shapes: Shapes, type: string, depth: number): fc.Arbitrary<Node> {
  const isContent = TYPES.some((name) => name === type)
  return fc
    .record({
      filters: fc.option(isContent ? filterOf(shapes, type, 1) : fc.constant(null), { nil: null }),
      fields: fc.oneof(
        { weight: 3, arbitrary: fc.constant(null) },
        { weight: isContent ? 1 : 0, arbitrary: fc.subarray(fieldNames, { minLength: 1 }) },
      ),
      populate: populateOf(shapes, type, depth),
    })
    .map(({ filters, fields, populate }) => ({
      ...(filters !== null && { filters }),
      ...(fields !== null && { fields }),
      populate,
    }))
}

function sortOf(shapes: Shapes, type: string): fc.Arbitrary<string> {
  const relations = relationNames(shapes, type).filter(([, target]) => target !== 'team')
  return fc
    .tuple(
      fc.constantFrom('rank', 'word', ...relations.map(([name]) => `${name}.rank`)),
      fc.constantFrom('asc', 'desc'),
    )
    .map((pair) => pair.join(':'))
}

const STATUS = fc.constantFrom<Status>('published', 'draft')
const PRINCIPAL = fc.nat({ max: PRINCIPALS - 1 })

export function probeOf(shapes: Shapes, size: number): fc.Arbitrary<Probe> {
  return fc.oneof(...TYPES.map((type) => probeOfType(shapes, type, size)))
}

function probeOfType(shapes: Shapes, type: TypeName, size: number): fc.Arbitrary<Probe> {
  const base = { principal: PRINCIPAL, type: fc.constant(type), at: STATUS }
  const position = fc.nat({ max: size })
  const list = fc
    .tuple(
      nodeOf(shapes, type, 1),
      fc.record({
        ...base,
        door: fc.constantFrom<'list' | 'query' | 'mcp'>('list', 'list', 'list', 'query', 'mcp'),
        filters: fc.option(filterOf(shapes, type, 2), { nil: undefined, freq: 2 }),
        sort: fc.option(sortOf(shapes, type), { nil: null }),
        pageSize: fc.constantFrom(2, 4, 25, 25),
        pages: fc.constantFrom('page', 'start', 'cursor'),
        withCount: fc.constantFrom('true', 'true', 'estimate'),
        other: PRINCIPAL,
      }),
    )
    .map(([node, probe]) => withoutAbsent({ ...node, ...probe }))
  const entry = fc
    .tuple(
      nodeOf(shapes, type, 1),
      fc.record({ ...base, door: fc.constant('entry' as const), position }),
    )
    .map(([{ fields, populate = {} }, probe]) => ({
      ...probe,
      ...(fields !== undefined && { fields }),
      populate,
    }))
  const search = fc.record({ ...base, door: fc.constant('search' as const), position })
  return fc.oneof(
    { weight: 6, arbitrary: list },
    { weight: 3, arbitrary: entry },
    { weight: 1, arbitrary: search },
  )
}

function withoutAbsent<T extends { filters?: Where | undefined }>({ filters, ...rest }: T) {
  return { ...rest, ...(filters !== undefined && { filters }) }
}
