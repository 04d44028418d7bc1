import type {
  ComponentOptions,
  ContentTypeOptions,
  DynamicZoneOptions,
  MediaOptions,
  RelationOptions,
  ScalarOptions,
  ScalarType,
  SharedOptions,
} from '@quire/schema/attributes'
import type { Reason } from '../base/errors.ts'

export type { RelationKind, ScalarType } from '@quire/schema/attributes'

export type Uid = string

export const FILE_UID: Uid = 'plugin::upload.file'

/** The attributes of a file that can have a text in each locale. */
export const FILE_TEXTS = ['alternativeText', 'caption'] as const

/** The member of a file with its texts by locale. It is no attribute, so no query can name it. */
export const FILE_TRANSLATIONS = 'translations'

/** Whether the selected attributes of a type include texts of a file. */
export function showsFileTexts({ uid }: { readonly uid: Uid }, fields: readonly string[]): boolean {
  return uid === FILE_UID && FILE_TEXTS.some((name) => fields.includes(name))
}

export type Data = Record<string, unknown>

interface AttributeOptions extends SharedOptions {
  readonly configurable?: boolean
  readonly searchable?: boolean
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } }
}

export interface ScalarDefinition extends ScalarOptions, AttributeOptions {
  /** Returned only if `fields` names it. For built-in types only. */
  readonly onRequest?: boolean
  /** Older and current values of an enumeration, from the ledger. Older ones stand for the current ones. */
  readonly formerValues?: readonly (readonly [former: string, current: string])[]
}

export interface RelationDefinition extends RelationOptions, AttributeOptions {
  readonly unshown?: boolean
}

export interface ComponentAttributeDefinition extends ComponentOptions, AttributeOptions {}

export interface DynamicZoneDefinition extends DynamicZoneOptions, AttributeOptions {}

export interface MediaDefinition extends MediaOptions, AttributeOptions {}

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

/** The default populate of a content-type: the JSON form of the parameter `populate`. */
export type DeclaredPopulate = string | readonly string[] | Readonly<Data>

export type SearchWeights = Readonly<Record<string, number>>

/** The form of the `_id`s of an adopted collection. */
export type AdoptedIdKind = 'objectId' | 'uuid' | 'text' | 'number'

/** A collection that other services write. The server only reads it, unless `write` is set. */
export interface AdoptDefinition {
  /** Dotted paths by attribute. Without one, the member of the same name holds the value. */
  readonly paths: Readonly<Record<string, string>>
  /** Whether clients may create, update and delete entries. */
  readonly write?: boolean
  /** The path of a number that each update increments. */
  readonly version?: string
  /** Found at the start (`findIdKind`). */
  readonly idKind?: AdoptedIdKind
  /** Found at the start: whether a change stream brings the changes into the commit log. */
  readonly isFollowed?: boolean
}

export interface ReviewStage {
  readonly name: string
  /** Types of the roles that may move a draft into this stage. If absent, each role that updates the draft may. */
  readonly roles?: readonly string[]
}

export interface ReviewDefinition {
  /** At least two. A draft begins in the first one, and an edit in the last one sets it back. */
  readonly stages: readonly ReviewStage[]
  /** Whether only drafts in the last stage can be published. */
  readonly publishesLastOnly: boolean
}

export interface ContentTypeDefinition extends ContentTypeOptions {
  readonly file: string
  readonly collectionName: string
  readonly preview?: string
  /** The template of the addresses of its entries in apps. */
  readonly url?: string
  /** Unique values are reserved, because no index can enforce them on a sharded collection. */
  readonly sharded?: boolean
  readonly history?: boolean
  /** Whether devices may push changes that they made offline. */
  readonly push?: boolean
  readonly review?: ReviewDefinition
  readonly indexes?: readonly IndexDefinition[]
  readonly filterable?: readonly string[]
  readonly populate?: DeclaredPopulate
  /** The weights of the attributes that the full-text index contains. */
  readonly search?: SearchWeights
  /** The older uids, newest first. */
  readonly from?: readonly Uid[]
  /** The uid of the declaration, if the database has another one. */
  readonly declaredUid?: Uid
  readonly formerUids?: readonly Uid[]
  readonly adopt?: AdoptDefinition
  readonly attributes: Readonly<Record<string, AttributeDefinition>>
}

export interface ComponentDefinition {
  readonly uid: Uid
  readonly file: string
  /** The older uids, newest first. */
  readonly from?: readonly Uid[]
  /** The uid in the database, if it has another one. */
  readonly storedUid?: Uid
  readonly formerUids?: readonly Uid[]
  readonly displayName: string
  readonly description?: string
  readonly icon?: string
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
  /** `caller`: the caller needs `find` of each type, and its rules hold. Otherwise the query applies no rules. */
  readonly rules?: 'caller' | 'none'
  readonly asked: Readonly<Data>
}

export interface Definitions {
  readonly contentTypes: readonly ContentTypeDefinition[]
  readonly components: readonly ComponentDefinition[]
  readonly queries?: readonly QueryDefinition[]
  readonly warnings?: readonly string[]
}

export interface DeclarationProblem {
  readonly path: string
  readonly problem: string
}

export interface DeclarationFault extends DeclarationProblem {
  readonly reason: Reason
}

export interface DeclarationFile {
  readonly file: string
  readonly kind: 'contentType' | 'component' | 'query'
  readonly uid: Uid
  readonly content: unknown
  readonly fault?: string
}

export const COMPUTED_TYPES = [
  'string',
  'text',
  'richtext',
  'integer',
  'float',
  'boolean',
  'date',
  'time',
  'datetime',
  'json',
] as const satisfies readonly ScalarType[]

export type ComputedType = (typeof COMPUTED_TYPES)[number]

export type ComputedByType = ReadonlyMap<Uid, ReadonlyMap<string, ComputedDefinition>>

/** Shown only to readers of all attributes in `from`. Never stored, filtered or sorted. */
export interface ComputedDefinition {
  readonly type: ComputedType
  /** Increment it whenever `value` returns something else for the same input. */
  readonly version: number
  /** Attributes of the content-type that `value` needs. If one is private, so is this attribute. */
  readonly from: readonly string[]
  readonly description?: string
  /** Must be pure: the same input always returns the same value. The input is as in a response. */
  value(from: Readonly<Data>): unknown
}
