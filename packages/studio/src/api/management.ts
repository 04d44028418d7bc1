import { queryOptions } from '@tanstack/react-query'
import { request } from './request.ts'
import type { Permission } from './session.ts'

/** For example `find` of `api::article.article`. */
export interface PermittedAction {
  readonly name: string
  readonly subject: string
  readonly verb: string
}

/** JSON with `$` operators and operands, such as `$user`. */
export type RuleData = Readonly<Record<string, unknown>>

/** A permission for some entries and attributes, see docs/rules.md. */
export interface Rule {
  readonly action: string
  readonly where?: RuleData
  readonly fields?: readonly string[]
  readonly set?: RuleData
}

export interface ApiToken {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly type: 'read-only' | 'full-access' | 'custom'
  readonly permissions: readonly string[]
  readonly rules?: readonly Rule[]
  readonly lifespanDays: number | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

export type ApiTokenInput = Pick<
  ApiToken,
  'name' | 'description' | 'type' | 'permissions' | 'rules' | 'lifespanDays'
>

export interface ApiRole {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly string[]
  readonly rules?: readonly Rule[]
}

export interface AdministratorRole {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly Permission[]
  readonly rules?: readonly Rule[]
  /** Derived from the content types, and therefore read only. */
  readonly builtIn: boolean
}

export interface Administrator {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly roles: readonly string[]
  readonly hasPassword: boolean
  readonly hasTotp: boolean
}

export interface OwnSession {
  readonly id: string
  readonly address: string
  readonly userAgent: string
  readonly usedAt: string
  readonly current: boolean
}

const managementQuery = <Item>(key: string, path: string) =>
  queryOptions({
    queryKey: [key],
    queryFn: async ({ signal }) => (await request<readonly Item[]>('GET', path, { signal })).data,
  })

export const actionsQuery = managementQuery<PermittedAction>('actions', '/admin/actions')
export const administratorActionsQuery = managementQuery<PermittedAction>(
  'administrator-actions',
  '/admin/administrator-actions',
)
export const apiTokensQuery = managementQuery<ApiToken>('api-tokens', '/admin/api-tokens')
export const apiRolesQuery = managementQuery<ApiRole>('roles', '/admin/roles')
export const administratorsQuery = managementQuery<Administrator>(
  'administrators',
  '/admin/administrators',
)
export const administratorRolesQuery = managementQuery<AdministratorRole>(
  'administrator-roles',
  '/admin/administrator-roles',
)
export const ownSessionsQuery = managementQuery<OwnSession>('own-sessions', '/admin/me/sessions')

/** The path of a row: `at('api-tokens', 3)`. */
export function at(collection: string, id: string | number, ...rest: readonly string[]): string {
  return ['/admin', collection, encodeURIComponent(id), ...rest].join('/')
}

export async function manage<Data>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<Data> {
  return (await request<Data>(method, path, { ...(body !== undefined && { body }) })).data
}
