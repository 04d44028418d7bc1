import { type Document, MongoServerError } from 'mongodb'
import { optionsOf } from './commands.ts'
import type { Database, Session } from './database.ts'

/**
 * Inserts rows with one command. The driver's bulk writes (7.8) wrap errors, which hides them from its retry
 * rules.
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
  const [fault] = (reply['writeErrors'] ?? []) as readonly Document[] // at most one, because the insert is ordered
  if (fault !== undefined) throw new MongoServerError(fault)
}
