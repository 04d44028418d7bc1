import type { ContentTypePlan, ScalarPlan } from '../schema/plan.ts'

/** Everything that a request asked to read, typed and checked against the plan. */
export interface Query {
  readonly plan: ContentTypePlan
  readonly filter: Filter | null
  /** Ends in `id`, so that every order is total. */
  readonly sort: readonly SortKey[]
  readonly fields: FieldSelection
  readonly page: Page
  readonly version: VersionSelection
}

export type Status = 'draft' | 'published'

/** Names one stored version of a document; the locale is null where the type is not localized. */
export interface VersionKey {
  readonly locale: string | null
  readonly status: Status
}

/** Which versions a list is made of. */
export interface VersionSelection {
  readonly locales: readonly (string | null)[]
  readonly status: Status
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

/** A condition on one version. */
export type Filter =
  | { readonly kind: 'all'; readonly of: readonly Filter[] }
  | { readonly kind: 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | Comparison

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
  readonly attribute: ScalarPlan
  readonly direction: 'asc' | 'desc'
}

/** Names of members to show beside `id` and `documentId`, in the order asked for. */
export type FieldSelection = readonly string[] | 'all'

export type Page =
  | {
      readonly kind: 'page'
      readonly page: number
      readonly pageSize: number
      readonly withCount: boolean
    }
  | {
      readonly kind: 'offset'
      readonly start: number
      readonly limit: number
      readonly withCount: boolean
    }
  | {
      readonly kind: 'cursor'
      /** Null asks for the first page; otherwise the sort values of the last entry of the page before. */
      readonly after: readonly unknown[] | null
      readonly pageSize: number
      readonly withCount: boolean
    }

/** The locales that content may be in. */
export interface LocaleRules {
  readonly defaultCode: string
  readonly all: readonly { readonly code: string }[]
  has(code: string): boolean
}

/** What bounds the parsing of one request. */
export interface QueryRules {
  readonly defaultLimit: number
  readonly maxLimit: number
  readonly locales: LocaleRules
}

/** Bounds of one query; beyond them a request is a 400. */
export const QUERY_LIMITS = {
  /** Nested filters, `$not` and relations counted alike. */
  filterDepth: 20,
  conditions: 200,
  listItems: 1_000,
  sortKeys: 20,
  /** Of the operand of an operator that searches text, in UTF-16 units. */
  patternLength: 256,
} as const
