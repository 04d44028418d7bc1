import { type Document, MongoServerError } from 'mongodb'
import { optionsOf } from './time-limits.ts'
import type { Database, Session } from './database.ts'

/** Runs an ordered write command. Bulk writes of driver 7.8 hide errors from its retry rules. @throws MongoError */
export async function runWrite(
  run: (command: Document) => Promise<Document>,
  command: Document,
): Promise<Document> {
  const reply = await run({ ...command, ordered: true })
  const [fault] = (reply['writeErrors'] ?? []) as readonly Document[] // at most one, because the command is ordered
  if (fault !== undefined) throw new MongoServerError(fault)
  return reply
}

/** Inserts rows with one command. @throws MongoError */
export async function insertTogether(
  database: Database,
  collection: string,
  rows: readonly Document[],
  session: Session,
): Promise<void> {
  const { maxTimeMS } = optionsOf(database)
  const command = { insert: collection, documents: [...rows], maxTimeMS }
  await runWrite((each) => database.commandIn(session, each), command)
}
