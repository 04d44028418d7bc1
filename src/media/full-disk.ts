import { ServiceUnavailableError } from '../errors.ts'

/** No blocks left, no more that this user may have, or none that one file may have. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** @throws ServiceUnavailableError when what `work` writes finds no space; what it throws otherwise. */
export async function withSpace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isFull(error)) throw error
    throw new ServiceUnavailableError('There is no space left to store this', {}, { cause: error })
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(error.code)
}
