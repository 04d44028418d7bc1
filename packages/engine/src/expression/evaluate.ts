import type { Document, Value } from '../bson/values.ts'

export type Variables = ReadonlyMap<string, Value>
export type Evaluate = (document: Document, variables: Variables) => Value
export type Compile = (expression: Value) => Evaluate

/** An operator whose operands are all evaluated first. */
export interface PlainFunction {
  readonly least: number
  readonly most: number
  readonly call: (operands: readonly Value[]) => Value
}

/** An operator with operands of its own shape. */
export type Form = (operand: Value, compile: Compile) => Evaluate
