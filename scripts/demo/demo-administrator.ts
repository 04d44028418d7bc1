import { ROOT } from '../../src/people/access/principal.ts'
import {
  type AdministratorsContext,
  createAdministrator,
  listAdministrators,
} from '../../src/people/administrators/administrators.ts'
import { ADMINISTRATOR } from '../../src/people/administrators/rights.ts'

const EMAIL = 'demo@example.org'

/**
 * A token that signs in as the administrator of the demo, once and within an hour; there is one for each start. Null
 * where others work here and the demo's was removed.
 */
export async function demoSignIn(administrators: AdministratorsContext): Promise<string | null> {
  const all = await listAdministrators(administrators)
  const known = all.find(({ email }) => email === EMAIL)
  if (known === undefined && all.length > 0) return null
  const { id } = known ?? (await createDemo(administrators))
  return administrators.links.make('sign-in', id)
}

/** Without a password: nobody who knows the demo can sign in to another's. */
function createDemo(administrators: AdministratorsContext) {
  const demo = { name: 'Demo', email: EMAIL, roles: [ADMINISTRATOR] }
  return createAdministrator(administrators, ROOT, demo)
}
