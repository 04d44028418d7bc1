import { setTimeout as sleep } from 'node:timers/promises'
import { examineSearchIndex } from '../../../../src/changes/search/search-health.ts'
import type { Database } from '../../../../src/mongo/connection/database.ts'

const CHECK_EVERY_MS = 200

/** Waits until the search index has every commit and every draft, and no type is being built. */
export async function untilIndexed(database: Database): Promise<void> {
  for (;;) {
    const health = await examineSearchIndex(database)
    const isDone =
      health?.behind === 0 && health.pendingDrafts === 0 && health.building.length === 0
    if (isDone) return
    await sleep(CHECK_EVERY_MS)
  }
}
