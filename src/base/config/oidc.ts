import type { OidcRoleRule } from './oidc-rules.ts'
import type { Settings } from './variables.ts'

export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | null
  readonly label: string
  readonly scope: string
  readonly rolesClaim: string
  readonly roles: readonly OidcRoleRule[]
}

export function toOidc(settings: Settings): OidcConfig | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID } = settings
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined) return null
  return Object.freeze({
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: settings.OIDC_CLIENT_SECRET ?? null,
    label: settings.OIDC_LABEL,
    scope: settings.OIDC_SCOPE,
    rolesClaim: settings.OIDC_ROLES_CLAIM,
    roles: settings.OIDC_ROLES,
  })
}
