import type { Json } from '../../api/declarations.ts'
import { type DraftAttribute, readAt, writeAt } from './draft.ts'

/** The new name of an attribute of the file, or null for a removed one. */
export type AttributeNames = (name: string) => string | null

/** The options of a type that name its attributes. A URL keeps removed names, which the server refuses. */
const REFERENCES = {
  'options.indexes': renamedIndexes,
  'options.search': renamedKeys,
  'options.url': renamedTemplate,
  'options.api.filterable': renamedPaths,
  'options.api.populate': renamedPopulate,
  'adopt.paths': renamedKeys,
} as const

interface Names {
  readonly of: AttributeNames
  /** Whether the attribute leads to the type itself, so that the names below it are its own too. */
  readonly isOwn: (name: string) => boolean
}

/** Options that become empty are left out. */
export function withAttributeNames(
  rest: Json,
  attributes: readonly Pick<DraftAttribute, 'was' | 'options'>[],
  { uid, nameOf }: { readonly uid: string; readonly nameOf: AttributeNames },
): Json {
  const own = new Set(
    attributes.flatMap(({ was, options }) => (options['target'] === uid ? [was] : [])),
  )
  const names: Names = { of: nameOf, isOwn: (name) => own.has(name) }
  return Object.entries(REFERENCES).reduce((all, [place, rename]) => {
    const path = place.split('.')
    const value = readAt(all, ...path)
    return value === undefined ? all : writeAt(all, path, rename(value, names))
  }, rest)
}

/** The options that lose the name of a removed attribute. */
export function referencesTo(rest: Json, uid: string, name: string): readonly string[] {
  const nameOf: AttributeNames = (one) => (one === name ? null : one)
  const without = withAttributeNames(rest, [], { uid, nameOf })
  return Object.keys(REFERENCES).filter((place) => {
    const path = place.split('.')
    return JSON.stringify(readAt(rest, ...path)) !== JSON.stringify(readAt(without, ...path))
  })
}

function renamedIndexes(value: unknown, names: Names): unknown {
  if (!Array.isArray(value)) return value
  return filled(
    value.flatMap((index: unknown) => {
      if (!Array.isArray(index)) return renamedList([index], names)
      const renamed = renamedList(index, names)
      return renamed.length < index.length ? [] : [renamed]
    }),
  )
}

function renamedPaths(value: unknown, names: Names): unknown {
  return Array.isArray(value) ? filled(renamedList(value, names)) : value
}

/** Without the paths of removed attributes. */
function renamedList(paths: readonly unknown[], names: Names): readonly unknown[] {
  return paths.flatMap((path) =>
    typeof path === 'string' ? (renamedPath(path, names) ?? []) : [path],
  )
}

/** A path can end in an order, as in `title:desc`. */
function renamedPath(path: string, names: Names): string | null {
  const [, first = '', mark = '', rest = ''] = /^([^.:]+)([.:]?)(.*)$/s.exec(path) ?? []
  const name = names.of(first)
  if (name === null || mark === '') return name
  const below = mark === '.' && names.isOwn(first) ? renamedPath(rest, names) : rest
  return below === null ? null : `${name}${mark}${below}`
}

function renamedKeys(value: unknown, names: Names): unknown {
  return isObject(value) ? renamedMembers(value, names, (member) => member) : value
}

function renamedMembers(
  value: Json,
  names: Names,
  renamed: (member: unknown, name: string) => unknown,
): unknown {
  const members = Object.entries(value).flatMap(([name, member]) => {
    const now = names.of(name)
    return now === null ? [] : [[now, renamed(member, name)] as const]
  })
  return members.length === 0 && Object.keys(value).length > 0
    ? undefined
    : Object.fromEntries(members)
}

/** A name, a list of paths, or an object with the members that are populated below each name. */
function renamedPopulate(value: unknown, names: Names): unknown {
  if (typeof value === 'string') {
    const left = value.split(',').flatMap((path) => renamedPath(path, names) ?? [])
    return left.length === 0 ? undefined : left.join(',')
  }
  if (!isObject(value)) return renamedPaths(value, names)
  return renamedMembers(value, names, (member, name) =>
    names.isOwn(name) ? withinOwnType(member, names) : member,
  )
}

function withinOwnType(value: unknown, names: Names): unknown {
  if (!isObject(value)) return value
  return {
    ...value,
    ...('fields' in value && { fields: renamedPaths(value['fields'], names) }),
    ...('populate' in value && { populate: renamedPopulate(value['populate'], names) }),
  }
}

function renamedTemplate(value: unknown, names: Names): unknown {
  if (typeof value !== 'string') return value
  return value.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => `{${names.of(name) ?? name}}`)
}

function filled(list: readonly unknown[]): readonly unknown[] | undefined {
  return list.length === 0 ? undefined : list
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
