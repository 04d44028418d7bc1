import { ServiceUnavailableError } from '../../errors.ts'

/** No blocks left, no more that this user may have, or none that one file may have. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
/** A disk that fails, and what the system makes of its file system then. */
const BROKEN: ReadonlySet<unknown> = new Set(['EIO', 'EROFS'])

/** @throws ServiceUnavailableError when a disk does not take what `work` writes; what it throws otherwise. */
export async function asDiskErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (FULL.has(code)) throw refusal('There is no space left to store this', error)
    if (BROKEN.has(code)) throw refusal('The disk does not take what is to be stored', error)
    throw error
  }
}

function refusal(message: string, cause: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError(message, {}, { cause })
}
