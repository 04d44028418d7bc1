import type { VersionKey } from '../query/query.ts'
import type { Uid } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import type { WriteCondition } from './write/write-condition.ts'

/** What a write may refer to. */
export interface Writer {
  /** A content-type that the principal may not find is no target. */
  mayRead(uid: Uid): boolean
  /** The locale of owners that an inverse side without locales writes: as asked for, or the default. */
  readonly locale: string
}

/** One locale of one document, and the status that a write leaves it in. */
export interface WriteTarget {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly key: VersionKey
  readonly writer: Writer
  /** Left out: whatever is stored is overwritten. */
  readonly condition?: WriteCondition | undefined
}
