import type { RowGuard } from '../mongo/write/row-guard.ts'
import type { Filter } from '../query/query.ts'
import type { Data } from '../schema/definition.ts'

/** A permission under conditions, with the values of its operands. */
export interface WriteRule {
  readonly where: Filter | null
  /** Null permits all attributes. */
  readonly fields: ReadonlySet<string> | null
  readonly set: Data
}

/** The permissions of the principal of a write. They travel with the write, never by the async context. */
export interface WriteRules {
  /** Whether the action is permitted without conditions. */
  has(action: string): boolean
  /** In stored order. Empty for actions that are permitted without conditions. */
  rulesFor(action: string): readonly WriteRule[]
  /** The documentId of the signed-in end user. */
  readonly user: string | null
}

export type WriteVerb = 'create' | 'update' | 'delete' | 'publish'

/** How a write may be done. */
export interface WritePermit {
  /** Null if the write needs no guard. */
  readonly guard: RowGuard | null
  /** The attributes that the caller can give. Null permits all. */
  readonly fields: ReadonlySet<string> | null
  /** Values that the server sets. */
  readonly set: Data
}

export const UNRULED: WritePermit = { guard: null, fields: null, set: {} }

/** Whether a permit lets the caller give the attribute. Values of the server are not given. */
export function isGivable(
  { fields, set }: Pick<WritePermit, 'fields' | 'set'>,
  name: string,
): boolean {
  return !Object.hasOwn(set, name) && (fields?.has(name) ?? true)
}

/** The values of the server replace those of hooks. */
export function withSet(data: unknown, permit: WritePermit | undefined): unknown {
  const { set } = permit ?? UNRULED
  const isEmpty = Object.keys(set).length === 0
  return isEmpty || typeof data !== 'object' || data === null ? data : { ...data, ...set }
}
