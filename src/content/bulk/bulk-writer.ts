import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Writer } from '../write-target.ts'

export type BulkVerb = 'create' | 'update' | 'delete' | 'readDrafts'

/** The principal that sends the lines. Permissions are checked for each line as for a separate request. */
export interface BulkWriter extends Pick<Writer, 'mayRead'> {
  readonly origin: WriteOrigin
  may(plan: ContentTypePlan, verb: BulkVerb): boolean
  /** @throws ForbiddenError */
  assertMay(plan: ContentTypePlan, verb: BulkVerb): void
}
