import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  RelationDefinition,
  Uid,
} from '../definition.ts'
import type { DeclaredTypes } from './check-references.ts'

export interface LeftOut {
  readonly holder: ContentTypeDefinition | ComponentDefinition
  readonly attribute: string
  readonly why: string
}

/** The owner of a removed inverse side keeps a one-way relation. */
export function leaveOut(declared: DeclaredTypes): {
  readonly declared: DeclaredTypes
  readonly leftOut: readonly LeftOut[]
} {
  const found = [...declared.contentTypes, ...declared.components].flatMap((holder) =>
    Object.entries(holder.attributes).flatMap(([attribute, definition]): readonly LeftOut[] => {
      const why = whyNot(definition, declared)
      return why === null ? [] : [{ holder, attribute, why }]
    }),
  )
  if (found.length === 0) return { declared, leftOut: [] }
  const gone = new Set(found.map(({ holder, attribute }) => `${holder.uid} ${attribute}`))
  const without = <T extends LeftOut['holder']>(holder: T): T => ({
    ...holder,
    attributes: keep(holder, gone),
  })
  return {
    declared: {
      ...declared,
      contentTypes: declared.contentTypes.map(without),
      components: declared.components.map(without),
      brokenAttributes: new Set([...declared.brokenAttributes, ...gone]),
    },
    leftOut: found,
  }
}

const ADMIN = 'admin::'

function whyNot(
  definition: AttributeDefinition,
  { contentTypes, brokenUids }: DeclaredTypes,
): string | null {
  if (definition.type !== 'relation') return null
  const { target: uid, mappedBy } = definition
  if (uid.startsWith(ADMIN)) return `${uid} is no content-type here; the attribute is left out`
  const target = contentTypes.find((type) => type.uid === uid)
  if (mappedBy === undefined || target === undefined || brokenUids.has(uid)) return null
  if (Object.hasOwn(target.attributes, mappedBy)) return null
  return `${uid} has no attribute ${mappedBy}; the attribute is left out`
}

function keep(
  { uid, attributes }: LeftOut['holder'],
  gone: ReadonlySet<string>,
): Readonly<Record<string, AttributeDefinition>> {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => !gone.has(`${uid} ${name}`))
      .map(([name, definition]) => [name, oneWay(definition, gone)]),
  )
}

function oneWay(definition: AttributeDefinition, gone: ReadonlySet<string>): AttributeDefinition {
  if (definition.type !== 'relation' || definition.inversedBy === undefined) return definition
  if (!gone.has(otherSideOf(definition.target, definition.inversedBy))) return definition
  const { inversedBy: _gone, ...relation }: RelationDefinition = definition
  return relation
}

function otherSideOf(target: Uid, name: string): string {
  return `${target} ${name}`
}
