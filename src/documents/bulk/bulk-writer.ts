import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Writer } from '../write-target.ts'

export type BulkVerb = 'create' | 'update' | 'delete' | 'readDrafts'

/** Who sends the lines: asked for each of them, as for requests of their own. */
export interface BulkWriter extends Pick<Writer, 'mayRead'> {
  may(plan: ContentTypePlan, verb: BulkVerb): boolean
  /** @throws ForbiddenError */
  assertMay(plan: ContentTypePlan, verb: BulkVerb): void
}
