import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

export interface Signer {
  sign(...parts: readonly (string | Uint8Array)[]): Buffer
  isSigned(signature: Uint8Array, ...parts: readonly (string | Uint8Array)[]): boolean
}

/** Derives a key per purpose, so that a token is invalid for any other purpose. */
export function openSigner(secret: string, purpose: string): Signer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  const sign: Signer['sign'] = (...parts) => {
    const hmac = createHmac('sha256', key)
    for (const part of parts) hmac.update(part)
    return hmac.digest()
  }
  return {
    sign,
    isSigned: (signature, ...parts) => {
      const expected = sign(...parts)
      return signature.length === expected.length && timingSafeEqual(expected, signature)
    },
  }
}
