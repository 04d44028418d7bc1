import { BSON } from 'mongodb'
import { type ContentTypePlan, titleFieldOf } from '../../schema/plan.ts'
import { authorshipOf, commitIdOf, timeOfCommit } from '../connection/commit-record.ts'
import type { Database, Session } from '../connection/database.ts'
import { insertTogether } from '../connection/write-commands.ts'
import { asVersion, type StoredVersion, type VersionRow } from '../versions/stored-version.ts'
import {
  type DeletionRow,
  deletionsIn,
  type TrashedVersion,
  trashedVersionId,
  trashedVersionsIn,
} from './trash-rows.ts'

const MAX_TITLE_LENGTH = 200

/** Whether each deletion of this type goes to the trash. Files decide themselves, see `FileTrash`. */
export function keepsDeleted({ trashDays }: Database, { uid }: ContentTypePlan): boolean {
  return trashDays > 0 && uid.startsWith('api::')
}

/** Returns the id of the deletion, null without versions. */
export async function keepDeleted(
  database: Database,
  plan: ContentTypePlan,
  versions: readonly VersionRow[],
  session: Session,
): Promise<string | null> {
  const [first] = versions
  if (first === undefined) return null
  const commit = commitIdOf(session)
  const deletion = `${commit}-${first.documentId}`
  const row: DeletionRow = {
    _id: deletion,
    type: plan.uid,
    documentId: first.documentId,
    locales: [...new Set(versions.map(({ locale }) => locale))].sort(),
    title: titleOf(
      plan,
      versions.map((row) => asVersion(plan, row)),
    ),
    at: timeOfCommit(commit),
    ...authorshipOf(session),
    commit,
  }
  const kept = versions.map((version): TrashedVersion => ({
    _id: trashedVersionId(deletion, version),
    deletion,
    locale: version.locale,
    status: version.status,
    version,
  }))
  for (const part of inParts(kept)) {
    await insertTogether(database, trashedVersionsIn(database).name, part, session)
  }
  await insertTogether(database, deletionsIn(database).name, [row], session)
  return deletion
}

/** Maximum size of one insert. A command accepts 48 MB in total, and documents of up to 16 MB. */
const PART_BYTES = 16 * 1_048_576

function inParts(rows: readonly TrashedVersion[]): readonly (readonly TrashedVersion[])[] {
  const parts: TrashedVersion[][] = []
  let bytes = Infinity
  for (const row of rows) {
    const size = BSON.calculateObjectSize(row)
    if (bytes + size > PART_BYTES) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(row)
    bytes += size
  }
  return parts
}

export function titleOf(plan: ContentTypePlan, versions: readonly StoredVersion[]): string {
  const [shown] = versions.toSorted(
    (one, other) =>
      one.locale.localeCompare(other.locale) || one.status.localeCompare(other.status),
  )
  const title = shown?.[titleFieldOf(plan)]
  return typeof title === 'string' ? title.slice(0, MAX_TITLE_LENGTH) : ''
}
