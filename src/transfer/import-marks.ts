import type { Database } from '../mongo/connection/database.ts'
import { ensureRow } from '../mongo/system/system-collections.ts'

interface ImportMark {
  readonly _id: string
  readonly beganAt: Date
}

const COLLECTION = 'quire_imports'

export async function wasImported(database: Database, fingerprint: string): Promise<boolean> {
  const marks = database.table<ImportMark>(COLLECTION)
  return (await marks.findOne({ _id: fingerprint })) !== null
}

export async function noteImport(database: Database, fingerprint: string, at: Date): Promise<void> {
  const marks = database.table<ImportMark>(COLLECTION)
  await ensureRow(marks, { _id: fingerprint, beganAt: at })
}
