import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  DeclarationFault,
  IndexDefinition,
  IndexedPath,
  Uid,
} from '../definition.ts'
import { didYouMean } from '../../base/near-miss.ts'

type Components = ReadonlyMap<Uid, ComponentDefinition>
type Attributes = Readonly<Record<string, AttributeDefinition>>

const DATES: Attributes = {
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  publishedAt: { type: 'datetime' },
}

const WITHOUT_INDEX: ReadonlySet<string> = new Set(['json', 'blocks', 'password'])

/** MongoDB allows 32 keys per index. `status`, `locale` and `id` are always added. */
const MAX_PATHS = 10

const ENTRY = /^([^:]+)(?::(asc|desc))?$/

export function findIndexShapeFaults(indexes: unknown): readonly DeclarationFault[] {
  if (indexes === undefined) return []
  if (!Array.isArray(indexes)) return [{ path: 'options.indexes', problem: MUST_BE_LISTS }]
  return indexes.flatMap((index: unknown, position): readonly DeclarationFault[] => {
    const path = `options.indexes.${position}`
    const entries: readonly unknown[] = Array.isArray(index) ? index : [index]
    const areTexts = entries.every((entry) => typeof entry === 'string' && ENTRY.test(entry))
    if (!areTexts || entries.length === 0) return [{ path, problem: MUST_BE_LISTS }]
    return entries.length > MAX_PATHS
      ? [{ path, problem: `an index takes at most ${MAX_PATHS} attributes` }]
      : []
  })
}

const MUST_BE_LISTS =
  'must be a list of indexes, each a list of attributes such as ["views:desc", "seo.title"]'

/** Converts a checked `options.indexes`. A plain text declares an index of one attribute. */
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
    const problems = [
      ...found.flatMap(({ problem }) => problem ?? []),
      ...repeated(index),
      ...parallelLists(found.map(({ list }) => list)),
    ]
    return problems.map((problem) => ({ path: `options.indexes.${position}`, problem }))
  })
}

interface Followed {
  readonly list: string | null
  readonly problem?: string
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
    const problem = `no attribute ${at}${didYouMean(name, Object.keys(attributes))}`
    return { list: above.list, problem }
  }
  const list = holdsMany(attribute) ? at : above.list
  if (rest.length === 0) return { list, ...whyNone(at, attribute) }
  const inner = attributesIn(attribute, components)
  if (inner === null) return { list, problem: `${at} is not a component` }
  return follow(rest.join('.'), inner, components, { list, prefix: `${at}.` })
}

function attributesIn(attribute: AttributeDefinition, components: Components): Attributes | null {
  if (attribute.type !== 'component') return null
  return components.get(attribute.component)?.attributes ?? {}
}

function whyNone(path: string, attribute: AttributeDefinition): Pick<Followed, 'problem'> {
  if (attribute.type === 'component') {
    return { problem: `${path} is a component: name an attribute in it` }
  }
  if (attribute.type === 'relation' && attribute.mappedBy !== undefined) {
    return { problem: `${path} is stored on the other side, which has an index` }
  }
  const isServed = attribute.type !== 'dynamiczone' && !WITHOUT_INDEX.has(attribute.type)
  return isServed
    ? {}
    : { problem: `no index serves attributes of type ${attribute.type} (${path})` }
}

function holdsMany(attribute: AttributeDefinition): boolean {
  if (attribute.type === 'component') return attribute.repeatable === true
  if (attribute.type === 'media') return attribute.multiple === true
  return attribute.type === 'relation' && TO_MANY.has(attribute.relation)
}

const TO_MANY: ReadonlySet<string> = new Set(['oneToMany', 'manyToMany'])

function repeated(index: IndexDefinition): readonly string[] {
  const paths = index.map(({ path }) => path)
  const again = paths.find((path, position) => paths.indexOf(path) !== position)
  return again === undefined ? [] : [`${again} is named twice`]
}

function parallelLists(lists: readonly (string | null)[]): readonly string[] {
  const each = [...new Set(lists.filter((list) => list !== null))].toSorted()
  return each.flatMap((list, position) => {
    const before = each[position - 1]
    if (before === undefined || list.startsWith(`${before}.`)) return []
    return [`${before} and ${list} are lists, and an index holds only one`]
  })
}

export function findOwnIndexFaults(
  definition: AttributeDefinition,
  holder: 'contentType' | 'component',
): readonly DeclarationFault[] {
  if (definition.index !== true) return []
  const { type } = definition
  if (holder === 'component' || type === 'component' || type === 'dynamiczone') {
    const problem = 'name the path of the attribute in options.indexes of the content-type'
    return [{ path: 'index', problem }]
  }
  return WITHOUT_INDEX.has(type)
    ? [{ path: 'index', problem: `no index serves attributes of type ${type}` }]
    : []
}
