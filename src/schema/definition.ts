export type Uid = string

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
  readonly writable?: boolean
  readonly searchable?: boolean
  readonly index?: boolean
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } }
}

export interface ScalarDefinition extends AttributeOptions {
  readonly type: ScalarType
  readonly unique?: boolean
  readonly default?: unknown
  readonly min?: number | string
  readonly max?: number | string
  readonly minLength?: number
  readonly maxLength?: number
  readonly regex?: string
  readonly enum?: readonly string[]
  readonly targetField?: string
  /** Returned only if `fields` names it. For built-in types only. */
  readonly onRequest?: boolean
}

export interface RelationDefinition extends AttributeOptions {
  readonly type: 'relation'
  readonly relation: RelationKind
  readonly target: Uid
  readonly inversedBy?: string
  readonly mappedBy?: string
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

export interface IndexedPath {
  readonly path: string
  readonly direction: 1 | -1
}

export type IndexDefinition = readonly IndexedPath[]

export interface ContentTypeDefinition {
  readonly uid: Uid
  readonly file: string
  readonly kind: 'collectionType' | 'singleType'
  readonly collectionName: string
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  readonly description?: string
  readonly preview?: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** Unique values are reserved, because no index can enforce them on a sharded collection. */
  readonly sharded?: boolean
  readonly history?: boolean
  readonly indexes?: readonly IndexDefinition[]
  readonly filterable?: readonly string[]
  readonly attributes: Readonly<Record<string, AttributeDefinition>>
}

export interface ComponentDefinition {
  readonly uid: Uid
  readonly file: string
  readonly displayName: string
  readonly attributes: Readonly<Record<string, AttributeDefinition>>
}

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
  readonly default?: string | number | boolean
  readonly list?: boolean
  readonly enum?: readonly string[]
  readonly description?: string
}

export interface QueryDefinition {
  readonly name: string
  readonly file: string
  readonly description: string
  readonly type: string
  readonly single: boolean
  readonly parameters: Readonly<Record<string, ParameterDefinition>>
  readonly locale?: string
  readonly fallbackLocale?: readonly string[]
  readonly asked: Readonly<Data>
}

export interface Definitions {
  readonly contentTypes: readonly ContentTypeDefinition[]
  readonly components: readonly ComponentDefinition[]
  readonly queries?: readonly QueryDefinition[]
  readonly warnings?: readonly string[]
}

export interface DeclarationFault {
  readonly path: string
  readonly problem: string
}

export interface DeclarationFile {
  readonly file: string
  readonly kind: 'contentType' | 'component' | 'query'
  readonly uid: Uid
  readonly content: unknown
  readonly fault?: string
}
