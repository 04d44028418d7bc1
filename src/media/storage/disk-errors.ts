import type { ErrorCode } from '../../base/error-codes.ts'
import { ServiceUnavailableError } from '../../base/errors.ts'

/** No free blocks, quota exceeded, or file too large. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const BROKEN: ReadonlySet<unknown> = new Set([
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ELOOP',
  'ENAMETOOLONG',
  'EBUSY',
  'EMFILE',
  'ENFILE',
])

/** @throws ServiceUnavailableError if the disk refuses a write; other errors unchanged */
export async function asDiskErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const failure = error instanceof Error && 'code' in error ? error.code : null
    if (FULL.has(failure)) throw refusal('There is no space left to store this', 'disk_full', error)
    if (BROKEN.has(failure)) throw refusal('The disk is not writable', 'storage_unreachable', error)
    throw error
  }
}

const MAX_TRIES = 3

/** For work that can be repeated. @throws the error of the last try */
export async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries < MAX_TRIES; tries += 1) {
    try {
      return await work()
    } catch {
      // The next try tells whether the failure lasts.
    }
  }
  return work()
}

function refusal(message: string, code: ErrorCode, cause: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError(message, {}, { cause, code })
}
