import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** An account with the epoch of its password. */
export interface DeviceAccount {
  readonly id: string
  /** Changes with the password. */
  readonly epoch: number | string
}

export interface KnownDevice {
  readonly id: string
  /** Id of the account that the device has signed in to. */
  readonly account: string
}

/**
 * Devices that have signed in to an account before. Their failed attempts are counted separately, so that attackers
 * cannot lock the owner out. A new password invalidates the tokens of all devices.
 */
export interface KnownDevices {
  /** Returns a token for the cookie of a device. */
  make(account: DeviceAccount): string
  /** Returns null for an invalid token. */
  find(token: string): Promise<KnownDevice | null>
}

export interface KnownDevicesOptions {
  readonly secret: string
  /** Separates the tokens of different kinds of accounts. */
  readonly kind: 'administrators' | 'end users'
  readonly findAccount: (id: string) => Promise<DeviceAccount | null>
}

const TOKEN = /^([0-9a-f]{32})-([0-9a-z]{24})-([0-9a-f]{64})$/

/**
 * Tokens are `<device>-<account>-<HMAC-SHA256 of device, account and epoch>`. They are not stored.
 */
export function openKnownDevices({ secret, kind, findAccount }: KnownDevicesOptions): KnownDevices {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `quire known devices of ${kind}`, 32))
  const sign = (device: string, { id, epoch }: DeviceAccount): Buffer =>
    createHmac('sha256', key).update(`${device} ${id} ${epoch}`).digest()
  return {
    make: (account) => {
      const device = randomBytes(16).toString('hex')
      return `${device}-${account.id}-${sign(device, account).toString('hex')}`
    },
    find: async (token) => {
      const [, id, account, signature] = TOKEN.exec(token) ?? []
      if (id === undefined || account === undefined || signature === undefined) return null
      const found = await findAccount(account)
      if (found === null) return null
      const isValid = timingSafeEqual(sign(id, found), Buffer.from(signature, 'hex'))
      return isValid ? { id, account } : null
    },
  }
}
