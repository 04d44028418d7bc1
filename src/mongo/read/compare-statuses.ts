import type { Document } from 'mongodb'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { storedContent } from '../versions/stored-content.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { versionId } from '../versions/version-match.ts'

export interface DocumentLocale {
  readonly documentId: string
  readonly locale: string
}

export interface ComparedLocale extends DocumentLocale {
  readonly statuses: readonly ('draft' | 'published')[]
  readonly isSame: boolean
}

/** The database compares the versions, so no content is transferred. */
export async function compareStatuses(
  database: Database,
  plan: ContentTypePlan,
  lines: readonly DocumentLocale[],
  session?: Session,
): Promise<readonly ComparedLocale[]> {
  const ids = lines.flatMap(({ documentId, locale }) =>
    (['draft', 'published'] as const).map((status) => versionId(documentId, { locale, status })),
  )
  const stages: Document[] = [
    { $match: { _id: { $in: ids } } },
    {
      $project: {
        documentId: 1,
        locale: 1,
        status: 1,
        content: storedContent(plan),
      },
    },
    {
      $group: {
        _id: { documentId: '$documentId', locale: '$locale' },
        statuses: { $push: '$status' },
        contents: { $addToSet: '$content' },
      },
    },
    { $project: { statuses: 1, differing: { $size: '$contents' } } },
  ]
  const found = await versionsOf(database, plan).aggregate<FoundLocale>(stages, {
    session,
    batchSize: lines.length + 1,
  })
  return found.map(({ _id, statuses, differing }) => ({
    ..._id,
    statuses,
    isSame: differing < 2,
  }))
}

interface FoundLocale {
  readonly _id: DocumentLocale
  readonly statuses: readonly ('draft' | 'published')[]
  readonly differing: number
}
