import * as fc from 'fast-check'
import type {
  AttributeDefinition,
  Definitions,
  RelationDefinition,
  RelationKind,
} from '../../src/schema/definition.ts'

export type TypeName = string
export type ComponentName = string

export interface Options {
  readonly draftAndPublish: boolean
  readonly localized: boolean
}

/** One side of a relation. */
export interface Side {
  readonly name: string
  readonly target: TypeName
  readonly toMany: boolean
}

/** A relation between content-types, seen from its owner. */
export interface Relation extends Side {
  readonly owner: TypeName
  readonly kind: RelationKind
  /** Null for a one-way relation. */
  readonly inverse: { readonly name: string; readonly toMany: boolean } | null
}

export interface ComponentRelation extends Side {
  readonly kind: RelationKind
}

/** An attribute that contains components. */
export interface Nesting {
  readonly name: string
  readonly kind: 'single' | 'repeatable' | 'zone'
  /** A single one, except for zones. */
  readonly components: readonly ComponentName[]
}

/** A schema that declares only relations. */
export interface Shape {
  readonly types: Readonly<Record<TypeName, Options>>
  readonly relations: readonly Relation[]
  /** Nestings of content-types and components, by name. */
  readonly nestings: Readonly<Record<string, readonly Nesting[]>>
  readonly components: Readonly<Record<ComponentName, readonly ComponentRelation[]>>
}

/** The options of the two content-types of `everyKind`. */
export type Family = Readonly<Record<'left' | 'right', Options>>

export function relation(
  owner: TypeName,
  name: string,
  kind: RelationKind,
  target: TypeName,
  inverse: string | null = null,
): Relation {
  return {
    owner,
    name,
    kind,
    target,
    toMany: isToMany(kind),
    inverse: inverse === null ? null : { name: inverse, toMany: kind !== 'oneToOne' },
  }
}

/** Declares every kind of relation, one-way and two-way, between two content-types and of one with itself. */
export function everyKind(family: Family): Shape {
  return {
    types: family,
    relations: [
      relation('left', 'partner', 'oneToOne', 'right', 'partner'),
      relation('left', 'group', 'manyToOne', 'right', 'members'),
      relation('left', 'tags', 'manyToMany', 'right', 'tagged'),
      relation('left', 'wayOne', 'oneToOne', 'right'),
      relation('left', 'wayGroup', 'manyToOne', 'right'),
      relation('left', 'wayList', 'oneToMany', 'right'),
      relation('left', 'wayMany', 'manyToMany', 'right'),
      relation('left', 'parent', 'manyToOne', 'left', 'children'),
      relation('left', 'twin', 'oneToOne', 'left', 'twinOf'),
      relation('left', 'friends', 'manyToMany', 'left', 'friendOf'),
    ],
    nestings: {},
    components: {},
  }
}

const TYPES = ['left', 'right', 'third'] as const
const typeName = fc.constantFrom<TypeName>(...TYPES)

const options: fc.Arbitrary<Options> = fc.record({
  draftAndPublish: fc.boolean(),
  localized: fc.boolean(),
})

export const family: fc.Arbitrary<Family> = fc.record({ left: options, right: options })

const ONE_WAY = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const
const TWO_WAY = ['oneToOne', 'manyToOne', 'manyToMany'] as const

const relations: fc.Arbitrary<readonly Relation[]> = fc
  .array(
    fc.oneof(
      fc.tuple(typeName, fc.constantFrom(...ONE_WAY), typeName, fc.constant(false)),
      fc.tuple(typeName, fc.constantFrom(...TWO_WAY), typeName, fc.constant(true)),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((list) =>
    list.map(([owner, kind, target, isTwoWay], index) =>
      relation(owner, `to${index}`, kind, target, isTwoWay ? `from${index}` : null),
    ),
  )

const componentRelations: fc.Arbitrary<readonly ComponentRelation[]> = fc
  .array(fc.tuple(fc.constantFrom(...ONE_WAY), typeName), { maxLength: 2 })
  .map((list) =>
    list.map(([kind, target], index) => {
      return { name: `to${index}`, kind, target, toMany: isToMany(kind) }
    }),
  )

/** Generates attributes that contain one of these components, or a zone of them if allowed. */
const nestingsOf = (
  components: readonly ComponentName[],
  mayBeZone: boolean,
): fc.Arbitrary<readonly Nesting[]> =>
  fc
    .array(
      fc.oneof(
        fc.record({
          kind: fc.constantFrom('single' as const, 'repeatable' as const),
          components: fc.constantFrom(...components).map((name) => [name]),
        }),
        ...(mayBeZone
          ? [fc.record({ kind: fc.constant('zone' as const), components: fc.constant(components) })]
          : []),
      ),
      { maxLength: 2 },
    )
    .map((list) => list.map((nesting, index) => ({ ...nesting, name: `part${index}` })))

/** Three content-types and three components. One component nests another. */
export const shape: fc.Arbitrary<Shape> = fc.record({
  types: fc.record({ left: options, right: options, third: options }),
  relations,
  nestings: fc.record({
    left: nestingsOf(['outer', 'inner', 'other'], true),
    right: nestingsOf(['outer', 'other'], true),
    third: fc.constant([]),
    outer: nestingsOf(['inner'], false),
  }),
  components: fc.record({
    outer: componentRelations,
    inner: componentRelations,
    other: componentRelations,
  }),
})

/** Returns both sides of the relations of a content-type, or those of a component. */
export function sidesOf({ relations, components }: Shape, holder: string): readonly Side[] {
  const component = components[holder]
  if (component !== undefined) return component
  const inverses = relations.flatMap(({ target, owner, inverse }) =>
    target === holder && inverse !== null ? [{ ...inverse, target: owner }] : [],
  )
  return [...relations.filter(({ owner }) => owner === holder), ...inverses]
}

export function nestingsIn({ nestings }: Shape, holder: string): readonly Nesting[] {
  return nestings[holder] ?? []
}

/** Returns the declarations of a shape. Collection names start with `prefix`. */
export function toDefinitions(shape: Shape, prefix: string): Definitions {
  return {
    contentTypes: Object.entries(shape.types).map(([name, options]) => ({
      uid: uidOf(name),
      file: `content-types/${name}.json`,
      kind: 'collectionType',
      collectionName: `${prefix}_${name}`,
      singularName: name,
      pluralName: `${name}s`,
      displayName: name,
      ...options,
      attributes: Object.fromEntries([
        ...shape.relations.flatMap((relation) => declaredSides(relation, name)),
        ...nestingsIn(shape, name).map(declaredNesting),
      ]),
    })),
    components: Object.entries(shape.components).map(([name, relations]) => ({
      uid: componentUid(name),
      file: `content-types/components/shared/${name}.json`,
      displayName: name,
      attributes: Object.fromEntries([
        ...relations.map(({ name, kind, target }) => [name, declared(kind, target)] as const),
        ...nestingsIn(shape, name).map(declaredNesting),
      ]),
    })),
  }
}

export function uidOf(type: TypeName): string {
  return `api::${type}.${type}`
}

export function componentUid(name: ComponentName): string {
  return `shared.${name}`
}

function declaredSides(
  { owner, name, kind, target, inverse }: Relation,
  holder: TypeName,
): readonly (readonly [string, AttributeDefinition])[] {
  const sides: (readonly [string, AttributeDefinition])[] = []
  const inversedBy = inverse === null ? {} : { inversedBy: inverse.name }
  if (owner === holder) sides.push([name, declared(kind, target, inversedBy)])
  if (target === holder && inverse !== null) {
    const opposite = kind === 'manyToOne' ? 'oneToMany' : kind
    sides.push([inverse.name, declared(opposite, owner, { mappedBy: name })])
  }
  return sides
}

/** Relations are per locale. */
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } } as const

function declared(
  kind: RelationKind,
  target: TypeName,
  otherSide: Pick<RelationDefinition, 'inversedBy' | 'mappedBy'> = {},
): AttributeDefinition {
  return { type: 'relation', relation: kind, target: uidOf(target), ...otherSide, ...LOCALIZED }
}

function declaredNesting({
  name,
  kind,
  components,
}: Nesting): readonly [string, AttributeDefinition] {
  const uids = components.map(componentUid)
  if (kind === 'zone') return [name, { type: 'dynamiczone', components: uids, ...LOCALIZED }]
  const [component = ''] = uids
  const repeatable = kind === 'repeatable'
  return [name, { type: 'component', component, repeatable, ...LOCALIZED }]
}

function isToMany(kind: RelationKind): boolean {
  return kind === 'oneToMany' || kind === 'manyToMany'
}
