import { type Document, MongoServerError } from 'mongodb'
import { optionsOf } from './commands.ts'
import type { Database, Session } from './database.ts'

/**
 * Inserts rows of one collection with one command of a transaction, all or none. The driver's own bulk writes (7.8) wrap
 * an error, so that neither its retry rules nor we see what it was; this fails as the insert of one row does.
 * @throws MongoError
 */
export async function insertTogether(
  database: Database,
  collection: string,
  rows: readonly Document[],
  session: Session,
): Promise<void> {
  const { maxTimeMS } = optionsOf(database)
  const command = { insert: collection, documents: [...rows], ordered: true, maxTimeMS }
  const reply = await database.commandIn(session, command)
  const [fault] = (reply['writeErrors'] ?? []) as readonly Document[] // one at most: it is ordered
  if (fault !== undefined) throw new MongoServerError(fault)
}
