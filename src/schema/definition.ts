/** `api::article.article`, `shared.seo`, `plugin::users-permissions.user`. */
export type Uid = string

/** Values by name, as they come from JSON or from the database. */
export type Data = Record<string, unknown>

export const SCALAR_TYPES = [
  'string',
  'text',
  'richtext',
  'blocks',
  'email',
  'password',
  'uid',
  'enumeration',
  'integer',
  'biginteger',
  'decimal',
  'float',
  'boolean',
  'date',
  'time',
  'datetime',
  'timestamp',
  'json',
] as const

export type ScalarType = (typeof SCALAR_TYPES)[number]

export const RELATION_KINDS = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const

export type RelationKind = (typeof RELATION_KINDS)[number]

interface AttributeOptions {
  readonly required?: boolean
  readonly private?: boolean
  readonly configurable?: boolean
  /** False: no request may give it; imports may. */
  readonly writable?: boolean
  /** False: `_q` does not look into it. */
  readonly searchable?: boolean
  /** Queries filter or sort by it often: it has an index. */
  readonly index?: boolean
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } }
}

export interface ScalarDefinition extends AttributeOptions {
  readonly type: ScalarType
  readonly unique?: boolean
  readonly default?: unknown
  /** Numbers, or decimal text where the type is `biginteger`. */
  readonly min?: number | string
  readonly max?: number | string
  readonly minLength?: number
  readonly maxLength?: number
  readonly regex?: string
  readonly enum?: readonly string[]
  readonly targetField?: string
  /** Shown only where `fields` names it; of built-in types alone. */
  readonly onRequest?: boolean
}

export interface RelationDefinition extends AttributeOptions {
  readonly type: 'relation'
  readonly relation: RelationKind
  readonly target: Uid
  /** On the owning side: the attribute of the target that shows the inverse. */
  readonly inversedBy?: string
  /** On the inverse side: the attribute of the target that owns the relation. */
  readonly mappedBy?: string
  /** Never populated, for any principal; of built-in types alone. */
  readonly unshown?: boolean
}

export interface ComponentAttributeDefinition extends AttributeOptions {
  readonly type: 'component'
  readonly component: Uid
  readonly repeatable?: boolean
  readonly min?: number
  readonly max?: number
}

export interface DynamicZoneDefinition extends AttributeOptions {
  readonly type: 'dynamiczone'
  readonly components: readonly Uid[]
  readonly min?: number
  readonly max?: number
}

export interface MediaDefinition extends AttributeOptions {
  readonly type: 'media'
  readonly multiple?: boolean
  readonly allowedTypes?: readonly string[]
}

export type AttributeDefinition =
  | ScalarDefinition
  | RelationDefinition
  | ComponentAttributeDefinition
  | DynamicZoneDefinition
  | MediaDefinition

/** One attribute of an index: a dotted path through components, such as `seo.metaTitle`. */
export interface IndexedPath {
  readonly path: string
  readonly direction: 1 | -1
}

/** The attributes of one index, in its order. */
export type IndexDefinition = readonly IndexedPath[]

export interface ContentTypeDefinition {
  readonly uid: Uid
  /** Where it was declared, for messages. */
  readonly file: string
  readonly kind: 'collectionType' | 'singleType'
  readonly collectionName: string
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  /** What it is for, to people; empty where nothing is said. */
  readonly description?: string
  /** The address under which a site shows an entry, with places to fill in (`schema/preview-template.ts`). */
  readonly preview?: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** Its collection may be sharded: what is unique is reserved, as no index can hold it there. */
  readonly sharded?: boolean
  /** Whether the commit log keeps what its versions were. */
  readonly history?: boolean
  /** Of `options.indexes`, beside those that attributes declare for themselves. */
  readonly indexes?: readonly IndexDefinition[]
  /** Of `options.api`: what descriptions of the API offer to filter by, where all would be too much. */
  readonly filterable?: readonly string[]
  readonly attributes: Readonly<Record<string, AttributeDefinition>>
}

export interface ComponentDefinition {
  readonly uid: Uid
  readonly file: string
  readonly displayName: string
  readonly attributes: Readonly<Record<string, AttributeDefinition>>
}

/** What a parameter of a named query can be; texts of each are read as those of filters are. */
export const PARAMETER_TYPES = [
  'string',
  'enumeration',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'time',
  'datetime',
] as const

export type ParameterType = (typeof PARAMETER_TYPES)[number]

export interface ParameterDefinition {
  readonly type: ParameterType
  readonly required?: boolean
  /** What it is where a request does not give it. */
  readonly default?: string | number | boolean
  /** Several values: for `$in` and the like. */
  readonly list?: boolean
  readonly enum?: readonly string[]
  readonly description?: string
}

/** A read that is declared in a file; `query/named` makes sense of it. */
export interface QueryDefinition {
  readonly name: string
  readonly file: string
  readonly description: string
  /** The content-type, by its singular name or its uid. */
  readonly type: string
  /** One entry is answered, and none is a 404. */
  readonly single: boolean
  readonly parameters: Readonly<Record<string, ParameterDefinition>>
  /** In place of the parameters of the same name. */
  readonly locale?: string
  readonly fallbackLocale?: readonly string[]
  /** As in a request, but in JSON: `filters`, `populate`, `fields`, `sort`, `search`, `pagination`. */
  readonly asked: Readonly<Data>
}

/** What was declared, after `checkDefinitions`: every reference in it resolves. */
export interface Definitions {
  readonly contentTypes: readonly ContentTypeDefinition[]
  readonly components: readonly ComponentDefinition[]
  readonly queries?: readonly QueryDefinition[]
  /** What was declared, but is hardly meant: a sentence each. */
  readonly warnings?: readonly string[]
}

/** Where in a declaration something is wrong, and what would be right. */
export interface DeclarationFault {
  readonly path: string
  readonly problem: string
}

/** One file that declares something, as it was read; `checkDefinitions` makes sense of it. */
export interface DeclarationFile {
  readonly file: string
  readonly kind: 'contentType' | 'component' | 'query'
  /** Of a query its name. */
  readonly uid: Uid
  /** The parsed JSON. */
  readonly content: unknown
  /** Why there is no content: unreadable, or no JSON. */
  readonly fault?: string
}
