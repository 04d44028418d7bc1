import type { ReadPreferenceName } from '../mongo/connection/read-preference.ts'

/** Which actions a principal may do; asked by name, answered without I/O. */
export type Grants = Pick<ReadonlySet<string>, 'has'>

export const API_TOKEN_TYPES = ['read-only', 'full-access', 'custom'] as const
export type ApiTokenType = (typeof API_TOKEN_TYPES)[number]

/** A request without credentials: the role `public`. */
export interface Anonymous {
  readonly kind: 'anonymous'
  readonly grants: Grants
}

export interface ApiTokenPrincipal {
  readonly kind: 'apiToken'
  readonly id: number
  readonly name: string
  readonly type: ApiTokenType
  /** Where its content is read from; null: as the connection string says. */
  readonly readPreference: ReadPreferenceName | null
  readonly grants: Grants
}

/** The bearer of `ROOT_API_TOKEN`: everything, and the management API. */
export interface Root {
  readonly kind: 'root'
  readonly grants: Grants
}

/** An end user, by a JWT. */
export interface User {
  readonly kind: 'user'
  readonly id: number
  readonly documentId: string
  /** The `type` of the role, such as `authenticated`; empty without one. */
  readonly role: string
  /** The id of the session of the token; null without sessions. */
  readonly session: string | null
  readonly grants: Grants
}

/** An administrator, by a session of the Studio; known under `/admin` alone. */
export interface AdministratorPrincipal {
  readonly kind: 'administrator'
  readonly id: string
  readonly name: string
  /** What a list of sessions names the one that asks by. */
  readonly session: string
  /** The epoch of the session: a new password of the administrator begins the next one. */
  readonly epoch: number
  readonly grants: Grants
  /** Whether anything is permitted in some locales alone. */
  readonly isBound: boolean
  /** The locales in which a permitted action is; null: in all. */
  localesOf(action: string): ReadonlySet<string> | null
}

/** A page of a preview, by a token that an administrator was given: it reads, drafts included. */
export interface PreviewPrincipal {
  readonly kind: 'preview'
  readonly grants: Grants
}

/** The principal of a request, with its permissions. */
export type Principal =
  PreviewPrincipal | Anonymous | ApiTokenPrincipal | Root | User | AdministratorPrincipal

/** Of root and of full-access tokens. */
export const EVERYTHING: Grants = Object.freeze({ has: () => true })

export const ROOT: Root = Object.freeze({ kind: 'root', grants: EVERYTHING })

/** Where content is read from for a principal: a token says it for itself, for others the connection string does. */
export function readPreferenceOf(principal: Principal): ReadPreferenceName | null {
  return principal.kind === 'apiToken' ? principal.readPreference : null
}
