import type { Logger } from 'pino'
import { isWriteRefused } from '../../schema/adopted-verbs.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'

/** Warns of types of a database without change streams, and of views. */
export function logUnfollowed(
  { contentTypes }: Pick<Schema, 'contentTypes'>,
  log: Pick<Logger, 'warn'>,
): void {
  const plans = [...contentTypes.values()]
  const warn = (some: readonly ContentTypePlan[], message: string): void => {
    if (some.length > 0) log.warn({ types: some.map(({ singularName }) => singularName) }, message)
  }
  warn(
    plans.filter(({ adopted }) => adopted?.isFollowed === false),
    'These types cannot be synced: the database reports no changes of their collections',
  )
  warn(
    plans.filter(isWriteRefused),
    'These types are only read despite "write": the database reports no changes of their collections',
  )
}
