import type { CommitItem } from '../../mongo/connection/database.ts'
import type { SyncRule } from '../../people/access/sync-rights.ts'

export interface ChangeUnderRule {
  /** The operation for the client, which differs from that of the commit if the change hides a row. */
  readonly op: CommitItem['op'] | null
  /** Whether the client can have the row. Only then it gets a delete. */
  readonly mayBeHeld: boolean
  readonly isUndecided: boolean
}

/** Without a rule, the client sees the operation of the commit. */
export const SHOWN_CHANGE: ChangeUnderRule = { op: null, mayBeHeld: true, isUndecided: false }

export const UNDECIDED_CHANGE: ChangeUnderRule = { op: null, mayBeHeld: true, isUndecided: true }

/** Null if the row is hidden before and after the change. */
export function changeUnderRule(
  { condition }: Pick<SyncRule, 'condition'>,
  { op, was, is }: Pick<CommitItem, 'op' | 'was' | 'is'>,
): ChangeUnderRule | null {
  if (condition === null) return SHOWN_CHANGE
  const decide = (members: CommitItem['was']): boolean | null => {
    if (members === undefined) return null
    return members === null ? false : condition.matches(members)
  }
  const before = decide(was)
  const after = op === 'delete' ? false : decide(is)
  if (after === true) return { op: 'put', mayBeHeld: before !== false, isUndecided: false }
  if (before === null || after === null) return UNDECIDED_CHANGE
  return before ? { op: 'delete', mayBeHeld: true, isUndecided: false } : null
}
