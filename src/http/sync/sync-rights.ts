import { contentAction, pluginAction } from '../../access/actions.ts'
import { assertMay, may } from '../../access/permissions.ts'
import type { Principal } from '../../access/principal.ts'
import type { SyncCaller } from '../../documents/sync/settle.ts'
import { ValidationError } from '../../errors.ts'
import type { SyncedType, SyncScope } from '../../query/sync/parse-scope.ts'

/** What somebody may sync of a scope, by what is permitted now. */
export function callerOf(principal: Principal, scope: SyncScope): SyncCaller {
  return {
    mayRead: (uid) => may(principal, contentAction({ uid }, 'find')),
    maySync: (type) => actionsOf(scope, type).every((action) => may(principal, action)),
  }
}

/** Of whoever begins: all types of the scope. @throws ForbiddenError */
export function assertMaySync(principal: Principal, scope: SyncScope): void {
  for (const type of scope.types) {
    for (const action of actionsOf(scope, type)) assertMay(principal, action)
  }
}

/** Of a token a locale may be gone by now; who begins has made a mistake. @throws ValidationError */
export function assertLocales({ locales }: SyncScope, known: { has(code: string): boolean }): void {
  if (typeof locales === 'string') return
  const unknown = locales.find((code) => !known.has(code))
  if (unknown !== undefined) throw invalid(`locale: there is no locale ${unknown}`)
}

export function invalid(message: string): ValidationError {
  return new ValidationError(message, {}, { code: 'invalid_query' })
}

/** All that must be permitted for a type to be synced. */
function actionsOf({ status }: SyncScope, type: SyncedType): readonly string[] {
  const { plan } = type
  const drafts = status === 'draft' && plan.draftAndPublish
  return [
    plan.uid.startsWith('api::')
      ? contentAction(plan, 'find')
      : pluginAction('plugin::upload.content-api', 'find'),
    syncAction(type),
    ...(drafts ? [contentAction(plan, 'readDrafts')] : []),
  ]
}

export function syncAction({ plan }: Pick<SyncedType, 'plan'>): string {
  return plan.uid.startsWith('api::')
    ? contentAction(plan, 'sync')
    : pluginAction('plugin::upload.content-api', 'sync')
}
