import { type ErrorCode, ServiceUnavailableError } from '../../base/errors.ts'

/** No blocks left, no more that this user may have, or none that one file may have. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
/**
 * A disk that fails, and what the system makes of its file system then; a folder that is not ours to write, is
 * gone, or is no folder any more.
 */
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

/** @throws ServiceUnavailableError when a disk does not take what `work` writes; what it throws otherwise. */
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

function refusal(message: string, code: ErrorCode, cause: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError(message, {}, { cause, code })
}
