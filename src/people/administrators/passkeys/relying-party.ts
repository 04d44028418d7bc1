import { isIP } from 'node:net'

export interface RelyingParty {
  /** Host name of the public URL. */
  readonly id: string
  readonly origin: string
}

/**
 * Null if browsers do not support passkeys for this URL: for IP addresses, and for plain HTTP
 * except `localhost` (WebAuthn Level 3, "relying party identifier" and "secure contexts").
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin, protocol } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !isLocal) return null
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  return isAddress ? null : { id: hostname, origin }
}
