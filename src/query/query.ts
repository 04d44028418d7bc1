import type { Uid } from '../schema/definition.ts'
import type {
  ShapePlan,
  ComponentAttributePlan,
  ContentTypePlan,
  DynamicZonePlan,
  MediaPlan,
  RelationPlan,
  ScalarPlan,
} from '../schema/plan.ts'
import type { AnswerSize } from './answer-size.ts'

export interface Query {
  readonly plan: ContentTypePlan
  readonly filter: Filter | null
  /** Ends in `id`, so that every order is total. */
  readonly sort: readonly SortKey[]
  readonly fields: FieldSelection
  readonly page: Page
  readonly version: VersionSelection
  /** Combined with AND. */
  readonly publication: readonly PublicationCondition[]
  readonly reader: Reader
  readonly populate: readonly PopulateNode[]
}

export type EntryQuery = Pick<Query, 'filter' | 'fields' | 'populate' | 'reader'>

export type Status = 'draft' | 'published'

/** Publication state of an entry: never published, published and unchanged, or changed since. */
export const ENTRY_STATES = ['draft', 'published', 'changed'] as const

export type EntryState = (typeof ENTRY_STATES)[number]

/**
 * Values of `publicationFilter`. They compare the draft and the published version, per locale or
 * per document.
 */
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

/** A publication filter, or the state of a draft. States compare the content only. */
export type PublicationCondition = PublicationFilter | EntryState

/**
 * Key of one stored version of a document. The locale is `NO_LOCALE` if the type is not localized.
 */
export interface VersionKey {
  readonly locale: string
  readonly status: Status
}

export interface VersionSelection {
  readonly locales: readonly string[]
  readonly status: Status
  /** Selects one version per document: the first of `locales` in which the document exists. */
  readonly firstOnly?: boolean
}

/** `v5` is flat. `v4` nests the attributes one level down, as in version 4 of the dialect. */
export type EntryFormat = 'v4' | 'v5'

/**
 * The context in which relations are resolved. It determines the visible version of each target.
 */
export interface Reader {
  readonly format: EntryFormat
  /** The requested or default locale. Applies to targets of entries without a locale. */
  readonly locale: string
  /**
   * The requested locale and its fallbacks. Each document appears in its first available locale.
   * Absent without fallbacks.
   */
  readonly chain?: readonly string[]
  /** The requested status, even if the entry's own type has no drafts. */
  readonly status: Status
  /** Applies to single entries and populated documents. Absent if not requested. */
  readonly publicationFilter?: PublicationFilter
  readonly locales: LocaleRules
  mayReadDrafts(uid: Uid): boolean
  /** Accumulates all reads for this reader. */
  readonly answer: AnswerSize
}

/** Operators that compare one attribute. `$and`, `$or` and `$not` are separate filter nodes. */
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
] as const

export type Operator = (typeof OPERATORS)[number]

/**
 * A condition on one version. In `within` and `related`, a single component element or related
 * document must satisfy the whole filter.
 */
export type Filter =
  | { readonly kind: 'all'; readonly of: readonly Filter[] }
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
}

export interface Comparison {
  readonly kind: 'compare'
  readonly attribute: ScalarPlan
  readonly operator: Operator
  /**
   * In stored form (`schema/attribute-kinds.ts`): a list for `in` and `notIn`, a pair for
   * `between`, a boolean for `null` and `notNull`, otherwise one value.
   */
  readonly operand: unknown
}

export interface SortKey {
  /** Path of relations and components to the attribute. Empty for the entry's own attributes. */
  readonly through: readonly (RelationPlan | ComponentAttributePlan)[]
  readonly attribute: ScalarPlan
  readonly direction: 'asc' | 'desc'
}

/** Member names in addition to `id` and `documentId`, in requested order. */
export type FieldSelection = readonly string[] | 'all'

/** `estimate` permits an inexact count, which is faster. */
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
      /** Sort values of the last entry of the previous page. Null requests the first page. */
      readonly after: readonly unknown[] | null
      readonly pageSize: number
      readonly withCount: WithCount
    }

export interface LocaleRules {
  readonly defaultCode: string
  readonly all: readonly { readonly code: string }[]
  has(code: string): boolean
}

/** One populated attribute. The tree depends on the request only, never on the data. */
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
  /**
   * Page of a to-many relation; null selects all targets. Inverse sides below another relation
   * always have one.
   */
  readonly range: { readonly start: number; readonly limit: number } | null
}

/** The other locales of the same document, in the same status. */
export interface LocalizationsNode extends EntriesSelection {
  readonly kind: 'localizations'
  readonly plan: ContentTypePlan
}

export interface MediaNode extends EntriesSelection {
  readonly kind: 'media'
  readonly media: MediaPlan
}

/** The published entries of all content-types that use a file. */
export interface FileUsageNode {
  readonly kind: 'users'
  readonly mode: Exclude<PopulateMode, 'ids'>
  readonly types: readonly ContentTypePlan[]
}

export interface ComponentNode extends EntriesSelection {
  readonly kind: 'component'
  readonly component: ComponentAttributePlan
}

/** Selection, filter and order for one component type of a zone. */
export type FragmentSelection = Pick<EntriesSelection, 'fields' | 'filter' | 'sort' | 'populate'>

export interface ZoneNode {
  readonly kind: 'zone'
  readonly zone: DynamicZonePlan
  readonly mode: Exclude<PopulateMode, 'ids'>
  /** Entries of components without a selection are omitted. */
  readonly on: ReadonlyMap<Uid, FragmentSelection>
}

/** Limits and permissions for parsing one request. */
export interface QueryRules {
  readonly defaultLimit: number
  readonly maxLimit: number
  readonly locales: LocaleRules
  /**
   * Whether the principal has `find` on a content-type. Relations to other types are treated as
   * unknown.
   */
  mayRead(uid: Uid): boolean
  mayReadDrafts(uid: Uid): boolean
  /** All components by uid, because a fragment may name a component outside its zone. */
  readonly components: ReadonlyMap<Uid, ShapePlan>
  readonly format: EntryFormat
  /** Shape of media attributes. Null if media are disabled. */
  readonly fileHolder: ShapePlan | null
  readonly answer: AnswerSize
}

/** Limits of one query. A request beyond them fails with 400. */
export const QUERY_LIMITS = {
  /** Nested filters, `$not` and relations all count. */
  filterDepth: 20,
  conditions: 200,
  /** Relations in one filter, including intermediate ones. Each is a separate query. */
  filterRelations: 50,
  listItems: 1_000,
  sortKeys: 20,
  /** Relations on the path of a sort key. Each target is looked up for each entry of the list. */
  sortRelations: 5,
  /** To-many relations on the path of one key. Each multiplies the look-ups. */
  sortRelationsToMany: 2,
  /** Sort keys with more than one to-many relation on their path. */
  sortKeysBehindMany: 1,
  /** Length of a text search operand, in UTF-16 units. */
  patternLength: 256,
} as const

/**
 * Visibility of rows that refer to a content-type and locales, such as rows of the trash or of
 * schedules.
 */
export interface VisibleType {
  readonly type: string
  /** A row must have at least one of these. `[NO_LOCALE]` if the type is not localized. */
  readonly locales: readonly string[]
  /** A row with any of these locales is invisible. Deleted locales hide no rows. */
  readonly hidden: readonly string[]
}

/** The locales of a document action. The response to several locales is a list. */
export interface ActionLocales {
  /** `every`: all of `locales` in which the document exists. */
  readonly kind: 'one' | 'several' | 'every'
  /** Without duplicates. `[NO_LOCALE]` if the type is not localized. */
  readonly locales: readonly string[]
}
