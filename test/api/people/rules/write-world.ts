import * as fc from 'fast-check'
import type { Where } from './oracle.ts'
import type { WriteRule } from './write-rules.ts'

export const WRITTEN_TYPES = ['doc', 'page', 'box'] as const
export type WrittenType = (typeof WRITTEN_TYPES)[number]
export const WRITE_HOLDERS = ['one', 'two', 'public', 'token'] as const
export const WRITERS = 5

export type WriteRights = Readonly<Record<string, 'always' | readonly WriteRule[]>>
export type WriteWorld = Readonly<Record<(typeof WRITE_HOLDERS)[number], WriteRights>>

const TARGETS: Readonly<Record<string, string>> = {
  owner: 'user',
  box: 'box',
  key: 'box',
  many: 'page',
  docs: 'doc',
  pages: 'page',
}
const LISTS: ReadonlySet<string> = new Set(['many', 'docs', 'pages'])
const ATTRIBUTES: Readonly<Record<WrittenType, readonly string[]>> = {
  doc: ['rank', 'word', 'hidden', 'owner', 'box', 'key', 'many'],
  page: ['rank', 'word', 'hidden', 'owner', 'box'],
  box: ['rank', 'word', 'owner', 'docs', 'pages'],
}

const rank = fc.integer({ min: 0, max: 3 })
const word = fc.constantFrom('ape', 'asp', 'bee')

const ownWhere = (): fc.Arbitrary<Where> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant({ owner: '$user' }) },
    { weight: 2, arbitrary: rank.map((value) => ({ rank: { $lte: value } })) },
    { weight: 2, arbitrary: rank.map((value) => ({ rank: { $ne: value } })) },
    { weight: 1, arbitrary: word.map((value) => ({ word: { $eq: value } })) },
    { weight: 1, arbitrary: fc.constant({ word: { $startsWith: 'a' } }) },
    { weight: 1, arbitrary: fc.boolean().map((value) => ({ owner: { $null: value } })) },
  )

const whereOf = (type: WrittenType): fc.Arbitrary<Where> => {
  const relation = { doc: 'box', page: 'box', box: 'docs' }[type]
  const below = rank.map((value) => ({ [relation]: { rank: { $gt: value } } }))
  const one = fc.oneof({ weight: 5, arbitrary: ownWhere() }, { weight: 2, arbitrary: below })
  return fc.oneof(
    { weight: 6, arbitrary: one },
    { weight: 1, arbitrary: fc.tuple(one, one).map((list) => ({ $or: list })) },
    { weight: 1, arbitrary: fc.tuple(one, one).map((list) => ({ $and: list })) },
    { weight: 1, arbitrary: one.map((value) => ({ $not: value })) },
  )
}

/** A role that sets `box` refuses every connection by `docs` or `pages`, so this is rare. */
const setOf = (type: WrittenType): fc.Arbitrary<Where> =>
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.constantFrom<Where>({ owner: '$user' }, { rank: 1 }, { word: 'ape' }),
    },
    { weight: 3, arbitrary: fc.constant(type === 'box' ? { owner: null } : { box: null }) },
  )

function ruleOf(type: WrittenType, verb: string): fc.Arbitrary<WriteRule> {
  const rare = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
    fc.option(one, { nil: null, freq: 1 })
  const hasPayload = verb === 'create' || verb === 'update'
  return fc
    .record({
      where: fc.oneof({ weight: 6, arbitrary: whereOf(type) }, fc.constant(null)),
      fields: hasPayload
        ? rare(fc.subarray([...ATTRIBUTES[type]], { minLength: 3 }))
        : fc.constant(null),
      set: hasPayload ? rare(setOf(type)) : fc.constant(null),
    })
    .map(({ where, fields, set }) => ({
      ...(where !== null && { where }),
      ...(fields !== null && { fields }),
      ...(set !== null && { set }),
    }))
}

function rightsOf(): fc.Arbitrary<WriteRights> {
  const reads = ['find', 'findOne']
  const actions = WRITTEN_TYPES.flatMap((type) => [
    ...[...reads, ...(type === 'page' ? ['readDrafts'] : [])].map((verb) => ({
      name: `${type}.${verb}`,
      right: fc.oneof(
        { weight: 1, arbitrary: fc.constant(null) },
        { weight: 10, arbitrary: fc.constant('always' as const) },
        {
          weight: 4,
          arbitrary: fc.array(
            whereOf(type).map((where) => ({ where })),
            { minLength: 1, maxLength: 2 },
          ),
        },
      ),
    })),
    ...['create', 'update', 'delete', ...(type === 'page' ? ['publish'] : [])].map((verb) => ({
      name: `${type}.${verb}`,
      right: fc.oneof(
        { weight: 1, arbitrary: fc.constant(null) },
        // Writes of boxes move documents and pages, whose rules decide then.
        { weight: type === 'box' ? 10 : 3, arbitrary: fc.constant('always' as const) },
        {
          weight: 8,
          arbitrary: fc.array(ruleOf(type, verb), { minLength: 1, maxLength: 3 }),
        },
      ),
    })),
  ])
  return fc
    .tuple(...actions.map(({ right }) => right))
    .map((list) =>
      Object.fromEntries(
        list.flatMap((right, at) => (right === null ? [] : [[actions[at]?.name ?? '', right]])),
      ),
    )
}

export const WRITE_WORLD: fc.Arbitrary<WriteWorld> = fc.record({
  one: rightsOf(),
  two: rightsOf(),
  public: rightsOf(),
  token: rightsOf(),
})

/** Relations are positions of documents. */
export type GivenChange =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'one'; readonly target: string; readonly at: number | null }
  | {
      readonly kind: 'list'
      readonly target: string
      readonly way: 'set' | 'connect' | 'disconnect'
      readonly at: readonly number[]
    }

export interface WriteProbe {
  readonly principal: number
  readonly type: WrittenType
  readonly verb: 'create' | 'update' | 'delete' | 'publish' | 'unpublish' | 'discard'
  readonly at: number
  readonly status: 'draft' | 'published'
  readonly changes: Readonly<Record<string, GivenChange>>
}

/** Mutations of one device and one type, in one request. */
export interface PushProbe {
  readonly principal: number
  readonly status: 'draft' | 'published'
  readonly writes: readonly WriteProbe[]
}

const position = fc.nat({ max: 30 })

function changeOf(name: string): fc.Arbitrary<GivenChange> {
  const target = TARGETS[name]
  if (target === undefined) {
    const values: fc.Arbitrary<unknown> =
      name === 'rank'
        ? fc.option(rank, { nil: null, freq: 6 })
        : name === 'word'
          ? word
          : fc.constantFrom('h0', 'h1')
    return values.map((value) => ({ kind: 'value', value }))
  }
  if (!LISTS.has(name)) {
    return fc.option(position, { nil: null, freq: 5 }).map((at) => ({ kind: 'one', target, at }))
  }
  return fc.record({
    kind: fc.constant('list' as const),
    target: fc.constant(target),
    way: fc.constantFrom(
      'set' as const,
      'connect' as const,
      'connect' as const,
      'disconnect' as const,
    ),
    at: fc.uniqueArray(position, { maxLength: 2 }),
  })
}

const PLAIN: ReadonlySet<string> = new Set(['word', 'hidden'])

/** Half of the payloads change an attribute that can move an entry into a rule or out of it. */
function changesOf(type: WrittenType): fc.Arbitrary<WriteProbe['changes']> {
  const moving = ATTRIBUTES[type].filter((name) => !PLAIN.has(name))
  return fc
    .tuple(
      fc.subarray(['word', ...(type === 'box' ? [] : ['hidden'])]),
      fc.oneof(
        { weight: 1, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.subarray([...moving], { minLength: 1, maxLength: 2 }) },
      ),
    )
    .chain((names) =>
      fc.record(Object.fromEntries(names.flat().map((name) => [name, changeOf(name)]))),
    )
}

export const WRITE_PROBE: fc.Arbitrary<WriteProbe> = fc
  .constantFrom(...WRITTEN_TYPES, 'box' as const)
  .chain(writeProbeOf)

export const PUSH_PROBE: fc.Arbitrary<PushProbe> = fc
  .constantFrom(...WRITTEN_TYPES, 'doc' as const)
  .chain((type) =>
    fc.record({
      principal: fc.nat({ max: WRITERS - 1 }),
      status: fc.constantFrom('draft' as const, 'published' as const),
      writes: fc.array(writeProbeOf(type), { minLength: 1, maxLength: 4 }),
    }),
  )

function writeProbeOf(type: WrittenType): fc.Arbitrary<WriteProbe> {
  return fc.record({
    principal: fc.nat({ max: WRITERS - 1 }),
    type: fc.constant(type),
    verb: fc.oneof(
      { weight: 2, arbitrary: fc.constant('create' as const) },
      { weight: 8, arbitrary: fc.constant('update' as const) },
      { weight: 1, arbitrary: fc.constant('delete' as const) },
      ...(type === 'page'
        ? [
            {
              weight: 4,
              arbitrary: fc.constantFrom(
                'publish' as const,
                'publish' as const,
                'unpublish' as const,
                'discard' as const,
              ),
            },
          ]
        : []),
    ),
    at: position,
    status: fc.constantFrom('draft' as const, 'published' as const),
    changes: changesOf(type),
  })
}

export function isMove({ verb, changes }: WriteProbe): boolean {
  return verb !== 'create' && Object.keys(changes).some((name) => !PLAIN.has(name))
}
