import type { Device } from './admin-sessions.ts'
import {
  type Administrator,
  type AdministratorsContext,
  getAdministrator,
} from './administrators.ts'
import { noteSignIn } from './note-sign-ins.ts'
import { type Permission, toPermissions } from './rights.ts'
import type { AdministratorRow } from './rows.ts'

export interface SignedInAdministrator {
  readonly administrator: Administrator
  readonly permissions: readonly Permission[]
  /** Actions that are permitted under rules only. */
  readonly ruled: readonly string[]
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
  const actions = (ruled.get(id)?.rules ?? []).map(({ rule }) => rule.action)
  return {
    administrator,
    permissions: toPermissions(own),
    ruled: [...new Set(actions)].filter((action) => !own.has(action)),
  }
}
