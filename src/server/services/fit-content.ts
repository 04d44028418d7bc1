import type { Logger } from 'pino'
import type { Config } from '../../base/config/config.ts'
import { judgeStandalone } from '../deployment/refuse-standalone.ts'
import { ConfigError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { endCompaction } from '../../mongo/conversions/compaction-row.ts'
import { convertStored } from '../../mongo/conversions/convert-stored.ts'
import { judgeServer } from '../../mongo/connection/server-version.ts'
import { compileCollections, explainUnindexed } from '../../mongo/indexes/collection-plan.ts'
import { findStoredCollections } from '../../mongo/indexes/stored-collections.ts'
import { syncDrafts } from '../../mongo/indexes/sync-drafts.ts'
import { syncIndexes } from '../../mongo/indexes/sync-indexes.ts'
import { syncReservations } from '../../mongo/indexes/sync-reservations.ts'
import { syncStates } from '../../mongo/indexes/sync-states.ts'
import { ensureComments } from '../../mongo/trash/entry-comments.ts'
import { ensureReviews } from '../../mongo/trash/entry-reviews.ts'
import { ensureTrash } from '../../mongo/trash/trash-rows.ts'
import { assertNotCompacted } from '../compaction/compact-schema.ts'
import { finishLocaleRename } from '../locale-rename/rename-locale.ts'
import { assertAlone } from '../../mongo/system/assert-alone.ts'
import type { Base } from './open-base.ts'

type FitLog = Pick<Logger, 'info' | 'debug' | 'warn'>

export async function assertDeployment(
  { config, database, schema }: Base,
  log: FitLog,
): Promise<void> {
  assertTransactions(database, config, log)
  const collections = [...schema.contentTypes.values()].map(({ collectionName }) => collectionName)
  const { refusal } = await judgeServer(database, collections)
  if (refusal !== null) throw new ConfigError([refusal])
}

/** Only the server start migrates content. @throws SchemaError if impossible */
export async function fitContent(
  { database, schema, entered, locales, documents: { ids, now } }: Base,
  log: FitLog,
): Promise<void> {
  await assertNotCompacted(database, entered.ledger)
  await finishLocaleRename({ database, schema, locales }, (facts, message) => {
    log.info(facts, message)
  })
  const plans = [...schema.contentTypes.values()].filter(({ adopted }) => adopted === undefined)
  const collections = compileCollections(schema)
  const stored = await findStoredCollections(database)
  const { built, replaced, strays } = await syncIndexes(database, [...collections.values()], stored)
  if (built.length + replaced.length > 0) {
    log.info(`Indexes synced: ${built.length} built, ${replaced.length} replaced`)
    log.debug({ built, replaced }, 'Index changes')
  }
  // After the indexes: values that are not unique stop the start while all are as they were.
  await convertStored({
    database,
    schema,
    entered: entered.ledger,
    log: (facts, message) => log.info(facts, message),
    assertAlone: () => assertAlone(database, entered.digest),
  })
  for (const why of explainUnindexed(collections)) log.warn(why)
  for (const name of strays) log.warn(`Unknown index ${name} left untouched`)
  await syncReservations(database, plans)
  await endCompaction(database)
  await ensureTrash(database)
  await ensureComments(database)
  await ensureReviews(database)
  const drafts = await syncDrafts(database, ids, plans, { now, stored })
  await syncStates(database, plans, stored)
  if (drafts > 0)
    log.info({ drafts }, 'Draft & publish was turned on: drafts of published entries were created')
}

function assertTransactions(database: Database, config: Config, log: FitLog): void {
  const verdict = judgeStandalone(database.hasTransactions, config.database.allowStandalone)
  if (verdict.kind === 'refused') throw new ConfigError([verdict.why])
  if (verdict.kind === 'accepted') log.warn(verdict.why)
}
