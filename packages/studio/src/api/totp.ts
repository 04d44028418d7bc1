import { queryOptions } from '@tanstack/react-query'
import { manage } from './management.ts'
import { request } from './request.ts'

export interface TotpState {
  readonly enabled: boolean
  readonly recoveryCodesLeft: number
}

export interface NewTotp {
  readonly secret: string
  readonly uri: string
}

interface RecoveryCodes {
  readonly recoveryCodes: readonly string[]
}

const PATH = '/admin/me/totp'

export const totpQuery = queryOptions({
  queryKey: ['totp'],
  queryFn: async ({ signal }) => (await request<TotpState>('GET', PATH, { signal })).data,
})

export function beginTotp(currentPassword: string): Promise<NewTotp> {
  return manage('POST', PATH, { currentPassword })
}

export async function confirmTotp(code: string): Promise<readonly string[]> {
  return (await manage<RecoveryCodes>('POST', `${PATH}/confirm`, { code })).recoveryCodes
}

export async function renewRecoveryCodes(): Promise<readonly string[]> {
  return (await manage<RecoveryCodes>('POST', `${PATH}/recovery-codes`)).recoveryCodes
}

export async function removeTotp(): Promise<void> {
  await manage('DELETE', PATH)
}
