import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { judgeStandalone } from '../deployment/refuse-standalone.ts'
import { ConfigError } from '../errors.ts'
import type { Database } from '../mongo/connection/database.ts'
import { readServerVersion, refusalOf } from '../mongo/connection/server-version.ts'
import { findUnjoinable, unjoinableWarning } from '../mongo/connection/sharded-joins.ts'
import { compileCollections } from '../mongo/indexes/collection-plan.ts'
import { syncDrafts } from '../mongo/indexes/sync-drafts.ts'
import { syncIndexes } from '../mongo/indexes/sync-indexes.ts'
import { syncReservations } from '../mongo/indexes/sync-reservations.ts'
import { ensureTrash } from '../mongo/trash/trash-rows.ts'
import type { Schema } from '../schema/plan.ts'
import type { Base } from './open-base.ts'

/** @throws ConfigError for a deployment that cannot hold content */
export async function assertDeployment(
  { config, database, schema }: Base,
  log: Logger,
): Promise<void> {
  assertTransactions(database, config, log)
  await assertVersion(database, schema, log)
}

/** Makes what is stored fit what is declared: a start alone does so. @throws SchemaError where that cannot be */
export async function fitContent(
  { database, schema, documents: { ids, now } }: Base,
  log: Logger,
): Promise<void> {
  const plans = [...schema.contentTypes.values()]
  const { built, replaced, strays } = await syncIndexes(database, [
    ...compileCollections(schema).values(),
  ])
  if (built.length + replaced.length > 0) {
    log.info(`Indexes synced: ${built.length} built, ${replaced.length} replaced`)
    log.debug({ built, replaced }, 'Index changes')
  }
  for (const name of strays) log.warn(`Unknown index ${name} left untouched`)
  await syncReservations(database, plans)
  await ensureTrash(database)
  const drafts = await syncDrafts(database, ids, plans, now)
  if (drafts > 0)
    log.info({ drafts }, 'Draft & publish was turned on: drafts of published entries were created')
}

/** @throws ConfigError for a standalone mongod, unless it was accepted. */
function assertTransactions(database: Database, config: Config, log: Logger): void {
  const verdict = judgeStandalone(database.hasTransactions, config.database.allowStandalone)
  if (verdict.kind === 'refused') throw new ConfigError([verdict.why])
  if (verdict.kind === 'accepted') log.warn(verdict.why)
}

/**
 * Notes the collections that this MongoDB cannot join, too.
 * @throws ConfigError for a MongoDB that is too old.
 */
async function assertVersion(database: Database, schema: Schema, log: Logger): Promise<void> {
  const version = await readServerVersion(database)
  const refusal = refusalOf(version)
  if (refusal !== null) throw new ConfigError([refusal])
  const collections = [...schema.contentTypes.values()].map(({ collectionName }) => collectionName)
  const unjoinable = await findUnjoinable(database, version, collections)
  for (const name of unjoinable) database.unjoinable.add(name)
  if (unjoinable.length > 0) log.warn({ collections: unjoinable }, unjoinableWarning(version))
}
