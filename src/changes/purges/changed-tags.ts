import type { NumberedCommit } from '../../mongo/commits/read-commits.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { FILE_UID } from '../../schema/definition.ts'
import type { Schema } from '../../schema/plan.ts'
import { UPLOADS_TAG } from '../answers/cache-tags.ts'
import { readLogStep } from '../follow-log.ts'

interface Sources {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
}

/** Commits of these types affect the responses to the public role for every content-type. */
const CHANGES_ALL: ReadonlySet<string> = new Set([
  'plugin::i18n.locale',
  'plugin::users-permissions.role',
])

/** Steps need no limit of items, because only their types and statuses are read. */
const STEP_LIMITS = { commits: 256, items: Infinity } as const
const NAMES = { seq: 1, 'items.type': 1, 'items.status': 1, 'items.documentId': 1 } as const

/** More changed files purge the bytes of all files. */
const MAX_FILES = 1_000

/**
 * The types with published changes, because lists show the tags of their types, and the documentIds of changed files,
 * because their bytes have these tags. Returns all types and the tag of all files if the log has deleted some commits.
 */
export async function changedTags(
  { database, schema }: Sources,
  after: number,
  to: number,
): Promise<readonly string[]> {
  const all = [...schema.contentTypes.keys()].filter(
    (uid) => uid.startsWith('api::') || uid === FILE_UID,
  )
  const changed = new Set<string>()
  const files = new Set<string>()
  if (after < 0) return [...all, UPLOADS_TAG]
  for (let cursor = after; cursor < to;) {
    const range = { after: cursor, to }
    const { commits, reached, isWhole } = await readLogStep(database, range, STEP_LIMITS, NAMES)
    const items = commits.flatMap((commit) => commit.items)
    if (!isWhole) return [...all, UPLOADS_TAG]
    const affected = items.some(({ type }) => CHANGES_ALL.has(type))
      ? all
      : publishedIn(items, schema)
    for (const type of affected) changed.add(type)
    for (const { type, documentId } of items) if (type === FILE_UID) files.add(documentId)
    cursor = reached
  }
  const tags = all.filter((uid) => changed.has(uid))
  return [...tags, ...(files.size > MAX_FILES ? [UPLOADS_TAG] : files)]
}

function publishedIn(
  items: NumberedCommit['items'],
  { contentTypes }: Sources['schema'],
): readonly string[] {
  return items
    .filter(({ type, status }) => {
      const plan = contentTypes.get(type)
      return plan !== undefined && (!plan.draftAndPublish || status === 'published')
    })
    .map(({ type }) => type)
}
