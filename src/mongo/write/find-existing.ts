import type { Document } from 'mongodb'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { visitFound } from '../read/visit-rows.ts'
import { asRow, decodeRow, type VersionRow, versionsOf } from '../versions/stored-version.ts'

export interface ExistingDocuments {
  readonly documentIds: ReadonlySet<string>
  /** documentId by numeric id. */
  readonly byId: ReadonlyMap<number, string>
}

export interface NamedDocuments {
  readonly documentIds: ReadonlySet<string>
  readonly ids: ReadonlySet<number>
}

/** Larger requests run a query of their own. */
const MAX_GATHERED = 10

/** Uses one query. Small requests by documentId share it with concurrent requests. */
export async function findExisting(
  database: Database,
  plan: ContentTypePlan,
  named: NamedDocuments,
  session?: Session,
): Promise<ExistingDocuments> {
  const isGathered =
    session === undefined && named.ids.size === 0 && named.documentIds.size <= MAX_GATHERED
  if (!isGathered) return lookUp(database, plan, named, session)
  const found = await Promise.all(
    [...named.documentIds].map((documentId) =>
      database.gather(`existing ${plan.collectionName}`, documentId, async (documentIds) => {
        const asked = { documentIds: new Set(documentIds), ids: new Set<number>() }
        const existing = await lookUp(database, plan, asked, undefined)
        return new Map([...existing.documentIds].map((each) => [each, each]))
      }),
    ),
  )
  return { documentIds: new Set(found.filter((each) => each !== undefined)), byId: new Map() }
}

async function lookUp(
  database: Database,
  plan: ContentTypePlan,
  named: NamedDocuments,
  session: Session | undefined,
): Promise<ExistingDocuments> {
  const conditions: Document[] = []
  if (named.documentIds.size > 0) conditions.push({ documentId: { $in: [...named.documentIds] } })
  if (named.ids.size > 0) {
    // The list index only applies if the filter includes the status.
    conditions.push({ status: { $in: ['draft', 'published'] }, id: { $in: [...named.ids] } })
  }
  const documentIds = new Set<string>()
  const byId = new Map<number, string>()
  const [first, ...others] = conditions
  if (first === undefined) return { documentIds, byId }
  const filter = others.length === 0 ? first : { $or: conditions }
  const projection = { _id: 0, documentId: 1, id: 1 }
  const note = ({ documentId, id }: VersionRow): void => {
    documentIds.add(documentId)
    byId.set(id, documentId)
  }
  if (session === undefined) {
    const visit = (bytes: Uint8Array): void => note(decodeRow(bytes))
    await visitFound(database, plan, { filter, projection, limit: 0 }, visit)
  } else {
    for (const row of await versionsOf(database, plan)
      .find(filter, { session, projection })
      .toArray()) {
      note(asRow(row))
    }
  }
  return { documentIds, byId }
}
