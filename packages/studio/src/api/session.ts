import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { request } from './request.ts'

export interface Permission {
  readonly action: string
  readonly locales?: readonly string[]
}

export type Theme = 'light' | 'dark'

export interface Session {
  readonly administrator: {
    readonly id: string
    readonly name: string
    readonly email: string
    readonly roles: readonly string[]
    readonly language: string | null
    readonly theme: Theme | null
    readonly hasPassword: boolean
  }
  readonly permissions: readonly Permission[]
  /** Actions under rules. The server decides per entry. */
  readonly ruled: readonly string[]
  /** Actions whose rules permit some entries only. */
  readonly conditional: readonly string[]
  /** The server requires one and refuses other requests until it is set up. */
  readonly lacksSecondFactor: boolean
  /** The name of a service that translates; null without one. */
  readonly translator: string | null
  /** Hosts of files besides the one of the Studio. */
  readonly fileOrigins: readonly string[]
}

export interface StartInfo {
  readonly firstAdministrator: boolean
  readonly oidc: { readonly label: string } | null
  readonly passkeys: boolean
  /** The server sends mails. */
  readonly mail: boolean
  readonly version: string
  /** The server runs in development mode, so content types can be edited. */
  readonly editableTypes: boolean
}

export const startQuery = queryOptions({
  queryKey: ['start'],
  queryFn: async ({ signal }) =>
    (await request<StartInfo>('GET', '/admin/start', { signal, signsIn: false })).data,
  staleTime: Number.POSITIVE_INFINITY,
})

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) =>
    (await request<Session>('GET', '/admin/session', { signal, signsIn: false })).data,
  staleTime: 5 * 60_000,
  retry: false,
})

/** The password was right. A code completes the sign-in. */
export interface PendingSignIn {
  readonly pending: string
}

export async function signIn(email: string, password: string): Promise<Session | PendingSignIn> {
  const body = { email, password }
  const sent = { body, signsIn: false }
  return (await request<Session | PendingSignIn>('POST', '/admin/session', sent)).data
}

export async function signInByCode(pending: string, code: string): Promise<Session> {
  const body = { pending, code }
  return (await request<Session>('POST', '/admin/session/code', { body, signsIn: false })).data
}

export async function signInByLink(token: string): Promise<Session> {
  const path = '/admin/session/link'
  return (await request<Session>('POST', path, { body: { token }, signsIn: false })).data
}

export async function choosePassword(
  token: string,
  password: string,
): Promise<Session | PendingSignIn> {
  const sent = { body: { token, password }, signsIn: false }
  return (await request<Session | PendingSignIn>('POST', '/admin/reset-password', sent)).data
}

/** Succeeds for every address, so that it does not reveal accounts. */
export async function askForPasswordLink(email: string): Promise<void> {
  await request('POST', '/admin/forgot-password', { body: { email }, signsIn: false })
}

export async function signOut(): Promise<void> {
  await request('DELETE', '/admin/session', { signsIn: false })
}

export interface FirstAdministrator {
  readonly token: string
  readonly name: string
  readonly email: string
  readonly password: string
}

export async function addFirstAdministrator(body: FirstAdministrator): Promise<Session> {
  const path = '/admin/first-administrator'
  return (await request<Session>('POST', path, { body, signsIn: false })).data
}

/** Only for screens within the shell, which has loaded the session. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

export function may(session: Session, action: string, locale?: string): boolean {
  if (session.ruled.includes(action)) return true
  return session.permissions.some(
    (one) =>
      one.action === action &&
      (locale === undefined || one.locales === undefined || one.locales.includes(locale)),
  )
}

export function useMay(): (action: string, locale?: string) => boolean {
  const session = useSession()
  return (action, locale) => may(session, action, locale)
}
