import type { ReadPreferenceName } from '../../mongo/connection/database.ts'
import { type BoundRule, type PermissionRules, NO_RULES } from '../rules/bound-rules.ts'

export interface Grants {
  /** True for unconditional permissions only. */
  has(action: string): boolean
  /** Permissions under conditions, bound to the principal. Absent if it has none. */
  readonly rules?: PermissionRules
}

/** The rules of an action that is not permitted unconditionally, in stored order. */
export function rulesFor(
  { grants }: Pick<Principal, 'grants'>,
  action: string,
): readonly BoundRule[] {
  if (grants.rules === undefined || grants.has(action)) return NO_RULES
  return grants.rules.rulesFor(action)
}

export const API_TOKEN_TYPES = ['read-only', 'full-access', 'custom'] as const
export type ApiTokenType = (typeof API_TOKEN_TYPES)[number]

export interface Anonymous {
  readonly kind: 'anonymous'
  readonly grants: Grants
}

export interface ApiTokenPrincipal {
  readonly kind: 'apiToken'
  readonly id: number
  readonly name: string
  readonly type: ApiTokenType
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
  readonly role: string
  readonly session: string | null
  /** In seconds since 1970. */
  readonly signedInAt: number
  /** Stores an anonymous user before its first write. Absent for users that are stored. */
  readonly store?: () => Promise<void>
  readonly grants: Grants
}

/** Recognized under `/admin` only. */
export interface AdministratorPrincipal {
  readonly kind: 'administrator'
  readonly id: string
  readonly name: string
  readonly session: string
  /** A new password increments it. */
  readonly epoch: number
  readonly grants: Grants
  readonly isBound: boolean
  /** The installation requires one. Only the routes that add the first one accept the principal. */
  readonly lacksSecondFactor: boolean
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

export const ALL_GRANTS: Grants = Object.freeze({ has: () => true })

export const ROOT: Root = Object.freeze({ kind: 'root', grants: ALL_GRANTS })

export function readPreferenceOf(principal: Principal): ReadPreferenceName | null {
  return principal.kind === 'apiToken' ? principal.readPreference : null
}
