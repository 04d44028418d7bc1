import { shortText } from '../access/input.ts'
import { ForbiddenError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { Device } from './admin-sessions.ts'
import { type AdministratorsContext, changeRow, insertAdministrator } from './administrators.ts'
import { noteFailedSignIn } from './note-sign-ins.ts'
import type { Identity } from './oidc/identity-provider.ts'
import { ADMINISTRATOR } from './rights.ts'
import { type AdministratorRow, findStaff, type Staff } from './rows.ts'
import { type NewSession, startAdminSession } from './start-session.ts'
import { rolesOf } from './staff.ts'

/**
 * Links or creates the administrator. Only created administrators get their roles from the claims at every sign-in.
 * @throws ForbiddenError without a known role or a usable address
 */
export async function signInByIdentity(
  context: AdministratorsContext,
  identity: Identity,
  device: Device,
): Promise<NewSession> {
  try {
    const row = await context.versionedCache.change(async (session) => {
      const staff = await findStaff(context.db, session)
      const known = linkedTo(staff, identity)
      if (known !== undefined) return follow(context, staff, known, identity, session)
      const local = sameEmail(staff, identity)
      if (local !== undefined) return link(context, staff, local, identity, session)
      return make(context, staff, identity, session)
    })
    return await startAdminSession(context, row, device, 'oidc')
  } catch (error) {
    if (error instanceof ForbiddenError) await noteFailedSignIn(context.db, null)
    throw error
  }
}

type Entering = Pick<AdministratorRow, '_id' | 'name' | 'epoch'>

function linkedTo(
  { administrators }: Staff,
  { issuer, subject }: Identity,
): AdministratorRow | undefined {
  return administrators.find(
    ({ oidc }) => oidc !== undefined && oidc.issuer === issuer && oidc.subject === subject,
  )
}

function sameEmail({ administrators }: Staff, { email }: Identity): AdministratorRow | undefined {
  return administrators.find((row) => email !== null && row.email === email)
}

async function follow(
  context: AdministratorsContext,
  staff: Staff,
  row: AdministratorRow,
  identity: Identity,
  session: Session,
): Promise<Entering> {
  if (row.oidc?.isManaged !== true) return row
  const roles = knownRoles(context, staff, identity)
  if (roles.length === 0) throw refused('the claims of the provider give no role')
  const isSame = roles.length === row.roles.length && roles.every((one) => row.roles.includes(one))
  if (!isSame) await changeRow(context, staff, row, { roles }, session)
  return row
}

async function link(
  context: AdministratorsContext,
  staff: Staff,
  row: AdministratorRow,
  { issuer, subject }: Identity,
  session: Session,
): Promise<Entering> {
  if (row.oidc !== undefined) throw refused('another administrator has this address')
  const oidc = { issuer, subject, isManaged: false }
  await changeRow(context, staff, row, { oidc }, session)
  return row
}

async function make(
  context: AdministratorsContext,
  staff: Staff,
  identity: Identity,
  session: Session,
): Promise<Entering> {
  const { email, name, issuer, subject } = identity
  const roles = knownRoles(context, staff, identity)
  if (email === null) throw refused('the provider has not verified the address')
  if (roles.length === 0) throw refused('the claims of the provider give no role')
  const isFirst = staff.administrators.length === 0
  if (isFirst && !roles.includes(ADMINISTRATOR)) throw refused('there is no administrator yet')
  const named = name !== null && shortText().validate(name).error === undefined ? name : email
  const oidc = { issuer, subject, isManaged: true }
  const values = { name: named, email, roles, password: null, oidc }
  const { id } = await insertAdministrator(context, staff, values, session)
  return { _id: id, name: named, epoch: 0 }
}

function knownRoles(
  { actions }: AdministratorsContext,
  staff: Staff,
  { roles }: Identity,
): readonly string[] {
  const known = new Set(rolesOf(actions, staff).map(({ type }) => type))
  return roles.filter((type) => known.has(type))
}

function refused(why: string): ForbiddenError {
  return new ForbiddenError(`Not signed in: ${why}`)
}
