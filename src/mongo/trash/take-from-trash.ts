import { optionsOf, inSession } from '../connection/commands.ts'
import type { Database, Session } from '../connection/database.ts'
import { type DeletionRow, deletionsIn, trashedVersionsIn } from './trash-rows.ts'

/** Takes some locales of a deletion out of the trash; false where another has taken one of them meanwhile. */
export async function takeFromTrash(
  database: Database,
  { _id, locales: held }: DeletionRow,
  locales: readonly string[],
  session: Session,
): Promise<boolean> {
  const options = optionsOf(database, session)
  const rows = deletionsIn(database)
  const which = { _id, locales: [...held] }
  const rest = held.filter((locale) => !locales.includes(locale))
  return inSession(session, async () => {
    const taken =
      rest.length === 0
        ? (await rows.deleteOne(which, options)).deletedCount
        : (await rows.updateOne(which, { $set: { locales: rest } }, options)).modifiedCount
    if (taken === 0) return false
    const versions = { deletion: _id, locale: { $in: [...locales] } }
    await trashedVersionsIn(database).deleteMany(versions, options)
    return true
  })
}
