import type { Document, Value } from '../bson/values.ts'

export type Variables = ReadonlyMap<string, Value>
export type Evaluate = (document: Document, variables: Variables) => Value
export type Compile = (expression: Value) => Evaluate

export interface PlainFunction {
  readonly least: number
  readonly most: number
  readonly call: (operands: readonly Value[]) => Value
}

export type OperatorForm = (operand: Value, compile: Compile) => Evaluate
