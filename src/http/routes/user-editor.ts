import type { AccountsContext } from '../../people/accounts/accounts.ts'
import type { AssertRole, UserEditor } from '../../people/accounts/manage-users.ts'
import { assertMayPermit } from '../../people/access/permissions.ts'
import { writerOf } from '../reads/query-rules.ts'
import type { Context } from '../router/state.ts'
import type { UserReading } from './show-user.ts'

export interface UserEditing extends Pick<UserReading, 'locales'> {
  readonly accounts: AccountsContext
}

export async function editorOf(
  ctx: Context,
  { accounts, locales }: UserEditing,
): Promise<UserEditor> {
  const { defaultCode: locale } = await locales.current()
  return { assertRole: assertRoleOf(ctx, accounts), writer: writerOf(ctx, { locale }) }
}

/** Requires all permissions of the role, because the permission to change users would otherwise include them. */
export function assertRoleOf(
  { state: { principal } }: Context,
  { roles }: AccountsContext,
): AssertRole {
  return async (documentId) => {
    const role = (await roles.list()).find((one) => one.documentId === documentId)
    const actions = (role?.permissions ?? []).filter((action) => !OF_ONESELF.test(action))
    assertMayPermit(principal, actions, role?.rules)
  }
}

const OF_ONESELF = /^plugin::users-permissions\.(?:auth\.\w+|user\.me)$/
