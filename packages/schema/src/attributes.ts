export const TEXT_TYPES = ['string', 'text', 'richtext', 'email', 'password', 'uid'] as const
export const NUMBER_TYPES = ['integer', 'biginteger', 'float', 'decimal'] as const
export const TIME_TYPES = ['date', 'datetime', 'time', 'timestamp'] as const
export const OTHER_SCALAR_TYPES = ['blocks', 'boolean', 'enumeration', 'json', 'location'] as const

export const SCALAR_TYPES = [
  ...TEXT_TYPES,
  ...NUMBER_TYPES,
  ...TIME_TYPES,
  ...OTHER_SCALAR_TYPES,
] as const

export const ATTRIBUTE_TYPES = [
  ...SCALAR_TYPES,
  'relation',
  'media',
  'component',
  'dynamiczone',
] as const

export const RELATION_KINDS = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const

/** The fate of content when the end user that it names is deleted. */
export const USER_DELETIONS = ['delete', 'anonymize', 'keep'] as const

/** The languages of the Studio. */
export const STUDIO_LANGUAGES = ['en', 'de'] as const

/** The merge of an attribute that a device and another writer changed. */
export const CONFLICT_POLICIES = ['ask', 'server', 'client', 'union', 'text'] as const

/** `null` removes the values that do not fit a new type. */
export type ConvertOption = 'null' | { readonly timeZone: string }

export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number]
export type NumberType = (typeof NUMBER_TYPES)[number]
export type TimeType = (typeof TIME_TYPES)[number]
export type ScalarType = (typeof SCALAR_TYPES)[number]
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number]
export type RelationKind = (typeof RELATION_KINDS)[number]
export type UserDeletion = (typeof USER_DELETIONS)[number]

export type StudioLanguage = (typeof STUDIO_LANGUAGES)[number]

/** One text for all languages of the Studio, or one for each. */
export type StudioText = string | Readonly<Partial<Record<StudioLanguage, string>>>

/** A filter on attributes of the same entry or component. */
export type StudioCondition = Readonly<Record<string, unknown>>

/** How the Studio shows the field of an attribute. */
export interface StudioOptions {
  readonly label?: StudioText
  readonly description?: StudioText
  readonly placeholder?: StudioText
  /** Fields of the same group are below one heading. */
  readonly group?: StudioText
  readonly width?: 'full' | 'half'
  readonly visibleWhen?: StudioCondition
  /** Names of the values of an enumeration. */
  readonly values?: Readonly<Record<string, StudioText>>
}

/** Current values of an enumeration by their older names. */
export type RenamedValues = Readonly<Record<string, string>>

/** The options of every attribute that a declaration and a response of `/admin/content-types` have in common. */
export interface SharedOptions {
  /** Older names of the attribute, newest first. An enumeration may also have older names of its values. */
  readonly from?: string | RenamedValues | readonly (string | RenamedValues)[]
  /** Further names for clients that use an older name. */
  readonly alias?: readonly string[]
  /** The fate of stored values after a change of the type. */
  readonly convert?: ConvertOption
  readonly required?: boolean
  readonly private?: boolean
  /** False: clients cannot set it. */
  readonly writable?: boolean
  /** Whether a database index supports sorting by it. */
  readonly index?: boolean
  readonly studio?: StudioOptions
  /** Default: `ask`. */
  readonly conflict?: ConflictPolicy
}

export interface ScalarOptions extends SharedOptions {
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
  /** For `blocks`, from the option `blocks` of the type or component: texts can hold tables. */
  readonly extended?: true
}

export interface RelationOptions extends SharedOptions {
  readonly type: 'relation'
  readonly relation: RelationKind
  readonly target: string
  readonly inversedBy?: string
  readonly mappedBy?: string
  /** For relations to end users. Default: `keep`. */
  readonly onUserDelete?: UserDeletion
}

export interface MediaOptions extends SharedOptions {
  readonly type: 'media'
  readonly multiple?: boolean
  readonly allowedTypes?: readonly string[]
  /** Takes private files only. Attributes without it take public files only. */
  readonly privateFiles?: boolean
}

export interface ComponentOptions extends SharedOptions {
  readonly type: 'component'
  readonly component: string
  readonly repeatable?: boolean
  readonly min?: number
  readonly max?: number
}

export interface DynamicZoneOptions extends SharedOptions {
  readonly type: 'dynamiczone'
  readonly components: readonly string[]
  readonly min?: number
  readonly max?: number
}

/** The names and the switches of a content-type. */
export interface ContentTypeOptions {
  readonly uid: string
  readonly kind: 'collectionType' | 'singleType'
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  readonly description?: string
  /** A name of the icon set of the dialect. The Studio shows the icon. */
  readonly icon?: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
}
