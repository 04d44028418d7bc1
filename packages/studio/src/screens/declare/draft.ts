import type { DeclaredFile, Json } from '../../api/declarations.ts'

export interface DraftAttribute {
  /** For React lists; not part of the declaration. */
  readonly key: string
  readonly name: string
  /** The name in the file; null for a new attribute. */
  readonly was: string | null
  readonly options: Json
  /** The attribute on the other side of the relation; null if there is none. */
  readonly otherSide: string | null
  /** The values of an enumeration in the file. */
  readonly values: readonly string[]
  /** New names of values that the user has chosen; null for a removed value. */
  readonly chosenNames: Readonly<Record<string, string | null>>
}

export interface Draft {
  readonly uid: string
  readonly kind: DeclaredFile['kind']
  readonly isNew: boolean
  /** The file without its attributes. Unknown members are preserved. */
  readonly rest: Json
  readonly attributes: readonly DraftAttribute[]
}

export function draftOf({ uid, kind, content }: DeclaredFile): Draft {
  const { attributes = {}, ...rest } = content ?? {}
  return {
    uid,
    kind,
    isNew: false,
    rest,
    attributes: Object.entries(attributes as Readonly<Record<string, Json>>).map(
      ([name, options]) => ({
        key: name,
        name,
        was: name,
        options,
        otherSide: textIn(options, 'mappedBy') ?? textIn(options, 'inversedBy') ?? null,
        values: options['type'] === 'enumeration' ? valuesIn(options) : [],
        chosenNames: {},
      }),
    ),
  }
}

function valuesIn(options: Json): readonly string[] {
  const values = options['enum']
  return Array.isArray(values) ? values.map(String) : []
}

export function readAt(content: Json, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Json)[key] : undefined),
    content,
  )
}

/** Sets a member at a path; undefined removes it. The order of keys is preserved. */
export function writeAt(content: Json, path: readonly string[], value: unknown): Json {
  const [key = '', ...below] = path
  const there = content[key]
  const inner = typeof there === 'object' && there !== null ? (there as Json) : {}
  const next = below.length === 0 ? value : writeAt(inner, below, value)
  const { [key]: _gone, ...others } = content
  return next === undefined ? others : { ...content, [key]: next }
}

export function textIn(content: Json, key: string): string | undefined {
  const value = content[key]
  return typeof value === 'string' ? value : undefined
}

export interface NewType {
  readonly displayName: string
  readonly singularName: string
  readonly pluralName: string
  readonly kind: 'collectionType' | 'singleType'
}

export function newType({ displayName, singularName, pluralName, kind }: NewType): Draft {
  return {
    uid: `api::${singularName}.${singularName}`,
    kind: 'contentType',
    isNew: true,
    rest: {
      kind,
      collectionName: pluralName.replaceAll('-', '_'),
      info: { singularName, pluralName, displayName },
      options: { draftAndPublish: true },
    },
    attributes: [],
  }
}

export interface NewComponent {
  readonly displayName: string
  readonly category: string
  readonly name: string
}

export function newComponentDraft({ displayName, category, name }: NewComponent): Draft {
  return {
    uid: `${category}.${name}`,
    kind: 'component',
    isNew: true,
    rest: {
      collectionName: `components_${category}_${pluralOf(name)}`.replaceAll('-', '_'),
      info: { displayName },
      options: {},
    },
    attributes: [],
  }
}

export function apiNameFrom(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll('ß', 'ss')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
}

/** The same rule as the server's default. */
export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  if (/(?:s|x|z|ch|sh)$/.test(noun)) return `${noun}es`
  return noun === '' ? '' : `${noun}s`
}

export function contentOf({ rest, attributes }: Draft): Json {
  return {
    ...rest,
    attributes: Object.fromEntries(attributes.map(({ name, options }) => [name, options])),
  }
}
