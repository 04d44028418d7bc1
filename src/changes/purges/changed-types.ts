import type { NumberedCommit } from '../../mongo/commits/read-commits.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Schema } from '../../schema/plan.ts'
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
const NAMES = { seq: 1, 'items.type': 1, 'items.status': 1 } as const

/** Lists show the tag of their types. Returns all types if the log has deleted some commits. */
export async function changedTypes(
  { database, schema }: Sources,
  after: number,
  to: number,
): Promise<readonly string[]> {
  const all = [...schema.contentTypes.keys()].filter(
    (uid) => uid.startsWith('api::') || uid === 'plugin::upload.file',
  )
  const changed = new Set<string>()
  if (after < 0) return all
  for (let cursor = after; cursor < to;) {
    const range = { after: cursor, to }
    const { commits, reached, isWhole } = await readLogStep(database, range, STEP_LIMITS, NAMES)
    const items = commits.flatMap((commit) => commit.items)
    if (!isWhole || items.some(({ type }) => CHANGES_ALL.has(type))) return all
    for (const type of publishedIn(items, schema)) changed.add(type)
    cursor = reached
  }
  return all.filter((uid) => changed.has(uid))
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
