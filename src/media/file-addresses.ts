import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { isPrivateName } from './private-names.ts'
import { type MediaStorage, type SignedPeriod, uploadsPath } from './storage/storage.ts'

/** Signs the addresses of private files. An address is valid for one to two hours. */
export interface FileAddresses {
  /** Null for an address that needs no signature. */
  sign(url: string): Promise<string> | null
  /** `query` is the whole query of the request. Further parameters select a variant. */
  isSigned(name: string, query: Readonly<Record<string, unknown>>): boolean
}

export interface FileAddressesOptions {
  /** The signing key is derived from it. */
  readonly secret: string
  readonly now: () => Date
  readonly storage: Pick<MediaStorage, 'presign'>
}

const HOUR_MS = 3_600_000

export function openFileAddresses({ secret, now, storage }: FileAddressesOptions): FileAddresses {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'quire private files', 32))
  return {
    sign: (url) => {
      const name = privateNameOf(url)
      if (name === null) return null
      const period = periodAt(now())
      if (storage.presign !== undefined) return storage.presign(name, period)
      const expires = String(Math.floor(period.expires.getTime() / 1_000))
      return Promise.resolve(
        `${url}?expires=${expires}&signature=${signatureOf(key, name, expires)}`,
      )
    },
    isSigned: (name, { expires, signature }) => {
      if (typeof expires !== 'string' || typeof signature !== 'string') return false
      if (!/^[1-9]\d{0,11}$/.test(expires)) return false
      const expected = Buffer.from(signatureOf(key, name, expires))
      const sent = Buffer.from(signature)
      if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return false
      return now().getTime() < Number(expires) * 1_000
    },
  }
}

/** Whole hours, so that bodies and their entity tags change once an hour at most. */
function periodAt(now: Date): SignedPeriod {
  const from = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  return { from: new Date(from), expires: new Date(from + 2 * HOUR_MS) }
}

function privateNameOf(url: string): string | null {
  const prefix = uploadsPath('')
  if (!url.startsWith(prefix)) return null
  const name = url.slice(prefix.length)
  return isPrivateName(name) ? name : null
}

function signatureOf(key: Buffer, name: string, expires: string): string {
  return createHmac('sha256', key)
    .update(`${uploadsPath(name)}?expires=${expires}`)
    .digest('base64url')
}
