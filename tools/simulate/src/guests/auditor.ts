import type { Document } from 'mongodb'
import { deliveriesOf, type DeliveryRow } from '../../../../src/changes/webhooks/delivery.ts'
import { webhooksOf, type WebhookRow } from '../../../../src/changes/webhooks/webhook.ts'
import { eventOf, wants } from '../../../../src/changes/webhooks/events.ts'
import { COMMITS } from '../../../../src/mongo/connection/commit-record.ts'
import type { Database } from '../../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../../src/mongo/connection/open-database.ts'
import { readHead, type Head } from '../../../../src/mongo/commits/heads.ts'
import { readCommits, type NumberedCommit } from '../../../../src/mongo/commits/read-commits.ts'
import { loadSchema } from '../../../../src/server/services/load-schema.ts'
import { replayLog } from '../models/replay-log.ts'

export interface AuditorOptions {
  readonly databaseUri: string
  readonly database: string
  readonly contentTypesDir: string
}

/** The whole state of the database after the run. */
export interface Audit {
  readonly things: readonly Document[]
  readonly tags: readonly Document[]
  readonly head: Head
  readonly log: readonly NumberedCommit[]
  /** Commits without a number. */
  readonly pending: number
  /** The versions that the log describes: revisions by type and `_id`. */
  readonly replayed: ReadonlyMap<string, string>
  readonly deliveries: readonly DeliveryRow[]
  /** The ids of the deliveries that the webhooks want, according to the log. */
  readonly wanted: readonly string[]
}

/** Reads everything that the checks compare. */
export async function start(options: AuditorOptions): Promise<Audit> {
  const database = await openDatabase({
    uri: options.databaseUri,
    name: options.database,
    queryTimeoutMs: 10_000,
  })
  const rows = (name: string): Promise<readonly Document[]> =>
    database.collection(`${name}_versions`).find().sort({ _id: 1 }).toArray()
  const head = await readHead(database)
  const log = await readCommits(database, head, { after: 0, limit: 1_000_000 })
  return {
    head,
    log,
    things: await rows('thing'),
    tags: await rows('tag'),
    pending: await database.collection(COMMITS).countDocuments({ pending: 1 }),
    replayed: replayLog(log),
    deliveries: await deliveriesOf(database).find().toArray(),
    wanted: await wantedOf(database, options, log),
  }
}

async function wantedOf(
  database: Database,
  { contentTypesDir }: AuditorOptions,
  log: readonly NumberedCommit[],
): Promise<readonly string[]> {
  const { contentTypes } = await loadSchema(contentTypesDir)
  const hooks: readonly WebhookRow[] = await webhooksOf(database).find().toArray()
  return hooks.flatMap((hook) =>
    log.flatMap(({ _id, items }) =>
      items.flatMap((item, index) => {
        const plan = [...contentTypes.values()].find(({ uid }) => uid === item.type)
        const event = eventOf(item, plan)
        if (event === null || !wants(hook, event, item)) return []
        return [`${hook._id}:${_id.replace('.', '-')}:${index}`]
      }),
    ),
  )
}
