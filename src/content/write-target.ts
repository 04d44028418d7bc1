import type { VersionKey } from '../query/query.ts'
import type { Uid } from '../schema/definition.ts'
import type { WriteOrigin } from '../mongo/connection/authorship.ts'
import type { ContentTypePlan } from '../schema/plan.ts'

export interface Writer {
  /** Content-types that the principal cannot read are rejected as targets. */
  mayRead(uid: Uid): boolean
  /** The requested or default locale, for owners that are written through an inverse side without locales. */
  readonly locale: string
}

export type Revisions = ReadonlySet<string> | '*'

/** Null means no condition. */
export interface WriteCondition {
  readonly match: Revisions | null
  readonly noneMatch: Revisions | null
}

export interface WriteTarget {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly key: VersionKey
  readonly writer: Writer
  /** If absent, the stored version is overwritten unconditionally. */
  readonly condition?: WriteCondition | undefined
  /** The data was stored before, so it may include attributes that clients cannot write. */
  readonly isTrusted?: boolean
  /** Uid attributes of a new document whose values the caller has generated. */
  readonly madeUids?: readonly string[]
}

/** A write with a transaction of its own. Writes inside of a transaction have its origin. */
export interface WriteRequest extends WriteTarget {
  readonly origin: WriteOrigin
}
