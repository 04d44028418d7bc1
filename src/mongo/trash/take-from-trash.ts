import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { asVersion } from '../versions/stored-version.ts'
import { titleOf } from './keep-deleted.ts'
import { findTrashedVersions } from './read-trash.ts'
import { type DeletionRow, deletionsIn, trashedVersionsIn } from './trash-rows.ts'

/** Returns false if the locales have changed meanwhile. Some callers see only the remaining ones. */
export async function takeFromTrash(
  database: Database,
  plan: ContentTypePlan,
  { row, locales }: { readonly row: DeletionRow; readonly locales: readonly string[] },
  session: Session,
): Promise<boolean> {
  const { _id, locales: held } = row
  const options = { session }
  const rows = deletionsIn(database)
  const which = { _id, locales: [...held] }
  const rest = held.filter((locale) => !locales.includes(locale))
  const left =
    rest.length === 0 ? [] : await findTrashedVersions(database, _id, rest.slice(0, 1), session)
  const title = titleOf(
    plan,
    left.map(({ version }) => asVersion(plan, version)),
  )
  const taken =
    rest.length === 0
      ? (await rows.deleteOne(which, options)).deletedCount
      : (await rows.updateOne(which, { $set: { locales: rest, title } }, options)).modifiedCount
  if (taken === 0) return false
  const versions = { deletion: _id, locale: { $in: [...locales] } }
  await trashedVersionsIn(database).deleteMany(versions, options)
  return true
}
