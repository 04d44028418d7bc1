import type { Device } from './admin-sessions.ts'
import {
  type Administrator,
  type AdministratorsContext,
  getAdministrator,
} from './administrators.ts'
import { noteSignIn } from './note-sign-ins.ts'
import type { StoredRule } from '../rules/stored-rule.ts'
import { type Permission, toPermissions } from './rights.ts'
import type { AdministratorRow } from './rows.ts'

export interface SignedInAdministrator {
  readonly administrator: Administrator
  readonly permissions: readonly Permission[]
  /** Actions that are permitted under rules only. */
  readonly ruled: readonly string[]
  /** Ruled actions that are permitted on some entries only. */
  readonly conditional: readonly string[]
}

export interface NewSession extends SignedInAdministrator {
  readonly token: string
  readonly knownDevice: string
}

export type EnteringAdministrator = Pick<AdministratorRow, '_id' | 'name' | 'epoch'>

export async function startAdminSession(
  context: AdministratorsContext,
  row: EnteringAdministrator,
  device: Device,
): Promise<NewSession> {
  await noteSignIn(context.db, row)
  const shown = await describeSignedIn(context, row._id)
  const knownDevice = context.knownDevices.make({ id: row._id, epoch: row.epoch })
  return { ...shown, knownDevice, token: await context.sessions.start(row, device) }
}

export async function describeSignedIn(
  context: AdministratorsContext,
  id: string,
): Promise<SignedInAdministrator> {
  const administrator = await getAdministrator(context, id)
  const { rights, ruled } = await context.versionedCache.current()
  const own = rights.get(id) ?? new Map()
  const rules = (ruled.get(id)?.rules ?? []).filter(({ rule }) => !own.has(rule.action))
  const actions = (held: typeof rules) => new Set(held.map(({ rule }) => rule.action))
  const unconditional = actions(rules.filter(({ rule }) => isEmpty(rule.stored.where)))
  return {
    administrator,
    permissions: toPermissions(own),
    ruled: [...actions(rules)],
    conditional: [...actions(rules)].filter((action) => !unconditional.has(action)),
  }
}

function isEmpty(where: StoredRule['where']): boolean {
  return where === undefined || Object.keys(where).length === 0
}
