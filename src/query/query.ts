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

/** Everything that a request asked to read, typed and checked against the plan. */
export interface Query {
  readonly plan: ContentTypePlan
  readonly filter: Filter | null
  /** Ends in `id`, so that every order is total. */
  readonly sort: readonly SortKey[]
  readonly fields: FieldSelection
  readonly page: Page
  readonly version: VersionSelection
  /** Conditions on the draft and the published version of a document; all of them must hold. */
  readonly publication: readonly PublicationCondition[]
  readonly reader: Reader
  readonly populate: readonly PopulateNode[]
}

/** What a request for one entry asks to be shown of it, and which conditions it must meet. */
export type EntryQuery = Pick<Query, 'filter' | 'fields' | 'populate' | 'reader'>

export type Status = 'draft' | 'published'

/** How an entry stands: never published, published as it is, or changed since. */
export const ENTRY_STATES = ['draft', 'published', 'changed'] as const

export type EntryState = (typeof ENTRY_STATES)[number]

/** Values of `publicationFilter`: how the draft and the published version of a document relate, by locale or in all. */
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

/** A publication filter, or the state of a draft: states compare contents alone. */
export type PublicationCondition = PublicationFilter | EntryState

/** Names one stored version of a document; `NO_LOCALE` where the type is not localized. */
export interface VersionKey {
  readonly locale: string
  readonly status: Status
}

/** Which versions a list is made of. */
export interface VersionSelection {
  readonly locales: readonly string[]
  readonly status: Status
  /** Of each document one version alone: that of the first of these locales in which it has one. */
  readonly firstOnly?: boolean
}

/** How entries are written: flat, or with their attributes one level down as in version 4 of the dialect. */
export type EntryFormat = 'v4' | 'v5'

/** Through whose eyes relations are seen: what of a target there is to see follows from it. */
export interface Reader {
  readonly format: EntryFormat
  /** As asked for, or the default: the locale of targets where the entry itself has none. */
  readonly locale: string
  /**
   * The locale asked for and its fallbacks: every document is seen in the first in which it has a
   * version. Absent where no fallbacks were asked for.
   */
  readonly chain?: readonly string[]
  /** As asked for, also where the entry's own type has no drafts. */
  readonly status: Status
  /** As asked for: a condition on single entries and on populated documents. Absent where none was asked for. */
  readonly publicationFilter?: PublicationFilter
  readonly locales: LocaleRules
  mayReadDrafts(uid: Uid): boolean
  /** Grows with all that is read for this reader. */
  readonly answer: AnswerSize
}

/** The operators that compare one attribute; `$and`, `$or` and `$not` are nodes of their own. */
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
 * A condition on one version. `within` and `related` hold a filter that one and the same element of a
 * component, or one and the same related document, must satisfy.
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
  /** Which version of a target: the one that the entry shows, or those of all locales but the entry's. */
  readonly locales: 'shown' | 'others'
  readonly of: Filter
}

export interface Comparison {
  readonly kind: 'compare'
  readonly attribute: ScalarPlan
  readonly operator: Operator
  /**
   * In stored form (`schema/attribute-kinds.ts`): a list for `in`, `notIn` and `between` (exactly two),
   * a boolean for `null` and `notNull`, one value otherwise.
   */
  readonly operand: unknown
}

export interface SortKey {
  /** The relations and components that lead to the attribute; none where it is the entry's own. */
  readonly through: readonly (RelationPlan | ComponentAttributePlan)[]
  readonly attribute: ScalarPlan
  readonly direction: 'asc' | 'desc'
}

/** Names of members to show beside `id` and `documentId`, in the order asked for. */
export type FieldSelection = readonly string[] | 'all'

/** `estimate`: an exact count is not worth its time. */
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
      /** Null asks for the first page; otherwise the sort values of the last entry of the page before. */
      readonly after: readonly unknown[] | null
      readonly pageSize: number
      readonly withCount: WithCount
    }

/** The locales that content may be in. */
export interface LocaleRules {
  readonly defaultCode: string
  readonly all: readonly { readonly code: string }[]
  has(code: string): boolean
}

/** One attribute to show beside an entry's own members; the tree follows the request, never the rows. */
export type PopulateNode =
  RelationNode | ComponentNode | ZoneNode | MediaNode | LocalizationsNode | FileUsageNode

/** `ids`: only the documentIds, which cost no query; `count`: only how many there are. */
export type PopulateMode = 'entries' | 'count' | 'ids'

interface EntriesSelection {
  readonly mode: PopulateMode
  readonly fields: FieldSelection
  readonly filter: Filter | null
  /** Empty: the order in which the relation was connected. */
  readonly sort: readonly SortKey[]
  readonly populate: readonly PopulateNode[]
}

export interface RelationNode extends EntriesSelection {
  readonly kind: 'relation'
  readonly relation: RelationPlan
  /** Of a to-many relation; null: all of them. Below another relation inverse sides always have one. */
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

/** The published entries that use a file, of whatever content-type. */
export interface FileUsageNode {
  readonly kind: 'users'
  readonly mode: Exclude<PopulateMode, 'ids'>
  readonly types: readonly ContentTypePlan[]
}

export interface ComponentNode extends EntriesSelection {
  readonly kind: 'component'
  readonly component: ComponentAttributePlan
}

/** What to show of the components of one kind in a zone, and which of them in what order. */
export type FragmentSelection = Pick<EntriesSelection, 'fields' | 'filter' | 'sort' | 'populate'>

export interface ZoneNode {
  readonly kind: 'zone'
  readonly zone: DynamicZonePlan
  readonly mode: Exclude<PopulateMode, 'ids'>
  /** What to show of each component; entries of a component that is not named are left out. */
  readonly on: ReadonlyMap<Uid, FragmentSelection>
}

/** What bounds the parsing of one request. */
export interface QueryRules {
  readonly defaultLimit: number
  readonly maxLimit: number
  readonly locales: LocaleRules
  /** Whether the principal may `find` on a content-type; a relation to any other is as if it were not there. */
  mayRead(uid: Uid): boolean
  mayReadDrafts(uid: Uid): boolean
  /** Every component, by uid: a fragment may name one that its zone does not hold. */
  readonly components: ReadonlyMap<Uid, ShapePlan>
  readonly format: EntryFormat
  /** What media attributes show; null while no media are served. */
  readonly fileHolder: ShapePlan | null
  /** The size of the answer to this request. */
  readonly answer: AnswerSize
}

/** Bounds of one query; beyond them a request is a 400. */
export const QUERY_LIMITS = {
  /** Nested filters, `$not` and relations counted alike. */
  filterDepth: 20,
  conditions: 200,
  /** Relations in one filter, those on the way to others included: each is a query of its own. */
  filterRelations: 50,
  listItems: 1_000,
  sortKeys: 20,
  /** On the way to what orders: each target of one is looked up for each entry of the list. */
  sortRelations: 5,
  /** Of these, the relations to many on the way to one key: each multiplies the look-ups. */
  sortRelationsToMany: 2,
  /** Keys of a request that lead through more than one relation to many. */
  sortKeysBehindMany: 1,
  /** Of the operand of an operator that searches text, in UTF-16 units. */
  patternLength: 256,
} as const

/** A content-type of which rows are seen that name it and some locales: rows of trash, of schedules. */
export interface SeenType {
  readonly type: string
  /** A row has one of these at least. `NO_LOCALE` alone where the type has none. */
  readonly locales: readonly string[]
  /** Whoever may not see one of its locales does not see the row. Locales that are no longer there hide nothing. */
  readonly hidden: readonly string[]
}
