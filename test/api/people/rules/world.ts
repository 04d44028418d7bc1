import * as fc from 'fast-check'
import { type Dump, type Relation, type Status } from './dump.ts'
import type { Reader, Rule, Where } from './oracle.ts'

/** Types with content. `team` has names and members only, and operands read it. */
export const TYPES = ['alpha', 'beta', 'gamma'] as const
export type TypeName = (typeof TYPES)[number]
const TARGETS = [...TYPES, 'team'] as const
export const USERS = 4
const TEAMS = 3
/** Documents of each type. */
export const SIZE = 6

/** Private: rules may read it, callers may not. */
export const PRIVATE_ATTRIBUTE = 'hidden'
export const SCALARS = ['rank', 'flag', 'word', 'canary'] as const
export const READ_VERBS = ['find', 'findOne', 'readDrafts'] as const

export interface Shape {
  readonly draftAndPublish: boolean
  readonly up: (typeof TARGETS)[number]
  readonly many: TypeName
  readonly link: (typeof TARGETS)[number]
}

export type Shapes = Readonly<Record<TypeName, Shape>>

/** A version before it is stored: relations are positions of documents. */
export interface Row {
  readonly rank: number | null
  readonly flag: boolean
  readonly word: string | null
  readonly hidden: string
  readonly owner: number | null
  readonly team: number | null
  readonly up: number | null
  readonly many: readonly number[]
  readonly part: { readonly rank: number; readonly link: number | null } | null
}

export interface Document {
  readonly published: Row | null
  /** Null if the draft equals the published version. Ignored without drafts. */
  readonly draft: Row | null
}

export interface User {
  readonly role: 'one' | 'two'
  readonly teams: readonly number[]
  readonly level: number | null
}

export type Rights = Reader['rights']
export const HOLDERS = ['one', 'two', 'public', 'token'] as const

export interface World {
  readonly shapes: Shapes
  readonly documents: Readonly<Record<TypeName, readonly Document[]>>
  readonly users: readonly User[]
  readonly rights: Readonly<Record<(typeof HOLDERS)[number], Rights>>
}

const nullable = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(one, { nil: null })
const rank = fc.integer({ min: 0, max: 3 })
const word = fc.constantFrom('ape', 'asp', 'bee')
const hidden = fc.constantFrom('h0', 'h1')
const some = (size: number): fc.Arbitrary<number[]> =>
  fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 3 })
const index = (size: number): fc.Arbitrary<number | null> =>
  fc.option(fc.nat({ max: size - 1 }), { nil: null, freq: 3 })

const sizeOf = (target: string): number => (target === 'team' ? TEAMS : SIZE)

const shape: fc.Arbitrary<Shape> = fc.record({
  draftAndPublish: fc.boolean(),
  up: fc.constantFrom(...TARGETS),
  many: fc.constantFrom(...TYPES),
  link: fc.constantFrom(...TARGETS),
})

const rowOf = ({ up, link }: Shape): fc.Arbitrary<Row> =>
  fc.record({
    rank: nullable(rank),
    flag: fc.boolean(),
    word: nullable(word),
    hidden,
    owner: index(USERS),
    team: index(TEAMS),
    up: index(sizeOf(up)),
    many: some(SIZE),
    part: nullable(fc.record({ rank, link: index(sizeOf(link)) })),
  })

const documentOf = (one: Shape): fc.Arbitrary<Document> =>
  fc.oneof(
    fc.record({ published: rowOf(one), draft: fc.constant(null) }),
    fc.record({ published: rowOf(one), draft: rowOf(one) }),
    fc.record({ published: fc.constant(null), draft: rowOf(one) }),
  )

const scalarWhere = (): fc.Arbitrary<Where> =>
  fc.oneof(
    ...['$eq', '$ne', '$gt', '$lte'].map((name) =>
      rank.map((value) => ({ rank: { [name]: value } })),
    ),
    fc.boolean().map((value) => ({ rank: { $null: value } })),
    fc.uniqueArray(rank, { minLength: 1, maxLength: 2 }).map((list) => ({ rank: { $in: list } })),
    fc.boolean().map((value) => ({ flag: value })),
    word.map((value) => ({ word: { $eq: value } })),
    fc.constant({ word: { $startsWith: 'a' } }),
    hidden.map((value) => ({ hidden: { $eq: value } })),
  )

const ownWhere = (): fc.Arbitrary<Where> =>
  fc.oneof(
    scalarWhere(),
    fc.constant({ owner: '$user' }),
    fc.constant({ owner: { $eq: '$user' } }),
    fc.constant({ team: { $in: '$user.teams' } }),
    fc.constant({ rank: { $lte: '$user.level' } }),
  )

/** A relation of a related entry would be a second relation. */
const belowWhere = (target: string): fc.Arbitrary<Where> =>
  target === 'team' ? fc.constant({ name: { $ne: 'team0' } }) : scalarWhere()

const whereOf = ({ up, many }: Shape): fc.Arbitrary<Where> => {
  const one = fc.oneof(
    { weight: 3, arbitrary: ownWhere() },
    { weight: 1, arbitrary: belowWhere(up).map((value) => ({ up: value })) },
    { weight: 1, arbitrary: belowWhere(many).map((value) => ({ many: value })) },
  )
  return fc.oneof(
    { weight: 4, arbitrary: one },
    { weight: 1, arbitrary: fc.tuple(one, one).map((list) => ({ $or: list })) },
    { weight: 1, arbitrary: fc.tuple(one, one).map((list) => ({ $and: list })) },
    { weight: 1, arbitrary: one.map((value) => ({ $not: value })) },
  )
}

const fieldsOf = (): fc.Arbitrary<readonly string[]> =>
  fc.subarray([...SCALARS, 'team', 'up', 'many', 'part'], { minLength: 1 })

/** A list of rules has the same `fields`, because fields belong to the role and the action. */
const rightOf = (one: Shape): fc.Arbitrary<'always' | readonly Rule[] | null> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant('always' as const) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(
          fc.array(whereOf(one), { minLength: 1, maxLength: 2 }),
          fc.oneof(
            { weight: 3, arbitrary: fc.constant(null) },
            { weight: 1, arbitrary: fieldsOf() },
          ),
        )
        .map(([list, fields]) =>
          list.map((where) => ({ where, ...(fields !== null && { fields }) })),
        ),
    },
  )

function rightsOf(shapes: Shapes): fc.Arbitrary<Rights> {
  const actions = TYPES.flatMap((type) =>
    READ_VERBS.filter((verb) => verb !== 'readDrafts' || shapes[type].draftAndPublish).map(
      (verb) => ({ action: `${type}.${verb}`, right: rightOf(shapes[type]) }),
    ),
  )
  return fc
    .tuple(...actions.map(({ right }) => right))
    .map((list) =>
      Object.fromEntries([
        ['team.find', 'always'],
        ...list.flatMap((right, at) => (right === null ? [] : [[actions[at]?.action, right]])),
      ]),
    )
}

const three = <T>(one: (type: TypeName) => fc.Arbitrary<T>): fc.Arbitrary<Record<TypeName, T>> =>
  fc.record({ alpha: one('alpha'), beta: one('beta'), gamma: one('gamma') })

const user = (role: 'one' | 'two'): fc.Arbitrary<User> =>
  fc.record({ role: fc.constant(role), teams: some(TEAMS), level: nullable(rank) })

export const WORLD: fc.Arbitrary<World> = three(() => shape).chain((shapes) =>
  fc.record({
    shapes: fc.constant(shapes),
    documents: three((type) =>
      fc.array(documentOf(shapes[type]), { minLength: SIZE, maxLength: SIZE }),
    ),
    users: fc.tuple(user('one'), user('one'), user('one'), user('two')),
    rights: fc.record({
      one: rightsOf(shapes),
      two: rightsOf(shapes),
      public: rightsOf(shapes),
      token: rightsOf(shapes),
    }),
  }),
)

/** The relations of all types, with the inverse sides. */
export function relationsOf(shapes: Shapes): Dump['relations'] {
  const relations: Record<string, Record<string, Relation>> = {
    team: { members: { target: 'user', isToMany: true, mappedBy: 'teams' } },
    user: { teams: { target: 'team', isToMany: true } },
  }
  for (const type of TYPES) {
    const { up, many, link } = shapes[type]
    Object.assign((relations[type] ??= {}), {
      owner: { target: 'user', isToMany: false },
      team: { target: 'team', isToMany: false },
      up: { target: up, isToMany: false },
      many: { target: many, isToMany: true },
    })
    relations[`${type}Part`] = { link: { target: link, isToMany: false } }
    Object.assign((relations[up] ??= {}), {
      [`${type}Ups`]: { target: type, isToMany: true, mappedBy: 'up' },
    })
    Object.assign((relations[many] ??= {}), {
      [`${type}Manys`]: { target: type, isToMany: true, mappedBy: 'many' },
    })
  }
  return relations
}

export const canaryOf = (type: string, position: number, status: Status): string =>
  `cnry${type}${position}${status}x`
