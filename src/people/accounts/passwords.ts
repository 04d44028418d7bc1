import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { compare as verifyBcrypt } from 'bcryptjs'
import { ValidationError } from '../../base/errors.ts'
import { createWorkQueue } from '../../base/work-queue.ts'

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
  /** With argon2id and a salt of its own. @throws ServiceUnavailableError when too many are waiting. */
  hash(password: string): Promise<string>
  /**
   * Null, for an account that there is not, costs what a hash does and is never right.
   * @throws ServiceUnavailableError when too many are waiting.
   */
  verify(stored: string | null, password: string): Promise<boolean>
  /** Whether a stored hash is of another kind than those that are made here: to be made anew once its password is known. */
  isForeign(stored: string): boolean
}

/** What the reference stores; such hashes come with an archive. */
const BCRYPT = /^\$2[abxy]\$/

/** No password is longer, in bytes of UTF-8; longer ones are refused before they are hashed. */
export const MAX_PASSWORD_BYTES = 72

/** Half of libuv's threads, so that files and images are served meanwhile; 38 MiB at most. */
const CONCURRENCY = 2

/** About five seconds of work; further requests get a 503. */
const MAX_WAITING = 200

export function openPasswords({ memoryKiB, passes }: PasswordCost = COST): Passwords {
  const options = { memoryCost: memoryKiB, timeCost: passes, parallelism: 1 }
  const nobodys = hash(randomBytes(32), options)
  const queue = createWorkQueue({
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    maxWaitMs: Infinity,
    refusal: 'Too many passwords are waiting to be checked',
  })
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => queue.run(work, { isUrgent: true })
  return {
    hash: (password) => inTurn(() => hash(password, options)),
    verify: async (stored, password) => {
      const isShort = Buffer.byteLength(password, 'utf8') <= MAX_PASSWORD_BYTES
      const against = stored ?? (await nobodys)
      const given = isShort ? password : ''
      const isRight = await inTurn(() =>
        BCRYPT.test(against) ? verifyBcrypt(given, against) : verify(against, given),
      )
      return isRight && isShort && stored !== null
    },
    isForeign: (stored) => BCRYPT.test(stored),
  }
}

/** Accepts anything for an account without a password. @throws ValidationError */
export async function assertCurrentPassword(
  passwords: Pick<Passwords, 'verify'>,
  { password }: { readonly password: string | null },
  given = '',
): Promise<void> {
  if (password !== null && !(await passwords.verify(password, given))) throw wrongPassword()
}

export function wrongPassword(): ValidationError {
  return new ValidationError(
    'The provided current password is invalid',
    {},
    { code: 'wrong_password' },
  )
}
