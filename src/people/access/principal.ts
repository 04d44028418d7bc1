import type { ReadPreferenceName } from '../../mongo/connection/read-preference.ts'

export type Grants = Pick<ReadonlySet<string>, 'has'>

export const API_TOKEN_TYPES = ['read-only', 'full-access', 'custom'] as const
export type ApiTokenType = (typeof API_TOKEN_TYPES)[number]

/** Has the role `public`. */
export interface Anonymous {
  readonly kind: 'anonymous'
  readonly grants: Grants
}

export interface ApiTokenPrincipal {
  readonly kind: 'apiToken'
  readonly id: number
  readonly name: string
  readonly type: ApiTokenType
  /** Null uses the connection string. */
  readonly readPreference: ReadPreferenceName | null
  readonly grants: Grants
}

/** The bearer of `ROOT_API_TOKEN`. */
export interface Root {
  readonly kind: 'root'
  readonly grants: Grants
}

export interface SignedInUser {
  readonly kind: 'user'
  readonly id: number
  readonly documentId: string
  /** Empty without a role. */
  readonly role: string
  /** Null without sessions. */
  readonly session: string | null
  readonly grants: Grants
}

/** Recognized under `/admin` only. */
export interface AdministratorPrincipal {
  readonly kind: 'administrator'
  readonly id: string
  readonly name: string
  /** Public id, as in the list of sessions. */
  readonly session: string
  /** A new password increments it. */
  readonly epoch: number
  readonly grants: Grants
  /** Whether any permission is restricted to some locales. */
  readonly isBound: boolean
  /** Null means all. */
  localesOf(action: string): ReadonlySet<string> | null
}

/** Has read access, including drafts. */
export interface PreviewPrincipal {
  readonly kind: 'preview'
  readonly grants: Grants
}

export type Principal =
  PreviewPrincipal | Anonymous | ApiTokenPrincipal | Root | SignedInUser | AdministratorPrincipal

/** Grants of root and of full-access tokens. */
export const ALL_GRANTS: Grants = Object.freeze({ has: () => true })

export const ROOT: Root = Object.freeze({ kind: 'root', grants: ALL_GRANTS })

export function readPreferenceOf(principal: Principal): ReadPreferenceName | null {
  return principal.kind === 'apiToken' ? principal.readPreference : null
}
