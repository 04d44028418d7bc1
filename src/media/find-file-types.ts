import type { Database } from '../mongo/connection/database.ts'
import { versionsOf } from '../mongo/versions/stored-version.ts'
import { versionId } from '../mongo/versions/version-match.ts'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { ContentTypePlan } from '../schema/plan.ts'

export interface FileType {
  readonly name: string
  readonly mime: string
  readonly private?: boolean
  readonly uploadedBy?: string | null
}

export async function findFileTypes(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, FileType>> {
  const key = { locale: NO_LOCALE, status: 'published' } as const
  const found = await versionsOf(database, plan)
    .find(
      { _id: { $in: documentIds.map((documentId) => versionId(documentId, key)) } },
      {
        projection: { _id: 0, documentId: 1, name: 1, mime: 1, private: 1, uploadedBy: 1 },
      },
    )
    .toArray()
  const files = found as unknown as readonly (FileType & { readonly documentId: string })[]
  return new Map(files.map(({ documentId, ...type }) => [documentId, type]))
}
