import { toDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import type { Request } from './request.ts'
import { checkDeadline } from '../deadline.ts'

// These errors end the whole command.
const FATAL: ReadonlySet<string> = new Set([
  'MaxTimeMSExpired',
  'WriteConflict',
  'NoSuchTransaction',
  'InvalidBSON',
  // The statement may be half applied, so the write of the command is undone as a whole.
  'OutOfDiskSpace',
  'FileStreamFailed',
])

function toWriteError(request: Request, index: number, error: CommandError): Document {
  const isBare = error.codeName === 'DuplicateKey' && request.engine.strictness.bareDuplicates
  return toDocument({
    index,
    code: error.code,
    errmsg: error.message,
    ...(!isBare && (error.details as Record<string, Value>)),
  })
}

/**
 * Unless `ordered` is false, the first error stops the run. In a transaction every error is fatal.
 */
export function runOrdered<T>(
  request: Request,
  statements: readonly T[],
  run: (statement: T, index: number) => void,
): { writeErrors?: Document[] } {
  const isOrdered = request.body['ordered'] !== false
  const writeErrors: Document[] = []
  for (const [index, statement] of statements.entries()) {
    try {
      checkDeadline()
      run(statement, index)
    } catch (error) {
      if (!(error instanceof CommandError) || FATAL.has(error.codeName)) throw error
      writeErrors.push(toWriteError(request, index, error))
      if (isOrdered || request.transaction) break
    }
  }
  return writeErrors.length > 0 ? { writeErrors } : {}
}
