import { CmsError } from './errors.ts'

/** Whether a request was refused. Other errors are faults of the server or its database, and may pass. */
export function isRefusal(error: unknown): error is CmsError {
  return error instanceof CmsError && error.status < 500
}
