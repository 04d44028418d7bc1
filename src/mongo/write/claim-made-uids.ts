import { createHash } from 'node:crypto'
import { validationError } from '../../base/errors.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { lockName } from '../system/lease.ts'
import type { StoredVersion } from '../versions/stored-version.ts'
import { findTakenValues, takenFault, uniqueAttributes } from './unique-values.ts'

/** Locks of one collection. Their rows are never deleted, so uids share them. */
const LOCKS = 64

/** Unique indexes exclude drafts, so uids are checked under locks. @throws ValidationError for a taken uid */
export async function claimMadeUids(
  database: Database,
  plan: ContentTypePlan,
  version: StoredVersion,
  names: readonly string[],
  session: Session,
): Promise<void> {
  const { documentId, locale } = version
  for (const attribute of uniqueAttributes(plan)) {
    const value = version[attribute.name]
    if (!names.includes(attribute.name) || typeof value !== 'string') continue
    await lockName(database, lockOf(plan, [attribute.storedName, locale, value]), session)
    for (const status of ['draft', 'published'] as const) {
      const asked = {
        attribute: attribute.name,
        values: [value],
        locale,
        status,
        except: documentId,
      }
      const taken = await findTakenValues(database, plan, asked, session)
      if (taken.size > 0) throw validationError([takenFault(attribute, value)], 'value_not_unique')
    }
  }
}

function lockOf({ collectionName }: ContentTypePlan, uid: readonly string[]): string {
  const [byte = 0] = createHash('sha256').update(JSON.stringify(uid)).digest()
  return `uid ${collectionName} ${byte % LOCKS}`
}
