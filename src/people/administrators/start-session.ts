import type { Device, SessionProof } from './admin-sessions.ts'
import {
  type Administrator,
  type AdministratorsContext,
  getAdministrator,
  rowOf,
} from './administrators.ts'
import { noteSignIn } from './note-sign-ins.ts'
import type { StoredRule } from '../rules/stored-rule.ts'
import { type Permission, toPermissions } from './rights.ts'
import { secondFactorOf } from './second-factor.ts'
import type { AdministratorRow } from './rows.ts'

export interface SignedInAdministrator {
  readonly administrator: Administrator
  readonly permissions: readonly Permission[]
  /** Actions that are permitted under rules only. */
  readonly ruled: readonly string[]
  /** Ruled actions that are permitted on some entries only. */
  readonly conditional: readonly string[]
  /** The session permits only to set one up. */
  readonly lacksSecondFactor: boolean
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
  proof: SessionProof | null,
): Promise<NewSession> {
  await noteSignIn(context.db, row)
  const known = await context.versionedCache.current()
  const state = secondFactorOf(context.secondFactor, known, rowOf(known, row._id), proof)
  const shown = await describeSignedIn(context, row._id, state !== 'fulfilled')
  const knownDevice = context.knownDevices.make({ id: row._id, epoch: row.epoch })
  return { ...shown, knownDevice, token: await context.sessions.start(row, device, proof) }
}

export async function describeSignedIn(
  context: AdministratorsContext,
  id: string,
  lacksSecondFactor: boolean,
): Promise<SignedInAdministrator> {
  const administrator = await getAdministrator(context, id)
  if (lacksSecondFactor) {
    return { administrator, permissions: [], ruled: [], conditional: [], lacksSecondFactor }
  }
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
    lacksSecondFactor,
  }
}

function isEmpty(where: StoredRule['where']): boolean {
  return where === undefined || Object.keys(where).length === 0
}
