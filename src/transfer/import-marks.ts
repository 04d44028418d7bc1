import { asCmsErrors } from '../mongo/connection/database-error.ts'
import type { Database } from '../mongo/connection/database.ts'
import { ensureRow } from '../mongo/system/system-collections.ts'

interface ImportMark {
  readonly _id: string
  readonly beganAt: Date
}

const COLLECTION = 'quire_imports'

export async function wasImported(database: Database, fingerprint: string): Promise<boolean> {
  const marks = database.collection<ImportMark>(COLLECTION)
  const options = { maxTimeMS: database.queryTimeoutMs }
  return (await asCmsErrors(() => marks.findOne({ _id: fingerprint }, options))) !== null
}

export async function noteImport(database: Database, fingerprint: string, at: Date): Promise<void> {
  const marks = database.collection<ImportMark>(COLLECTION)
  await ensureRow(marks, { _id: fingerprint, beganAt: at })
}
