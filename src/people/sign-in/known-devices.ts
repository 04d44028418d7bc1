import { createId } from './random-tokens.ts'
import { openSigner } from './signer.ts'

export interface DeviceAccount {
  readonly id: string
  /** Changes with the password. */
  readonly epoch: number | string
}

export interface KnownDevice {
  readonly id: string
  readonly account: string
}

/** Counts failed attempts of known devices separately, so that attackers cannot lock the owner out. */
export interface KnownDevices {
  make(account: DeviceAccount): string
  find(token: string): Promise<KnownDevice | null>
}

export interface KnownDevicesOptions {
  readonly secret: string
  readonly kind: 'administrators' | 'end users'
  readonly findAccount: (id: string) => Promise<DeviceAccount | null>
}

const TOKEN = /^([0-9a-f]{32})-([0-9a-z]{24})-([0-9a-f]{64})$/

/** Tokens are `<device>-<account>-<HMAC-SHA256 of device, account and epoch>`. They are not stored. */
export function openKnownDevices({ secret, kind, findAccount }: KnownDevicesOptions): KnownDevices {
  const signer = openSigner(secret, `quire known devices of ${kind}`)
  const signed = (device: string, { id, epoch }: DeviceAccount): string =>
    `${device} ${id} ${epoch}`
  return {
    make: (account) => {
      const device = createId()
      return `${device}-${account.id}-${signer.sign(signed(device, account)).toString('hex')}`
    },
    find: async (token) => {
      const [, id, account, signature] = TOKEN.exec(token) ?? []
      if (id === undefined || account === undefined || signature === undefined) return null
      const found = await findAccount(account)
      if (found === null) return null
      const isValid = signer.isSigned(Buffer.from(signature, 'hex'), signed(id, found))
      return isValid ? { id, account } : null
    },
  }
}
