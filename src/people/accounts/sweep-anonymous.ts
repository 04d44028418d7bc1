import { tryLease } from '../../mongo/system/lease.ts'
import type { AccountsContext } from './accounts.ts'
import { removeUserRow } from './users.ts'

export interface AnonymousSweep {
  close(): Promise<void>
}

export interface AnonymousSweepOptions {
  readonly onBackgroundError: (error: unknown) => void
  readonly everyMs?: number
}

const SWEEP_INTERVAL_MS = 600_000
const BATCH = 100

/** Deletes idle anonymous users periodically until `close`. One process at a time does so. */
export function openAnonymousSweep(
  accounts: AccountsContext,
  { onBackgroundError, everyMs = SWEEP_INTERVAL_MS }: AnonymousSweepOptions,
): AnonymousSweep {
  if (accounts.anonymous === null) return { close: () => Promise.resolve() }
  let sweeping: Promise<void> = Promise.resolve()
  const sweep = (): Promise<void> =>
    tryLease(accounts.db, 'anonymous users', everyMs / 2, async () => {
      await sweepAnonymous(accounts)
    })
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep).catch(onBackgroundError)
  }, everyMs)
  timer.unref()
  return {
    close: async () => {
      clearInterval(timer)
      await sweeping
    },
  }
}

/** Returns the number of deleted users. Their content is deleted by `onUserDelete`. */
export async function sweepAnonymous(accounts: AccountsContext): Promise<number> {
  const { db, anonymous, sessions, deletedUsers } = accounts
  if (anonymous === null) return 0
  let swept = 0
  for (;;) {
    const idle = await anonymous.findIdle(BATCH)
    if (idle.length === 0) break
    const ended = await db.transact(async (session) => {
      const held = await anonymous.holdIdle(idle, session)
      for (const documentId of held) await removeUserRow(accounts, documentId, session)
      await deletedUsers.enqueue(held, session)
      return held
    })
    for (const documentId of ended) await sessions?.endOf(documentId, null)
    swept += ended.length
    if (idle.length < BATCH) break
  }
  await anonymous.sweep()
  return swept
}
