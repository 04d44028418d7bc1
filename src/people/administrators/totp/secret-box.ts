import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets that the server must read again. A secret opens for its owner only. */
export interface SecretBox {
  seal(owner: string, secret: Uint8Array): string
  /** Null if it was sealed with another key or for another owner. */
  open(owner: string, sealed: string): Buffer | null
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Format: `<IV, 12 bytes><ciphertext><tag, 16 bytes>` in base64url. */
export function openSecretBox(secret: string, purpose: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    seal: (owner, bytes) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(owner))
      const parts = [iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(parts).toString('base64url')
    },
    open: (owner, sealed) => {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < IV_BYTES + TAG_BYTES) return null
      const iv = bytes.subarray(0, IV_BYTES)
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const opened = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
        return Buffer.concat([opened, decipher.final()])
      } catch {
        return null
      }
    },
  }
}
