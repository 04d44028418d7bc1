import type { SecondFactorPolicy } from '../../base/config/sections.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { findStaff } from '../../people/administrators/rows.ts'
import { findUnknownRoles } from '../../people/administrators/staff.ts'
import type { Finding } from './finding.ts'

/** Names the roles of `ADMIN_SECOND_FACTOR` that no administrator can have. */
export async function examineAdministrators(
  database: Database,
  secondFactor: SecondFactorPolicy,
): Promise<readonly Finding[]> {
  if (typeof secondFactor === 'string') return []
  return findUnknownRoles(secondFactor, await findStaff(database)).map((type) => ({
    check: 'administrators',
    level: 'warning',
    what: `ADMIN_SECOND_FACTOR names the role ${type}, which does not exist`,
  }))
}
