import { ADOPTED_TIMES } from '../plan.ts'
import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  DeclarationFault,
  RelationDefinition,
} from '../definition.ts'
import type { Declaration } from './to-definitions.ts'
import type { DeclaredTypes } from './check-references.ts'
import { declarationFault, suggest } from './declaration-fault.ts'

/** The types of values that a document of another service can hold. */
const READABLE: ReadonlySet<AttributeDefinition['type']> = new Set([
  'string',
  'text',
  'richtext',
  'email',
  'enumeration',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'timestamp',
  'json',
  'relation',
  'component',
])

/** Options of an attribute that need an index or a write. */
const WRITING = ['unique', 'index', 'from', 'convert', 'onUserDelete'] as const

/** Each level makes the expression of a row longer. Components that contain themselves have no end. */
export const MAX_ADOPTED_LEVELS = 5

/** Options that need the collection, versions or the ledger to be the server's own. */
export function findAdoptionFaults(declaration: Declaration): readonly DeclarationFault[] {
  if (declaration.adopt === undefined) return []
  const { adopt, kind, collectionName, from, options = {}, pluginOptions } = declaration
  const given: Readonly<Record<string, boolean>> = {
    'adopt.version': adopt.version !== undefined && adopt.write !== true,
    kind: kind === 'singleType',
    collectionName: collectionName !== undefined,
    from: from !== undefined,
    'options.draftAndPublish': options.draftAndPublish === true,
    'options.sharded': options.sharded === true,
    'options.history': options.history === true && adopt.write !== true,
    'options.push': options.push === true,
    'options.indexes': options.indexes !== undefined,
    'options.search': options.search !== undefined,
    'options.preview': options.preview !== undefined,
    'options.url': options.url !== undefined,
    'options.review': options.review !== undefined,
    'pluginOptions.i18n.localized': pluginOptions?.i18n?.localized === true,
  }
  return Object.keys(given)
    .filter((path) => given[path] === true)
    .map((path) => declarationFault(path, 'declare.adoptOption'))
}

export function findAdoptedTypeFaults(
  type: ContentTypeDefinition,
  declared: DeclaredTypes,
): readonly DeclarationFault[] {
  if (type.adopt === undefined) return []
  return [
    ...pathFaults(type),
    ...overlapFaults(type),
    ...Object.entries(type.attributes).flatMap(([name, attribute]) => {
      const path = `attributes.${name}`
      return [
        ...typeFaults(path, attribute, declared, 1),
        ...WRITING.filter((option) => isGiven(attribute, option)).map((option) =>
          declarationFault(`${path}.${option}`, 'declare.adoptOption'),
        ),
        ...(attribute.type === 'relation' ? inverseFaults(path, attribute, declared) : []),
        ...(type.adopt?.write === true ? exclusiveFaults(path, attribute) : []),
      ]
    }),
  ]
}

function pathFaults({
  adopt,
  attributes,
}: Pick<ContentTypeDefinition, 'adopt' | 'attributes'>): readonly DeclarationFault[] {
  const names = [...Object.keys(attributes), ...ADOPTED_TIMES]
  return Object.keys(adopt?.paths ?? {})
    .filter((name) => !names.includes(name))
    .map((name) =>
      declarationFault(`adopt.paths.${name}`, 'declare.noAttribute', {
        name,
        ...suggest(name, names),
      }),
    )
}

function isGiven(attribute: AttributeDefinition, option: (typeof WRITING)[number]): boolean {
  const value: unknown = (attribute as unknown as Readonly<Record<string, unknown>>)[option]
  return value !== undefined && value !== false
}

function typeFaults(
  path: string,
  attribute: AttributeDefinition,
  declared: DeclaredTypes,
  level: number,
): readonly DeclarationFault[] {
  const { type } = attribute
  if (!READABLE.has(type)) return [declarationFault(path, 'declare.adoptType', { type })]
  if (attribute.type !== 'component') return []
  if (level > MAX_ADOPTED_LEVELS) {
    return [declarationFault(path, 'declare.adoptLevels', { limit: MAX_ADOPTED_LEVELS })]
  }
  const component = declared.components.find(({ uid }) => uid === attribute.component)
  return membersOf(component).flatMap(([name, inner]) =>
    typeFaults(`${path}.${name}`, inner, declared, level + 1),
  )
}

function membersOf(
  component: ComponentDefinition | undefined,
): readonly (readonly [string, AttributeDefinition])[] {
  return Object.entries(component?.attributes ?? {})
}

/** A write of the relation would also change other documents of the collection. */
function exclusiveFaults(
  path: string,
  attribute: AttributeDefinition,
): readonly DeclarationFault[] {
  if (attribute.type !== 'relation' || attribute.relation !== 'oneToOne') return []
  return attribute.inversedBy === undefined
    ? []
    : [declarationFault(`${path}.inversedBy`, 'declare.adoptOption')]
}

interface WrittenPath {
  readonly at: string
  readonly path: string
  /** An attribute may have the path of a time, and is written instead of it. */
  readonly kind: 'fixed' | 'attribute' | 'time'
}

/** One command sets all attributes and times, so no path may lead into another one. */
function overlapFaults({
  adopt,
  attributes,
}: Pick<ContentTypeDefinition, 'adopt' | 'attributes'>): readonly DeclarationFault[] {
  if (adopt?.write !== true) return []
  const { paths: given } = adopt
  const fixed = ['_id', ...(adopt.version === undefined ? [] : [adopt.version])]
  const written = Object.entries(attributes)
    .filter(([, one]) => one.writable !== false && !(one.type === 'relation' && one.mappedBy))
    .map(([name]) => name)
  const times = ADOPTED_TIMES.filter((name) => given[name] !== undefined)
  const at = (name: string) => ({ at: `adopt.paths.${name}`, path: given[name] ?? name })
  const all: readonly WrittenPath[] = [
    ...fixed.map((path) => ({ at: 'adopt.version', path, kind: 'fixed' as const })),
    ...written.map((name) => ({ ...at(name), kind: 'attribute' as const })),
    ...times.map((name) => ({ ...at(name), kind: 'time' as const })),
  ]
  return all.flatMap((one, index) =>
    all
      .slice(0, index)
      .filter((other) => isOverlapping(one, other))
      .slice(0, 1)
      .map((other) =>
        declarationFault(one.at, 'declare.adoptPaths', { name: one.path, other: other.path }),
      ),
  )
}

function isOverlapping(one: WrittenPath, other: WrittenPath): boolean {
  if (one.path === other.path) return one.kind !== 'time' || other.kind === 'fixed'
  return isWithin(one.path, other.path) || isWithin(other.path, one.path)
}

function isWithin(path: string, other: string): boolean {
  return `${path}.`.startsWith(`${other}.`)
}

/** The owner of a two-way one-to-one relation is written into its target. */
function inverseFaults(
  path: string,
  { relation, target, mappedBy }: RelationDefinition,
  { contentTypes }: DeclaredTypes,
): readonly DeclarationFault[] {
  if (mappedBy === undefined || relation !== 'oneToOne') return []
  const owner = contentTypes.find(({ uid }) => uid === target)
  return owner === undefined || owner.adopt !== undefined
    ? []
    : [declarationFault(`${path}.mappedBy`, 'declare.adoptInverse', { type: target })]
}
