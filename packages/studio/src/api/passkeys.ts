import { queryOptions } from '@tanstack/react-query'
import { request } from './request.ts'
import type { Session } from './session.ts'

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly backedUp: boolean
  readonly usedAt: string | null
}

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: async ({ signal }) =>
    (await request<readonly Passkey[]>('GET', '/admin/me/passkeys', { signal })).data,
})

/** The user cancelled, the prompt timed out, or the device has no passkey. */
export class PasskeyDeclined extends Error {}

export function canUsePasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis
}

/** @throws ApiError, PasskeyDeclined */
export async function addPasskey(name: string, currentPassword: string | null): Promise<void> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const asked = currentPassword === null ? {} : { currentPassword }
  const path = '/admin/me/passkeys'
  type Options = Parameters<typeof startRegistration>[0]['optionsJSON']
  const { data: optionsJSON } = await request<Options>('POST', `${path}/options`, { body: asked })
  const response = await orDeclined(() => startRegistration({ optionsJSON }))
  await request('POST', path, { body: { name, response } })
}

/** @throws ApiError, PasskeyDeclined */
export async function signInByPasskey(): Promise<Session> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const path = '/admin/session/passkey'
  type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']
  const { data: optionsJSON } = await request<Options>('POST', `${path}/options`, {
    signsIn: false,
  })
  const response = await orDeclined(() => startAuthentication({ optionsJSON }))
  return (await request<Session>('POST', path, { body: { response }, signsIn: false })).data
}

async function orDeclined<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw new PasskeyDeclined('no passkey', { cause: error })
  }
}
