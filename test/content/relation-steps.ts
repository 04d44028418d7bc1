import * as fc from 'fast-check'
import type { Status } from '../../src/query/query.ts'
import {
  type ComponentName,
  nestingsIn,
  type Nesting,
  type Shape,
  sidesOf,
  type TypeName,
} from './relation-shape.ts'

/** A change of one relation. Documents are given by number. */
export type Change =
  | {
      readonly set: readonly number[]
      /** The notation: a list, single value or null, or `{ set }`. */
      readonly form: 'short' | 'long'
    }
  | { readonly connect: readonly Connection[]; readonly disconnect: readonly number[] }

export interface Connection {
  readonly target: number
  readonly position: Place
}

export type Place =
  | { readonly end: true }
  | { readonly start: true }
  | { readonly before: number }
  | { readonly after: number }

/** A component of a payload. */
export interface PartChange {
  /** The index of the stored component whose id is sent, or null for a new one. */
  readonly from: number | null
  readonly component: ComponentName
  readonly payload: Payload
}

export interface Payload {
  readonly relations: Readonly<Record<string, Change>>
  readonly parts: Readonly<Record<string, readonly PartChange[]>>
}

export interface Write {
  readonly kind: 'write'
  readonly type: TypeName
  readonly document: number
  readonly locale: 'en' | 'fr'
  readonly status: Status
  readonly payload: Payload
}

export interface Deletion {
  readonly kind: 'delete'
  readonly type: TypeName
  readonly document: number
  readonly locale: 'en' | 'fr' | 'all'
}

/** An action on one locale of a document. It has no effect without drafts. */
export interface Act {
  readonly kind: 'publish' | 'unpublish' | 'discard'
  readonly type: TypeName
  readonly document: number
  readonly locale: 'en' | 'fr'
}

export type Step = Write | Deletion | Act

export const NO_CHANGE: Payload = { relations: {}, parts: {} }
export const STATUSES: readonly Status[] = ['draft', 'published']
export const LOCALES = ['en', 'fr'] as const
/** Documents per content-type. */
export const DOCUMENTS = 4

const index = fc.nat({ max: DOCUMENTS - 1 })

const place: fc.Arbitrary<Place> = fc.oneof(
  fc.constant({ end: true as const }),
  fc.constant({ start: true as const }),
  fc.record({ before: index }),
  fc.record({ after: index }),
)

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    set: fc.array(index, { maxLength: 4 }),
    form: fc.constantFrom('short' as const, 'long' as const),
  }),
  fc.record({
    connect: fc.array(fc.record({ target: index, position: place }), { maxLength: 3 }),
    disconnect: fc.array(index, { maxLength: 2 }),
  }),
)

/** Generates values for a random subset of names. */
function some<Value>(
  names: readonly string[],
  value: (name: string) => fc.Arbitrary<Value>,
  maxLength: number,
): fc.Arbitrary<Readonly<Record<string, Value>>> {
  if (names.length === 0) return fc.constant({})
  return fc
    .subarray([...names], { maxLength: Math.min(maxLength, names.length) })
    .chain((picked) => fc.tuple(...picked.map((name) => value(name).map((one) => [name, one]))))
    .map((entries) => Object.fromEntries(entries) as Readonly<Record<string, Value>>)
}

function payloadOf(shape: Shape, holder: string): fc.Arbitrary<Payload> {
  const nestings = nestingsIn(shape, holder)
  const names = (list: readonly { readonly name: string }[]): readonly string[] =>
    list.map(({ name }) => name)
  return fc.record({
    relations: some(names(sidesOf(shape, holder)), () => change, 3),
    parts: some(
      names(nestings),
      (name) =>
        partsOf(
          shape,
          nestings.find((nesting) => nesting.name === name),
        ),
      2,
    ),
  })
}

function partsOf(shape: Shape, nesting: Nesting | undefined): fc.Arbitrary<readonly PartChange[]> {
  if (nesting === undefined) return fc.constant([])
  const part = fc.constantFrom(...nesting.components).chain((component) =>
    fc.record({
      from: fc.option(fc.nat({ max: 2 }), { nil: null }),
      component: fc.constant(component),
      payload: payloadOf(shape, component),
    }),
  )
  return fc.array(part, { maxLength: nesting.kind === 'single' ? 1 : 3 })
}

/** Generates a write to any document of a schema. */
export function writeTo(shape: Shape): fc.Arbitrary<Write> {
  return fc.constantFrom(...Object.keys(shape.types)).chain((type) =>
    fc.record({
      kind: fc.constant('write' as const),
      type: fc.constant(type),
      document: index,
      locale: fc.constantFrom(...LOCALES),
      status: fc.constantFrom(...STATUSES),
      payload: payloadOf(shape, type),
    }),
  )
}

export function stepIn(shape: Shape): fc.Arbitrary<Step> {
  const deletion: fc.Arbitrary<Deletion> = fc.record({
    kind: fc.constant('delete' as const),
    type: fc.constantFrom(...Object.keys(shape.types)),
    document: index,
    locale: fc.constantFrom(...LOCALES, 'all' as const),
  })
  const act: fc.Arbitrary<Act> = fc.record({
    kind: fc.constantFrom('publish' as const, 'unpublish' as const, 'discard' as const),
    type: fc.constantFrom(...Object.keys(shape.types)),
    document: index,
    locale: fc.constantFrom(...LOCALES),
  })
  return fc.oneof(
    { arbitrary: writeTo(shape), weight: 9 },
    { arbitrary: act, weight: 3 },
    { arbitrary: deletion, weight: 1 },
  )
}
