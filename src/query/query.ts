import type { Uid } from '../schema/definition.ts'
import type {
  AttributePlan,
  ShapePlan,
  ComponentAttributePlan,
  ContentTypePlan,
  DynamicZonePlan,
  MediaPlan,
  RelationPlan,
  ScalarPlan,
} from '../schema/plan.ts'
import type { Location } from '../schema/values/location.ts'
import type { AnswerSize } from './answer-size.ts'

export interface Query {
  readonly plan: ContentTypePlan
  readonly filter: Filter | null
  /** Ends in `id`, so that every order is total. */
  readonly sort: readonly SortKey[]
  readonly fields: FieldSelection
  readonly page: Page
  readonly version: VersionSelection
  readonly publication: readonly PublicationCondition[]
  /** The stages of the review that drafts may be in. Absent if all of them. */
  readonly stages?: readonly string[]
  readonly reader: Reader
  readonly populate: readonly PopulateNode[]
  /** Absent without a full-text search. It decides the order, so `sort` has no effect. */
  readonly search?: TextSearch
  /** Absent without an order by distance. It decides the order, so `sort` has no effect. */
  readonly nearest?: NearestOrder
  /** Absent if the response consists of entries. `populate` has the relations that it groups by. */
  readonly aggregate?: Aggregate
}

export interface TextSearch {
  readonly text: string
  /** Whether results have every word of the text, and not only one of them. */
  readonly matchesAll: boolean
  /** The weights of the searched attributes, by their place in the declaration. The caller sees all of them. */
  readonly attributes: ReadonlyMap<number, number>
  /** The attributes whose matches the response shows. */
  readonly highlights: readonly AttributePlan[]
  /** Relations to one, enumerations and booleans. The response counts their values. */
  readonly facets: readonly GroupKey[]
  /** Whether misspelled words are corrected: the caller sees all published entries of the type. */
  readonly corrects: boolean
  readonly order: readonly SortKey[]
}

export interface NearestOrder {
  /** The stored path of the location. */
  readonly path: string
  readonly center: Location
  /** Of the `$near`, in meters. Infinity for every location. */
  readonly maxDistance: number
  /** The order of cursors: the distance, which is no attribute, then `id`. */
  readonly order: readonly SortKey[]
}

/** In declared order. The values of `groupBy` are the key of a group. */
export interface Aggregate {
  readonly groupBy: readonly GroupKey[]
  readonly counts: boolean
  readonly measures: readonly Measure[]
}

export type GroupKey = { readonly name: string } & (
  | { readonly kind: 'value' | 'day' | 'month'; readonly attribute: ScalarPlan }
  | { readonly kind: 'relation'; readonly node: RelationNode }
)

export const MEASURES = ['avg', 'min', 'max', 'sum'] as const

export interface Measure {
  readonly of: (typeof MEASURES)[number]
  readonly attribute: ScalarPlan
}

export type EntryQuery = Pick<Query, 'plan' | 'filter' | 'fields' | 'populate' | 'reader'>

export type Status = 'draft' | 'published'

/** Never published, published and unchanged, or changed since. */
export const ENTRY_STATES = ['draft', 'published', 'changed'] as const

export type EntryState = (typeof ENTRY_STATES)[number]

export const PUBLICATION_FILTERS = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'published-without-draft',
  'published-with-draft',
  'never-published-document',
  'has-published-version-document',
] as const

export type PublicationFilter = (typeof PUBLICATION_FILTERS)[number]

/** An `EntryState` compares the content of both versions, not their dates. */
export type PublicationCondition = PublicationFilter | EntryState

/** The locale is `NO_LOCALE` if not localized. */
export interface VersionKey {
  readonly locale: string
  readonly status: Status
}

export interface VersionSelection {
  readonly locales: readonly string[]
  readonly status: Status
  /** Only the first of `locales` in which the document exists. */
  readonly firstOnly?: boolean
}

export type EntryFormat = 'v4' | 'v5'

/** Determines the visible version of each relation target. */
export interface Reader {
  readonly format: EntryFormat
  /** Applies to targets of entries without a locale. */
  readonly locale: string
  /** The requested locale and its fallbacks. Absent without fallbacks. */
  readonly chain?: readonly string[]
  readonly status: Status
  readonly publicationFilter?: PublicationFilter
  readonly locales: LocaleRules
  mayReadDrafts(uid: Uid): boolean
  /** The type to which links in blocks refer, as the caller sees it. Null for types that it may not read. */
  readonly linked: (type: string) => RuledType | null
  readonly answer: AnswerSize
  /** If absent, private files have addresses without a signature. */
  readonly addresses?: SignedAddresses
}

export interface SignedAddresses {
  /** Null for an address that needs no signature. */
  sign(url: string): Promise<string> | null
}

/** `$and`, `$or` and `$not` are separate filter nodes. */
export const OPERATORS = [
  'eq',
  'eqi',
  'ne',
  'nei',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'notIn',
  'contains',
  'notContains',
  'containsi',
  'notContainsi',
  'startsWith',
  'startsWithi',
  'endsWith',
  'endsWithi',
  'null',
  'notNull',
  'between',
  'near',
  'within',
] as const

export type Operator = (typeof OPERATORS)[number]

/** In `within` and `related`, a single element or document must satisfy the whole filter. */
export type Filter =
  | {
      readonly kind: 'all'
      readonly of: readonly Filter[]
      /** Hides entries from the caller. Fallback locales are chosen among the versions that match. */
      readonly isRule?: true
    }
  | { readonly kind: 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | Comparison
  | { readonly kind: 'within'; readonly component: ComponentAttributePlan; readonly of: Filter }
  | RelatedFilter

export interface RelatedFilter {
  readonly kind: 'related'
  readonly relation: RelationPlan
  /** `shown`: the version in the entry. `others`: the versions in all other locales. */
  readonly locales: 'shown' | 'others'
  readonly of: Filter
  /** The document that `of` names, if it exists for certain. */
  readonly knownId?: string
}

export interface Comparison {
  readonly kind: 'compare'
  readonly attribute: ScalarPlan
  readonly operator: Operator
  /** In stored form: a list for `in` and `notIn`, a pair for `between`, an `Area` for `near` and `within`, a boolean for `null` and `notNull`. */
  readonly operand: unknown
}

export interface SortKey {
  /** Empty for the entry's own attributes. */
  readonly through: readonly (RelationPlan | ComponentAttributePlan)[]
  readonly attribute: ScalarPlan
  readonly direction: 'asc' | 'desc'
}

/** In addition to `id` and `documentId`, in requested order. */
export type FieldSelection = readonly string[] | 'all'

/** `estimate` permits a faster, inexact count. */
export type WithCount = boolean | 'estimate'

export type Page =
  | {
      readonly kind: 'page'
      readonly page: number
      readonly pageSize: number
      readonly withCount: WithCount
    }
  | {
      readonly kind: 'offset'
      readonly start: number
      readonly limit: number
      readonly withCount: WithCount
    }
  | {
      readonly kind: 'cursor'
      /** Sort values of the last entry. Null requests the first page. */
      readonly after: readonly unknown[] | null
      readonly pageSize: number
      readonly withCount: WithCount
    }

export interface LocaleRules {
  readonly defaultCode: string
  readonly all: readonly { readonly code: string }[]
  has(code: string): boolean
}

/** Depends on the request only, never on the data. */
export type PopulateNode =
  RelationNode | ComponentNode | ZoneNode | MediaNode | LocalizationsNode | FileUsageNode

/** `ids`: the documentIds only, without a query. `count`: the number of entries only. */
export type PopulateMode = 'entries' | 'count' | 'ids'

interface EntriesSelection {
  readonly mode: PopulateMode
  readonly fields: FieldSelection
  readonly filter: Filter | null
  /** Empty keeps the order of connection. */
  readonly sort: readonly SortKey[]
  readonly populate: readonly PopulateNode[]
}

export interface RelationNode extends EntriesSelection {
  readonly kind: 'relation'
  readonly relation: RelationPlan
  /** Null selects all targets. Inverse sides below another relation always have a range. */
  readonly range: { readonly start: number; readonly limit: number } | null
}

export interface LocalizationsNode extends EntriesSelection {
  readonly kind: 'localizations'
  readonly plan: ContentTypePlan
}

export interface MediaNode extends EntriesSelection {
  readonly kind: 'media'
  readonly media: MediaPlan
}

export interface FileUsageNode {
  readonly kind: 'users'
  readonly mode: Exclude<PopulateMode, 'ids'>
  readonly types: readonly ContentTypePlan[]
}

export interface ComponentNode extends EntriesSelection {
  readonly kind: 'component'
  readonly component: ComponentAttributePlan
}

export type FragmentSelection = Pick<EntriesSelection, 'fields' | 'filter' | 'sort' | 'populate'>

export interface ZoneNode {
  readonly kind: 'zone'
  readonly zone: DynamicZonePlan
  readonly mode: Exclude<PopulateMode, 'ids'>
  /** Entries of components without a selection are omitted. */
  readonly on: ReadonlyMap<Uid, FragmentSelection>
}

/** A type as the caller sees it: its visible entries and attributes. */
export interface RuledType {
  /** Attributes that the caller may not see are private. */
  readonly plan: ContentTypePlan
  /** Null if all entries are visible. */
  readonly condition: Filter | null
}

export interface ReadableAs {
  readonly verb: 'find' | 'findOne'
  readonly status: Status
}

export interface TypeVisibility {
  /** Relations to other types are treated as unknown. */
  mayRead(uid: Uid): boolean
  /** The targets of relations. Absent if the caller sees all entries of the types that it may read. */
  readonly target?: ((plan: ContentTypePlan) => RuledType) | undefined
  /** For doors of editors: filters can compare the ids of `createdBy` and `updatedBy`. */
  readonly comparesAuthors?: true
}

export interface QueryRules extends TypeVisibility {
  readonly defaultLimit: number
  readonly maxLimit: number
  readonly locales: LocaleRules
  /** Absent if no permission of the caller has a rule. */
  readonly readable?: ((plan: ContentTypePlan, as: ReadableAs) => RuledType) | undefined
  mayReadDrafts(uid: Uid): boolean
  /** A fragment may name a component outside its zone. */
  readonly components: ReadonlyMap<Uid, ShapePlan>
  /** Links in blocks can refer to entries of these types. */
  readonly contentTypes: ReadonlyMap<Uid, ContentTypePlan>
  readonly format: EntryFormat
  readonly fileHolder: ShapePlan | null
  readonly answer: AnswerSize
  readonly addresses?: SignedAddresses
}

export const QUERY_LIMITS = {
  listItems: 1_000,
  /** In UTF-16 units. */
  patternLength: 256,
} as const

/** The response to several locales is a list. */
export interface ActionLocales {
  /** `every`: all of `locales` in which the document exists. */
  readonly kind: 'one' | 'several' | 'every'
  /** Without duplicates. `[NO_LOCALE]` if not localized. */
  readonly locales: readonly string[]
}
