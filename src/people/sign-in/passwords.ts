import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { compare as verifyBcrypt } from 'bcryptjs'
import { ValidationError } from '../../base/errors.ts'
import { createWorkQueue } from '../../base/work-queue.ts'

export interface PasswordCost {
  readonly memoryKiB: number
  readonly passes: number
}

/** https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html, first recommendation */
const COST: PasswordCost = { memoryKiB: 19_456, passes: 2 }

export interface Passwords {
  /** @throws ServiceUnavailableError if too many requests are waiting */
  hash(password: string): Promise<string>
  /** Null (no account) and '' (no password) never match and take equally long. @throws ServiceUnavailableError */
  verify(stored: string | null, password: string): Promise<boolean>
  isForeign(stored: string): boolean
}

/** Hash format of the reference. Imports bring such hashes. */
const BCRYPT = /^\$2[abxy]\$/

/** Maximum in bytes of UTF-8. Longer passwords are rejected before hashing. */
export const MAX_PASSWORD_BYTES = 72

/** Half of the threads of libuv, so that files and images are served at the same time. Uses at most 38 MiB. */
const CONCURRENCY = 2

/** About five seconds of work. Further requests get 503. */
const MAX_WAITING = 200

export function openPasswords({ memoryKiB, passes }: PasswordCost = COST): Passwords {
  const options = { memoryCost: memoryKiB, timeCost: passes, parallelism: 1 }
  const dummyHash = hash(randomBytes(32), options)
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
      const hasPassword = stored !== null && stored !== ''
      const against = hasPassword ? stored : await dummyHash
      const given = isShort ? password : ''
      const isRight = await inTurn(() =>
        BCRYPT.test(against) ? verifyBcrypt(given, against) : verify(against, given),
      )
      return isRight && isShort && hasPassword
    },
    isForeign: (stored) => BCRYPT.test(stored),
  }
}

/** Accepts any password if the account has none. @throws ValidationError */
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
