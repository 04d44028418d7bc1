import type { AdministratorPrincipal } from '../access/principal.ts'
import { ForbiddenError } from '../../base/errors.ts'
import type { SecondFactorPolicy } from '../../base/config/sections.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import type { SessionProof } from './admin-sessions.ts'
import { passkeysOf } from './passkeys/passkey-rows.ts'
import type { AdministratorRow } from './rows.ts'
import { totpsOf } from './totp/totp-rows.ts'

/** `missing`: the administrator has none yet. `unused`: the session began without the one that exists. */
export type SecondFactorState = 'fulfilled' | 'missing' | 'unused'

type Required = Pick<AdministratorRow, 'roles'>
type Owner = Pick<AdministratorRow, '_id' | 'roles' | 'hasTotp'>

export interface KnownPasskeys {
  /** Administrators with a passkey. */
  readonly withPasskey: ReadonlySet<string>
}

export function requiresSecondFactor(policy: SecondFactorPolicy, { roles }: Required): boolean {
  if (typeof policy === 'string') return policy === 'required'
  return roles.some((type) => policy.includes(type))
}

/**
 * Sessions of an administrator with TOTP began with a code or a passkey, because enrolment ends all others. A passkey
 * does not replace the password, so its owner may have a session that began with the password alone.
 */
export function secondFactorOf(
  policy: SecondFactorPolicy,
  { withPasskey }: KnownPasskeys,
  row: Owner,
  proof: SessionProof | null,
): SecondFactorState {
  if (!requiresSecondFactor(policy, row) || proof === 'oidc' || row.hasTotp === true) {
    return 'fulfilled'
  }
  if (!withPasskey.has(row._id)) return 'missing'
  return proof === null ? 'unused' : 'fulfilled'
}

/** For tokens without a session. */
export function mayHaveSecondFactor(
  policy: SecondFactorPolicy,
  known: KnownPasskeys,
  row: Owner & Pick<AdministratorRow, 'oidc'>,
): boolean {
  const proof = row.oidc === undefined ? 'link' : 'oidc'
  return secondFactorOf(policy, known, row, proof) === 'fulfilled'
}

/** Whether the password alone must not start a session. */
export async function requiresPasskey(
  { db, secondFactor }: { readonly db: Database; readonly secondFactor: SecondFactorPolicy },
  row: Required & Pick<AdministratorRow, '_id'>,
): Promise<boolean> {
  return requiresSecondFactor(secondFactor, row) && (await hasPasskey(db, row._id))
}

/**
 * A session without a second factor can add the first one only. Otherwise a password would be enough to add another.
 * @throws ForbiddenError
 */
export async function assertMayChangeFactors(
  db: Database,
  { id, lacksSecondFactor }: AdministratorPrincipal,
  session: Session,
): Promise<void> {
  if (!lacksSecondFactor) return
  const totp = await totpsOf(db).findOne({ _id: id, confirmedAt: { $ne: null } }, { session })
  if (totp !== null || (await hasPasskey(db, id, session))) throw secondFactorRequired()
}

export function secondFactorRequired(): ForbiddenError {
  const message = 'Set up a second factor: an app with codes, or a passkey'
  return new ForbiddenError(message, {}, { code: 'second_factor_required' })
}

async function hasPasskey(
  db: Database,
  administrator: string,
  session?: Session,
): Promise<boolean> {
  const options = session === undefined ? {} : { session }
  return (await passkeysOf(db).findOne({ administrator }, options)) !== null
}
