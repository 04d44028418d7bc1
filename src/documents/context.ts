import type { Database } from '../mongo/database.ts'
import type { IdAllocator } from '../mongo/id-allocator.ts'

/** What every operation is given. The clock and the ids are arguments, so that tests can set them. */
export interface DocumentContext {
  readonly database: Database
  readonly ids: IdAllocator
  readonly now: () => Date
  readonly newDocumentId: () => string
}
