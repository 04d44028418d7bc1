import type { Document, Value } from '../bson/values.ts'
import type { Target } from './update-paths.ts'

/** What an operator does to the value at one place; it may read the place's holder. */
export interface UpdateContext {
  readonly isInsert: boolean
  readonly document: Document
  readonly now: Date
}

export interface OperatorSpec {
  /** Checks the operand once; answers the change of one place. */
  readonly compile: (
    path: string,
    operand: Value,
  ) => (target: Target, context: UpdateContext) => void
  /** Whether missing documents on the way are made. */
  readonly creates: boolean
}
