import type { AdministratorPrincipal } from '../access/principal.ts'
import type { LiveSession } from './admin-sessions.ts'
import type { AdministratorsContext } from './administrators.ts'
import type { Rights } from './rights.ts'
import { secondFactorOf } from './second-factor.ts'
import type { AdministratorRow } from './rows.ts'
import { loadStaff } from './staff.ts'

export async function principalOfSession(
  { db, actions, sessions, versionedCache, binder, secondFactor }: AdministratorsContext,
  token: string,
): Promise<AdministratorPrincipal | null> {
  const live = await sessions.find(token)
  if (live === null) return null
  const known = await versionedCache.current()
  // Another process may have added the administrator within the last second.
  const isKnown = known.rights.has(live.administrator)
  const staff = isKnown ? known : await loadStaff(db, actions)
  const { administrators, rights, ruled } = staff
  const row = administrators.find(({ _id }) => _id === live.administrator)
  const held = rights.get(live.administrator)
  if (row === undefined || held === undefined || live.epoch < row.epoch) return null
  const state = secondFactorOf(secondFactor, staff, row, live.proof)
  if (state === 'unused') return null
  if (state === 'missing') return { ...toPrincipal(row, new Map(), live), lacksSecondFactor: true }
  const principal = toPrincipal(row, held, live)
  const rules = ruled.get(row._id)
  return rules === undefined
    ? principal
    : { ...principal, grants: await binder.bind(rules, row._id) }
}

/** With rules, which the caller must apply. */
export async function ruledAdministrator(
  context: AdministratorsContext,
  id: string,
): Promise<AdministratorPrincipal | null> {
  const principal = await principalOfAdministrator(context, id)
  const rules = (await context.versionedCache.current()).ruled.get(id)
  if (principal === null || rules === undefined) return principal
  return { ...principal, grants: await context.binder.bind(rules, id) }
}

/** Without rules: background work has unconditional permissions only. */
export async function principalOfAdministrator(
  { versionedCache }: AdministratorsContext,
  id: string,
): Promise<AdministratorPrincipal | null> {
  const { administrators, rights } = await versionedCache.current()
  const row = administrators.find(({ _id }) => _id === id)
  const held = rights.get(id)
  return row === undefined || held === undefined
    ? null
    : toPrincipal(row, held, { id: '', epoch: row.epoch })
}

function toPrincipal(
  row: Pick<AdministratorRow, '_id' | 'name'>,
  held: Rights,
  { id: session, epoch }: Pick<LiveSession, 'id' | 'epoch'>,
): AdministratorPrincipal {
  return {
    kind: 'administrator',
    id: row._id,
    name: row.name,
    session,
    epoch,
    grants: held,
    lacksSecondFactor: false,
    isBound: [...held.values()].some((locales) => locales !== null),
    localesOf: (action) => held.get(action) ?? null,
  }
}
