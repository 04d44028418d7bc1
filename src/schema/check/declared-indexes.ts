import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  DeclarationFault,
  IndexDefinition,
  IndexedPath,
  Uid,
} from '../definition.ts'
import { declarationFault, suggest } from './declaration-fault.ts'

type Components = ReadonlyMap<Uid, ComponentDefinition>
type Attributes = Readonly<Record<string, AttributeDefinition>>

const DATES: Attributes = {
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  publishedAt: { type: 'datetime' },
}

const WITHOUT_INDEX: ReadonlySet<string> = new Set(['json', 'blocks', 'location', 'password'])

/** MongoDB allows 32 keys per index. `status`, `locale` and `id` are always added. */
const MAX_PATHS = 10

const ENTRY = /^([^:]+)(?::(asc|desc))?$/

export function findIndexShapeFaults(indexes: unknown): readonly DeclarationFault[] {
  if (indexes === undefined) return []
  if (!Array.isArray(indexes)) return [declarationFault('options.indexes', 'declare.indexShape')]
  return indexes.flatMap((index: unknown, position): readonly DeclarationFault[] => {
    const path = `options.indexes.${position}`
    const entries: readonly unknown[] = Array.isArray(index) ? index : [index]
    const areTexts = entries.every((entry) => typeof entry === 'string' && ENTRY.test(entry))
    if (!areTexts || entries.length === 0) return [declarationFault(path, 'declare.indexShape')]
    return entries.length > MAX_PATHS
      ? [declarationFault(path, 'declare.indexPaths', { limit: MAX_PATHS })]
      : []
  })
}

export function toIndexDefinitions(indexes: unknown): readonly IndexDefinition[] {
  if (!Array.isArray(indexes)) return []
  return indexes.map((index: unknown) =>
    (Array.isArray(index) ? index : [index]).map((entry: unknown) => toIndexedPath(String(entry))),
  )
}

function toIndexedPath(entry: string): IndexedPath {
  const [, path = entry, order] = ENTRY.exec(entry) ?? []
  return { path, direction: order === 'desc' ? -1 : 1 }
}

export function findIndexFaults(
  { attributes, indexes = [] }: ContentTypeDefinition,
  components: readonly ComponentDefinition[],
): readonly DeclarationFault[] {
  const byUid = new Map(components.map((component) => [component.uid, component]))
  return indexes.flatMap((index, position) => {
    const found = index.map(({ path }) => follow(path, { ...DATES, ...attributes }, byUid))
    const faults = [
      ...found.flatMap(({ fault }) => fault ?? []),
      ...repeated(index),
      ...parallelLists(found.map(({ list }) => list)),
    ]
    return faults.map((fault) => ({ ...fault, path: `options.indexes.${position}` }))
  })
}

interface Followed {
  readonly list: string | null
  readonly fault?: DeclarationFault
}

function follow(
  path: string,
  attributes: Attributes,
  components: Components,
  above: Pick<Followed, 'list'> & { readonly prefix: string } = { list: null, prefix: '' },
): Followed {
  const [name = '', ...rest] = path.split('.')
  const at = above.prefix + name
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  if (attribute === undefined) {
    const params = { name: at, ...suggest(name, Object.keys(attributes)) }
    return { list: above.list, fault: declarationFault('', 'declare.noAttribute', params) }
  }
  const list = holdsMany(attribute) ? at : above.list
  if (rest.length === 0) return { list, ...whyNone(at, attribute) }
  const inner = attributesIn(attribute, components)
  if (inner === null) {
    return { list, fault: declarationFault('', 'declare.indexInside', { name: at }) }
  }
  return follow(rest.join('.'), inner, components, { list, prefix: `${at}.` })
}

function attributesIn(attribute: AttributeDefinition, components: Components): Attributes | null {
  if (attribute.type !== 'component') return null
  return components.get(attribute.component)?.attributes ?? {}
}

function whyNone(name: string, attribute: AttributeDefinition): Pick<Followed, 'fault'> {
  const { type } = attribute
  if (type === 'component')
    return { fault: declarationFault('', 'declare.indexComponent', { name }) }
  if (type === 'relation' && attribute.mappedBy !== undefined) {
    return { fault: declarationFault('', 'declare.indexInverse', { name }) }
  }
  const isServed = type !== 'dynamiczone' && !WITHOUT_INDEX.has(type)
  return isServed ? {} : { fault: declarationFault('', 'declare.indexType', { type, name }) }
}

function holdsMany(attribute: AttributeDefinition): boolean {
  if (attribute.type === 'component') return attribute.repeatable === true
  if (attribute.type === 'media') return attribute.multiple === true
  return attribute.type === 'relation' && TO_MANY.has(attribute.relation)
}

const TO_MANY: ReadonlySet<string> = new Set(['oneToMany', 'manyToMany'])

function repeated(index: IndexDefinition): readonly DeclarationFault[] {
  const paths = index.map(({ path }) => path)
  const again = paths.find((path, position) => paths.indexOf(path) !== position)
  return again === undefined ? [] : [declarationFault('', 'declare.indexTwice', { name: again })]
}

function parallelLists(lists: readonly (string | null)[]): readonly DeclarationFault[] {
  const each = [...new Set(lists.filter((list) => list !== null))].toSorted()
  return each.flatMap((list, position) => {
    const before = each[position - 1]
    if (before === undefined || list.startsWith(`${before}.`)) return []
    return [declarationFault('', 'declare.indexLists', { name: before, other: list })]
  })
}

export function findOwnIndexFaults(
  definition: AttributeDefinition,
  holder: 'contentType' | 'component',
): readonly DeclarationFault[] {
  if (definition.index !== true) return []
  const { type } = definition
  if (holder === 'component' || type === 'component' || type === 'dynamiczone') {
    return [declarationFault('index', 'declare.indexPlace')]
  }
  return WITHOUT_INDEX.has(type) ? [declarationFault('index', 'declare.indexType', { type })] : []
}
