import { ROOT } from '../../../../src/people/access/principal.ts'
import {
  type AdministratorsContext,
  createAdministrator,
  listAdministrators,
} from '../../../../src/people/administrators/administrators.ts'
import { ADMINISTRATOR } from '../../../../src/people/administrators/rights.ts'

const EMAIL = 'demo@example.org'

/**
 * A one-time sign-in token for the administrator of the demo, valid for an hour. A new one is made
 * at each start. Null if other administrators exist and the demo's was removed.
 */
export async function createDemoSignIn(
  administrators: AdministratorsContext,
): Promise<string | null> {
  const all = await listAdministrators(administrators)
  const known = all.find(({ email }) => email === EMAIL)
  if (known === undefined && all.length > 0) return null
  const { id } = known ?? (await createDemo(administrators))
  return administrators.links.make('sign-in', id)
}

/** Has no password, so that its public name gives no access to other demos. */
function createDemo(administrators: AdministratorsContext) {
  const demo = { name: 'Demo', email: EMAIL, roles: [ADMINISTRATOR] }
  return createAdministrator(administrators, ROOT, demo)
}
