import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** What one hash costs; see the options of argon2. */
export interface PasswordCost {
  readonly memoryKiB: number
  readonly passes: number
}

/**
 * The first choice of https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
 * with one thread.
 */
const COST: PasswordCost = { memoryKiB: 19_456, passes: 2 }

export interface Passwords {
  /** With argon2id and a salt of its own. */
  hash(password: string): Promise<string>
  /** Null, for an account that there is not, costs what a hash does and is never right. */
  verify(stored: string | null, password: string): Promise<boolean>
}

/** No password is longer, in bytes of UTF-8; longer ones are refused before they are hashed. */
export const MAX_PASSWORD_BYTES = 72

export function openPasswords({ memoryKiB, passes }: PasswordCost = COST): Passwords {
  const options = { memoryCost: memoryKiB, timeCost: passes, parallelism: 1 }
  const nobodys = hash(randomBytes(32), options)
  return {
    hash: (password) => hash(password, options),
    verify: async (stored, password) => {
      const isShort = Buffer.byteLength(password, 'utf8') <= MAX_PASSWORD_BYTES
      const isRight = await verify(stored ?? (await nobodys), isShort ? password : '')
      return isRight && isShort && stored !== null
    },
  }
}
