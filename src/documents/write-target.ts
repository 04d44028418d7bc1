import type { VersionKey } from '../query/query.ts'
import type { Uid } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'

/** What a write may refer to. */
export interface Writer {
  /** A content-type that the principal may not find is no target. */
  mayRead(uid: Uid): boolean
  /** The locale of owners that an inverse side without locales writes: as asked for, or the default. */
  readonly locale: string
}

/** Revisions, or any that there is. */
export type Revisions = ReadonlySet<string> | '*'

/** What must hold of a version when it is written; null is no condition. */
export interface WriteCondition {
  readonly match: Revisions | null
  readonly noneMatch: Revisions | null
}

/** One locale of one document, and the status that a write leaves it in. */
export interface WriteTarget {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly key: VersionKey
  readonly writer: Writer
  /** Left out: whatever is stored is overwritten. */
  readonly condition?: WriteCondition | undefined
  /** What is written is no client's, but what was stored before: attributes that are not writable may be among it. */
  readonly isTrusted?: boolean
}
