import { isIP } from 'node:net'

/** What passkeys are bound to. */
export interface RelyingParty {
  /** The host under which browsers come. */
  readonly id: string
  readonly origin: string
}

/**
 * Null where browsers let nobody have passkeys: under an IP address, and by plain HTTP but for `localhost` (WebAuthn Level 3,
 * "relying party identifier" and "secure contexts").
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin, protocol } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !isLocal) return null
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  return isAddress ? null : { id: hostname, origin }
}
