import type { ContentTypePlan } from '../../schema/plan.ts'
import { contentAction, pluginAction } from './actions.ts'
import { assertMay } from './permissions.ts'
import type { Principal } from './principal.ts'

/** A content-type or the media library. */
export interface Synced {
  readonly plan: Pick<ContentTypePlan, 'uid' | 'draftAndPublish'>
}

export interface SyncedScope {
  readonly types: readonly Synced[]
  readonly status: 'draft' | 'published'
}

export interface Syncer {
  maySync(type: Synced): boolean
  mayRead(uid: ContentTypePlan['uid']): boolean
}

export function syncerOf(principal: Pick<Principal, 'grants'>, scope: SyncedScope): Syncer {
  return {
    mayRead: (uid) => principal.grants.has(contentAction({ uid }, 'find')),
    maySync: (type) => actionsOf(scope, type).every((action) => principal.grants.has(action)),
  }
}

/** @throws ForbiddenError unless all types of the scope are permitted */
export function assertMaySync(principal: Principal, scope: SyncedScope): void {
  for (const type of scope.types) {
    for (const action of actionsOf(scope, type)) assertMay(principal, action)
  }
}

export function actionsOf({ status }: SyncedScope, type: Synced): readonly string[] {
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

export function syncAction({ plan }: Pick<Synced, 'plan'>): string {
  return plan.uid.startsWith('api::')
    ? contentAction(plan, 'sync')
    : pluginAction('plugin::upload.content-api', 'sync')
}
