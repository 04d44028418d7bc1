import { setTimeout as delay } from 'node:timers/promises'
import { repairStates } from '../../mongo/write/repair-states.ts'
import { openLocales } from '../../content/locales/locales.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { settleStates } from '../../mongo/write/settle-states.ts'
import { withLease } from '../../mongo/system/lease.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Schema } from '../../schema/plan.ts'

export interface SettlingStates {
  close(): Promise<void>
}

interface Settling {
  readonly database: Database
  readonly schema: Schema
  readonly onBackgroundError: (error: unknown) => void
}

/** How often the commits are searched for writes of an earlier server version. */
const REPAIR_MS = 5 * 60_000

/** Makes the first list in the Studio fast, and repairs the states after writes of an earlier server version. */
export function settleInBackground(options: Settling): SettlingStates {
  const closing = new AbortController()
  const { signal } = closing
  const run = (async (): Promise<void> => {
    while (!signal.aborted) {
      await settleAll(options, signal).catch((error: unknown) => {
        if (!signal.aborted) options.onBackgroundError(error)
      })
      await delay(REPAIR_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  })()
  return {
    close: () => {
      closing.abort()
      return run
    },
  }
}

async function settleAll({ database, schema }: Settling, signal: AbortSignal): Promise<void> {
  const plans = [...schema.contentTypes.values()].filter(({ draftAndPublish }) => draftAndPublish)
  if (plans.length === 0 || !database.hasTransactions) return
  // Opened separately, because the list of the requests is cached for a second.
  const locales = await openLocales(database)
  const codes = (await locales.current()).all.map(({ code }) => code)
  await withLease(database, 'settle-states', async () => {
    await repairStates(database, plans)
    for (const plan of plans) {
      const own = plan.localized ? codes : [NO_LOCALE]
      await settleStates(database, plan, own, { deadline: Infinity, signal })
    }
  })
}
