import type { Document } from 'mongodb'
import { readHead } from '../../src/mongo/commits/heads.ts'
import { readCommits } from '../../src/mongo/commits/read-commits.ts'
import { COMMITS } from '../../src/mongo/connection/commit-record.ts'
import { openDatabase } from '../../src/mongo/connection/open-database.ts'
import { checkLog } from '../../tools/simulate/src/checks/check-audit.ts'
import { replayLog } from '../../tools/simulate/src/models/replay-log.ts'

interface Stored {
  readonly uri: string
  readonly database: string
}

const VERSIONS = /^(?!quire_)(.+)_versions$/

/** Compares the commit log of a server at rest with its stored versions. Returns the differences. */
export async function checkStoredLog({ uri, database: name }: Stored): Promise<readonly string[]> {
  const database = await openDatabase({ uri, name, queryTimeoutMs: 20_000 })
  try {
    const head = await readHead(database)
    const log = await readCommits(database, head, { after: 0, limit: 1_000_000 })
    const pending = await database.collection(COMMITS).countDocuments({ pending: 1 })
    const stored: Record<string, readonly Document[]> = {}
    const { cursor } = await database.command({ listCollections: 1, nameOnly: true })
    for (const { name: collection } of cursor.firstBatch) {
      const type = VERSIONS.exec(collection as string)?.[1]
      if (type !== undefined)
        stored[`api::${type}.${type}`] = await database.collection(collection).find().toArray()
    }
    return checkLog({ head, log, pending, replayed: replayLog(log) }, stored)
  } finally {
    await database.close()
  }
}
