import type { Actions } from '../access/actions.ts'
import { withAdministration } from '../access/administrator-actions.ts'
import { type DeviceAccount, openKnownDevices } from '../sign-in/known-devices.ts'
import type { SecondFactorPolicy } from '../../base/config/sections.ts'
import type { Passwords } from '../sign-in/passwords.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { openVersionedCache } from '../../mongo/system/versioned-cache.ts'
import { openAdminSessions } from './admin-sessions.ts'
import type { AdministratorsContext } from './administrators.ts'
import { openListViews } from './list-views.ts'
import { openOneTimeLinks } from './one-time-links.ts'
import { openPresence } from './presence.ts'
import { openRecentWork } from './recent-work.ts'
import { openPreviewTokens } from './preview-tokens.ts'
import { openChallenges } from './passkeys/challenges.ts'
import { openSecretBox } from './totp/secret-box.ts'
import { ensurePasskeys } from './passkeys/passkey-rows.ts'
import { relyingPartyOf } from './passkeys/relying-party.ts'
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  openIdentityProvider,
} from './oidc/identity-provider.ts'
import { openPreferences } from './preferences.ts'
import { openRuleBinder } from '../rules/rule-binder.ts'
import { ensureAdministrators } from './rows.ts'
import { type KnownStaff, loadStaff } from './staff.ts'

export interface AdministratorsOptions {
  readonly db: Database
  readonly actions: Actions
  readonly passwords: Passwords
  readonly secret: string
  readonly publicUrl: string
  readonly secondFactor: SecondFactorPolicy
  readonly oidc: Omit<IdentityProviderOptions, 'redirectUri'> | null
  readonly now: () => Date
}

export async function openAdministrators(
  options: AdministratorsOptions,
): Promise<AdministratorsContext> {
  const { db, actions, passwords, secret, publicUrl, secondFactor, now } = options
  const all = withAdministration(actions)
  await ensureAdministrators(db)
  await ensurePasskeys(db)
  const sessions = await openAdminSessions(db, now)
  const links = await openOneTimeLinks(db, now)
  const recent = await openRecentWork(db, now)
  const presence = await openPresence(db, now)
  const versionedCache = await openVersionedCache({
    db,
    key: 'administrators',
    firstChange: 0,
    load: (source) => loadStaff(source, all),
    now,
  })
  const binder = openRuleBinder({ db, schema: all.schema, readsUsers: false, now })
  const previews = openPreviewTokens({ ...options, versionedCache, binder })
  const challenges = await openChallenges({ db, secret, now })
  const totpSecrets = openSecretBox(secret, 'quire administrator totp')
  const knownDevices = openKnownDevices({
    secret,
    kind: 'administrators',
    findAccount: async (id) => findDeviceAccount(await versionedCache.current(), id),
  })
  return {
    db,
    actions: all,
    versionedCache,
    binder,
    sessions,
    links,
    preferences: await openPreferences(db),
    listViews: await openListViews(db),
    recent,
    presence,
    previews,
    challenges,
    totpSecrets,
    knownDevices,
    relyingParty: relyingPartyOf(publicUrl),
    identityProvider: openOidc(options),
    passwords,
    secondFactor,
    now,
  }
}

function openOidc({ oidc, publicUrl }: AdministratorsOptions): IdentityProvider | null {
  const redirectUri = `${publicUrl}/admin/oidc/callback`
  return oidc === null ? null : openIdentityProvider({ ...oidc, redirectUri })
}

function findDeviceAccount({ administrators }: KnownStaff, id: string): DeviceAccount | null {
  const row = administrators.find(({ _id }) => _id === id)
  return row === undefined ? null : { id, epoch: row.epoch }
}
