import type { Declaration, TypeSummary } from '../api/content-types.ts'
import type { Entry } from '../api/entries.ts'
import type { QueryValue } from '../api/request.ts'
import type { Attributes, Components } from '../api/attributes.ts'
import type { Reading } from './values.ts'

/** Everything that a form needs except the entry. */
export interface FormPlan {
  readonly type: TypeSummary
  readonly declaration: Declaration
  readonly attributes: Attributes
  readonly components: Components
  readonly reading: Reading
  readonly query: Readonly<Record<string, QueryValue>>
  readonly locale: string | null
}

export interface FoundEntry {
  readonly entry: Entry
  readonly etag: string | null
}
