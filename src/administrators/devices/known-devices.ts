import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** The account that a device has signed in to, in the epoch of its password. */
interface Account {
  readonly _id: string
  readonly epoch: number
}

/**
 * Devices that have signed in to an account before. Attempts of a known device are counted separately, so that failures of
 * others do not lock an administrator out. A new password makes the tokens of all devices invalid.
 */
export interface KnownDevices {
  /** A token for the cookie of a device. */
  make(account: Account): string
  /** The id of the device of a token; null unless the token is valid for the account with this address. */
  idOf(email: string, token: string): Promise<string | null>
}

const TOKEN = /^([0-9a-f]{32})-([0-9a-f]{64})$/

/** `<device>-<HMAC-SHA256 of device, administrator and epoch>`: nothing is stored. */
export function openKnownDevices(
  secret: string,
  accountOf: (email: string) => Promise<Account | null>,
): KnownDevices {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'quire known devices', 32))
  const sign = (device: string, { _id, epoch }: Account): Buffer =>
    createHmac('sha256', key).update(`${device} ${_id} ${epoch}`).digest()
  return {
    make: (account) => {
      const device = randomBytes(16).toString('hex')
      return `${device}-${sign(device, account).toString('hex')}`
    },
    idOf: async (email, token) => {
      const [, device, signature] = TOKEN.exec(token) ?? []
      if (device === undefined || signature === undefined) return null
      const account = await accountOf(email.toLowerCase())
      if (account === null) return null
      return timingSafeEqual(sign(device, account), Buffer.from(signature, 'hex')) ? device : null
    },
  }
}
