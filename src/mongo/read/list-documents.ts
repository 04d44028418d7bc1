import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { BULK_TIMEOUT_MS } from './get-versions.ts'

export async function* listDocumentIds(
  database: Database,
  plan: ContentTypePlan,
): AsyncGenerator<string> {
  let last = ''
  for (;;) {
    const after = last
    const rows = await versionsOf(database, plan)
      .find(
        { _id: { $gt: after } },
        {
          sort: { _id: 1 },
          limit: PAGE,
          projection: { documentId: 1 },
          maxTimeMS: BULK_TIMEOUT_MS,
        },
      )
      .toArray()
    for (const documentId of new Set(rows.map((row) => String(row['documentId'])))) {
      yield documentId
      last = `${documentId};` // after all of its versions
    }
    if (rows.length < PAGE) return
  }
}

const PAGE = 5_000
