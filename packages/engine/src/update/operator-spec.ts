import type { Document, Value } from '../bson/values.ts'
import type { Target } from './update-paths.ts'

export interface UpdateContext {
  readonly isInsert: boolean
  readonly document: Document
  readonly now: Date
}

export interface OperatorSpec {
  readonly compile: (
    path: string,
    operand: Value,
  ) => (target: Target, context: UpdateContext) => void
  readonly creates: boolean
}
