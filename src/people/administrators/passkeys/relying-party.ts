import { isIP } from 'node:net'

export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/** Null for IP addresses, and for plain HTTP except `localhost` (WebAuthn Level 3, "secure contexts"). */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin, protocol } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !isLocal) return null
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  return isAddress ? null : { id: hostname, origin }
}
