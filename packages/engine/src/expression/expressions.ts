import { isDocument, createDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { CommandError, failedToParse } from '../errors.ts'
import { ARITHMETIC_FUNCTIONS } from './arithmetic-functions.ts'
import { ARRAY_FUNCTIONS } from './array-functions.ts'
import { OPERATOR_FORMS, getRootDocument } from './expression-forms.ts'
import { STRING_FUNCTIONS } from './string-functions.ts'
import { TYPE_FUNCTIONS } from './type-functions.ts'
import type { Evaluate, PlainFunction } from './evaluate.ts'

const PLAIN_FUNCTIONS: Readonly<Record<string, PlainFunction>> = {
  ...ARITHMETIC_FUNCTIONS,
  ...ARRAY_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...TYPE_FUNCTIONS,
}

/** Reads a path. An array on the way yields the array of the values in its documents. */
function readPath(value: Value, parts: readonly string[], at = 0): Value {
  if (at === parts.length) return value
  if (isDocument(value)) return readPath(value[parts[at] ?? ''], parts, at + 1)
  if (!Array.isArray(value)) return undefined
  const values: Value[] = []
  for (const element of value) {
    const found =
      isDocument(element) || Array.isArray(element) ? readPath(element, parts, at) : undefined
    if (found !== undefined) values.push(found)
  }
  return values
}

function checkPath(path: string): readonly string[] {
  const parts = path.split('.')
  if (parts.includes(''))
    throw new CommandError('Location15998', 'FieldPath field names may not be empty strings.')
  if (parts.some((part) => part.startsWith('$'))) {
    throw new CommandError('Location16410', "FieldPath field names may not start with '$'.")
  }
  return parts
}

function compileVariable(text: string): Evaluate {
  const [name = '', ...rest] = text.split('.')
  if (name === 'ROOT')
    return (document, variables) => readPath(getRootDocument(document, variables), rest)
  if (name === 'CURRENT') return (document) => readPath(document, rest)
  if (name === 'REMOVE') return () => undefined
  if (name === 'NOW') return (_, variables) => readPath(variables.get('NOW') ?? new Date(), rest)
  if (/^[A-Z]/.test(name)) throw failedToParse(`Use of the variable $$${name} is not supported`)
  return (_, variables) => {
    if (!variables.has(name))
      throw new CommandError('Location17276', `Use of undefined variable: ${name}`)
    return readPath(variables.get(name), rest)
  }
}

function compileString(text: string): Evaluate {
  if (text.startsWith('$$')) return compileVariable(text.slice(2))
  if (!text.startsWith('$')) return () => text
  const parts = checkPath(text.slice(1))
  const [only = ''] = parts
  return parts.length === 1 ? (document) => document[only] : (document) => readPath(document, parts)
}

function compileObject(object: Document): Evaluate {
  const members = Object.keys(object).map((name) => {
    if (name.includes('.'))
      throw new CommandError('Location16410', `FieldPath field names may not contain '.'.`)
    return [name, compileExpression(object[name])] as const
  })
  return (document, variables) => {
    const result = createDocument()
    for (const [name, evaluate] of members) {
      const value = evaluate(document, variables)
      if (value !== undefined) result[name] = value
    }
    return result
  }
}

function compileFunction(name: string, plain: PlainFunction, operand: Value): Evaluate {
  const operands = (Array.isArray(operand) ? operand : [operand]).map((entry) =>
    compileExpression(entry),
  )
  if (operands.length < plain.least || operands.length > plain.most) {
    throw new CommandError(
      'Location16020',
      `Expression ${name} takes ${plain.least === plain.most ? `exactly ${plain.least}` : `at least ${plain.least} and at most ${plain.most}`} arguments. ${operands.length} were passed in.`,
    )
  }
  return (document, variables) => {
    spend()
    return plain.call(operands.map((evaluate) => evaluate(document, variables)))
  }
}

function compileOperator(name: string, operand: Value): Evaluate {
  const form = Object.hasOwn(OPERATOR_FORMS, name) ? OPERATOR_FORMS[name] : undefined
  if (form) return form(operand, compileExpression)
  const plain = Object.hasOwn(PLAIN_FUNCTIONS, name) ? PLAIN_FUNCTIONS[name] : undefined
  if (!plain) throw new CommandError('InvalidPipelineOperator', `Unrecognized expression '${name}'`)
  return compileFunction(name, plain, operand)
}

const ELEMENTS_PER_STEP = 8

/** @throws CommandError InvalidPipelineOperator if an operator is not implemented */
export function compileExpression(expression: Value): Evaluate {
  if (typeof expression === 'string') return compileString(expression)
  if (Array.isArray(expression)) {
    const elements = expression.map((element) => compileExpression(element))
    return (document, variables) => {
      spend(elements.length / ELEMENTS_PER_STEP)
      return elements.map((evaluate) => evaluate(document, variables) ?? null)
    }
  }
  if (!isDocument(expression)) return () => expression
  const keys = Object.keys(expression)
  const [first = ''] = keys
  if (!first.startsWith('$')) return compileObject(expression)
  if (keys.length > 1) {
    throw new CommandError(
      'Location15983',
      `An object representing an expression must have exactly one field: ${keys.join(', ')}`,
    )
  }
  return compileOperator(first, expression[first])
}
