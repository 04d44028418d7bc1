import { type Document, MongoServerError } from 'mongodb'
import { runWrite } from './write-commands.ts'

export interface BulkTarget {
  /** The name of the database. */
  readonly name: string
  readonly hasBulkWrite: boolean
  readonly run: (command: Document) => Promise<Document>
}

/**
 * Runs `insert` and `update` commands, several as one `bulkWrite` if the database has it. Returns the number of documents that
 * the updates match. @throws MongoError
 */
export async function writeAtOnce(
  { name, hasBulkWrite, run }: BulkTarget,
  commands: readonly Document[],
  maxTimeMS: number,
): Promise<number> {
  if (hasBulkWrite && commands.length > 1) return bulkWrite(name, run, commands, maxTimeMS)
  let count = 0
  for (const command of commands) {
    const { n } = await runWrite(run, { ...command, maxTimeMS })
    if ('update' in command) count += Number(n)
  }
  return count
}

async function bulkWrite(
  name: string,
  run: BulkTarget['run'],
  commands: readonly Document[],
  maxTimeMS: number,
): Promise<number> {
  const ops = commands.flatMap(({ documents = [], updates = [] }: Document, place) => [
    ...(documents as readonly Document[]).map((document) => ({ insert: place, document })),
    ...(updates as readonly Document[]).map(({ q: filter, u: updateMods }: Document) => {
      return { update: place, filter: filter as Document, updateMods: updateMods as Document }
    }),
  ])
  const nsInfo = commands.map(({ insert, update }) => ({
    ns: `${name}.${String(insert ?? update)}`,
  }))
  const command = { bulkWrite: 1, ops, nsInfo, ordered: true, errorsOnly: true, maxTimeMS }
  const { cursor, nMatched } = await run(command)
  const { firstBatch } = cursor as { readonly firstBatch: readonly Document[] }
  const [fault] = firstBatch // errors only
  if (fault !== undefined) throw new MongoServerError(fault)
  return Number(nMatched)
}
