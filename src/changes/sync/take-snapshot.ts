import { readAtHead } from '../../mongo/commits/read-at-head.ts'
import { sequenceAll } from '../../mongo/commits/sequencer.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { SyncScope } from './query/parse-scope.ts'
import { writeToken } from './query/sync-token.ts'
import type { SyncLocales } from './query/synced-locales.ts'
import { UNKNOWN_RELEASE } from './query/synced-release.ts'
import { beginSync, readSyncPage } from './read-page.ts'
import type { SyncCaller } from './settle.ts'

export interface SnapshotSource {
  readonly database: Database
  readonly locales: SyncLocales
  readonly scope: SyncScope
  readonly caller: SyncCaller
}

/** A complete first sync, including all commits made before the call. @throws SyncTokenExpiredError */
export async function takeSnapshot(
  { database, locales, scope, caller }: SnapshotSource,
  take: (items: readonly string[]) => Promise<void>,
): Promise<string> {
  const release = UNKNOWN_RELEASE
  const begun = await sequenceAll(database)
  let token = beginSync({ head: begun, locales, release }, scope, caller)
  for (;;) {
    const known = await sequenceAll(database)
    const from = token
    const { items, next, more } = await readAtHead(database, { known, isRecent: true }, (at) =>
      readSyncPage({ ...at, locales, release }, scope, from, caller),
    )
    await take(items)
    token = next
    if (!more) return writeToken(token)
  }
}
