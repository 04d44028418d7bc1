import { type NumberedCommit, scanCommits } from '../../mongo/commits/read-commits.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Schema } from '../../schema/plan.ts'

interface Sources {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
}

/** Commits of these types affect the responses to the public role for every content-type. */
const CHANGES_ALL: ReadonlySet<string> = new Set([
  'plugin::i18n.locale',
  'plugin::users-permissions.role',
])

const NAMES = { seq: 1, 'items.type': 1, 'items.status': 1 } as const

/**
 * Returns the content-types whose published content changed between two numbers of the log. Their tags also cover
 * lists that show none of the changed documents. Returns all types if the log has deleted some of the commits.
 */
export async function changedTypes(
  { database, schema }: Sources,
  after: number,
  to: number,
): Promise<readonly string[]> {
  const all = [...schema.contentTypes.keys()].filter(
    (uid) => uid.startsWith('api::') || uid === 'plugin::upload.file',
  )
  const changed = new Set<string>()
  let seen = after
  if (after < 0) return all
  let isAll = false as boolean
  await scanCommits(database, { seq: to }, { after, limit: to - after }, NAMES, (commit) => {
    isAll = commit.seq !== seen + 1 || commit.items.some(({ type }) => CHANGES_ALL.has(type))
    if (isAll) return false
    seen = commit.seq
    for (const type of publishedIn(commit, schema)) changed.add(type)
    return true
  })
  return isAll || seen < to ? all : all.filter((uid) => changed.has(uid))
}

function publishedIn(
  { items }: Pick<NumberedCommit, 'items'>,
  { contentTypes }: Sources['schema'],
): readonly string[] {
  return items
    .filter(({ type, status }) => {
      const plan = contentTypes.get(type)
      return plan !== undefined && (!plan.draftAndPublish || status === 'published')
    })
    .map(({ type }) => type)
}
