import type { ReadPreferenceName } from '../../mongo/connection/read-preference.ts'

export type Grants = Pick<ReadonlySet<string>, 'has'>

export const API_TOKEN_TYPES = ['read-only', 'full-access', 'custom'] as const
export type ApiTokenType = (typeof API_TOKEN_TYPES)[number]

/** A request without credentials. It has the role `public`. */
export interface Anonymous {
  readonly kind: 'anonymous'
  readonly grants: Grants
}

export interface ApiTokenPrincipal {
  readonly kind: 'apiToken'
  readonly id: number
  readonly name: string
  readonly type: ApiTokenType
  /** Read preference for content. Null uses the connection string. */
  readonly readPreference: ReadPreferenceName | null
  readonly grants: Grants
}

/** The bearer of `ROOT_API_TOKEN`. It has all permissions and the management API. */
export interface Root {
  readonly kind: 'root'
  readonly grants: Grants
}

export interface SignedInUser {
  readonly kind: 'user'
  readonly id: number
  readonly documentId: string
  /** The `type` of the role, such as `authenticated`. Empty without a role. */
  readonly role: string
  /** Session id of the token. Null without sessions. */
  readonly session: string | null
  readonly grants: Grants
}

/** An administrator, authenticated by a Studio session. Recognized under `/admin` only. */
export interface AdministratorPrincipal {
  readonly kind: 'administrator'
  readonly id: string
  readonly name: string
  /** Public id of the current session, as the list of sessions shows it. */
  readonly session: string
  /** Epoch of the session. A new password increments it. */
  readonly epoch: number
  readonly grants: Grants
  /** Whether any permission is restricted to some locales. */
  readonly isBound: boolean
  /** The locales in which an action is permitted. Null means all. */
  localesOf(action: string): ReadonlySet<string> | null
}

/** A preview page, authenticated by a preview token. It has read access, including drafts. */
export interface PreviewPrincipal {
  readonly kind: 'preview'
  readonly grants: Grants
}

export type Principal =
  PreviewPrincipal | Anonymous | ApiTokenPrincipal | Root | SignedInUser | AdministratorPrincipal

/** Grants of root and of full-access tokens. */
export const ALL_GRANTS: Grants = Object.freeze({ has: () => true })

export const ROOT: Root = Object.freeze({ kind: 'root', grants: ALL_GRANTS })

/** Only API tokens have a read preference. Other principals use the connection string. */
export function readPreferenceOf(principal: Principal): ReadPreferenceName | null {
  return principal.kind === 'apiToken' ? principal.readPreference : null
}
