import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { CommandError, failedToParse } from '../errors.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { BY_NAME } from './string-functions.ts'
import type { Compile, Evaluate, OperatorForm, Variables } from './evaluate.ts'

function isTrue(value: Value): boolean {
  return isNumber(value)
    ? toDouble(value) !== 0
    : value !== false && value !== null && value !== undefined
}

/** @throws CommandError if a member is unknown */
export function readMembers(
  name: string,
  operand: Value,
  required: readonly string[],
  optional: readonly string[] = [],
): Document {
  if (!isDocument(operand)) throw failedToParse(`${name} only supports an object as its argument`)
  const unknown = Object.keys(operand).find(
    (key) => !required.includes(key) && !optional.includes(key),
  )
  if (unknown !== undefined) throw failedToParse(`Unrecognized parameter to ${name}: ${unknown}`)
  const missing = required.find((key) => !(key in operand))
  if (missing !== undefined) throw failedToParse(`Missing '${missing}' parameter to ${name}`)
  return operand
}

function listOf(operand: Value): readonly Value[] {
  return Array.isArray(operand) ? operand : [operand]
}

function branchesOf(members: Document): readonly Value[] {
  return ['if', 'then', 'else'].map((name) => members[name])
}

function compileCondition(operand: Value, compile: Compile): Evaluate {
  if (Array.isArray(operand) && operand.length !== 3) {
    throw new CommandError(
      'Location16020',
      `Expression $cond takes exactly 3 arguments. ${operand.length} were passed in.`,
    )
  }
  const [test, then, otherwise] = Array.isArray(operand)
    ? operand
    : branchesOf(readMembers('$cond', operand, ['if', 'then', 'else']))
  const [first, second, third] = [compile(test), compile(then), compile(otherwise)]
  return (document, variables) =>
    (isTrue(first(document, variables)) ? second : third)(document, variables)
}

function compileIfNull(operand: Value, compile: Compile): Evaluate {
  const operands = listOf(operand).map((entry) => compile(entry))
  if (operands.length < 2)
    throw new CommandError(
      'Location16020',
      `$ifNull needs at least two arguments, had: ${operands.length}`,
    )
  const last = operands.pop()
  return (document, variables) => {
    for (const evaluate of operands) {
      const value = evaluate(document, variables)
      if (value !== null && value !== undefined) return value
    }
    return last?.(document, variables)
  }
}

function compileSwitch(operand: Value, compile: Compile): Evaluate {
  const { branches, default: otherwise } = readMembers(
    '$switch',
    operand,
    ['branches'],
    ['default'],
  )
  if (!Array.isArray(branches) || branches.length === 0)
    throw failedToParse('$switch requires at least one branch')
  const cases = branches.map((branch) => {
    const { case: test, then } = readMembers('$switch', branch, ['case', 'then'])
    return [compile(test), compile(then)] as const
  })
  const fallback = otherwise === undefined ? null : compile(otherwise)
  return (document, variables) => {
    const found = cases.find(([test]) => isTrue(test(document, variables)))
    if (found) return found[1](document, variables)
    if (!fallback)
      throw new CommandError(
        'Location40066',
        '$switch could not find a matching branch for an input, and no default was specified.',
      )
    return fallback(document, variables)
  }
}

/** User variables start with a lower-case letter. @throws CommandError FailedToParse */
export function checkVariableName(name: string): void {
  if (/^(?:[a-z]|[^\0-\x7f])(?:\w|[^\0-\x7f])*$/.test(name)) return
  throw failedToParse(`'${name}' starts with an invalid character for a user variable name`)
}

/** Differs from `document` inside operators that rebind CURRENT. */
export function getRootDocument(document: Document, variables: Variables): Value {
  return variables.get('ROOT') ?? document
}

function compileLet(operand: Value, compile: Compile): Evaluate {
  const { vars, in: body } = readMembers('$let', operand, ['vars', 'in'])
  if (!isDocument(vars)) throw failedToParse('$let needs an object of variables')
  // CURRENT is the only system variable that may be set.
  for (const name of Object.keys(vars)) if (name !== 'CURRENT') checkVariableName(name)
  const hasCurrent = 'CURRENT' in vars
  const bindings = Object.keys(vars).map((name) => [name, compile(vars[name])] as const)
  const evaluate = compile(body)
  return (document, variables) => {
    const inner = new Map(variables)
    for (const [name, value] of bindings)
      if (name !== 'CURRENT') inner.set(name, value(document, variables))
    const current = bindings.find(([name]) => name === 'CURRENT')?.[1](document, variables)
    if (!hasCurrent) return evaluate(document, inner)
    if (!isDocument(current))
      throw new CommandError(
        'NotImplemented',
        '$let of CURRENT to what is no object is not supported',
      )
    return evaluate(current, inner.set('ROOT', getRootDocument(document, variables)))
  }
}

function bind(variables: Variables, name: string, value: Value): Variables {
  return new Map(variables).set(name, value)
}

function arrayInput(name: string, value: Value): readonly Value[] | null {
  if (value === null || value === undefined) return null
  if (!Array.isArray(value))
    throw new CommandError('Location16883', `input to ${name} must be an array`)
  spend(value.length)
  return value
}

function compileMap(operand: Value, compile: Compile): Evaluate {
  const { input, as, in: body } = readMembers('$map', operand, ['input', 'in'], ['as'])
  const [source, evaluate] = [compile(input), compile(body)]
  const name = typeof as === 'string' ? as : 'this'
  return (document, variables) =>
    arrayInput('$map', source(document, variables))?.map(
      (element) => evaluate(document, bind(variables, name, element)) ?? null,
    ) ?? null
}

function filterLimit(limit: Value): number {
  if (limit === null || limit === undefined) return Infinity
  const count = isNumber(limit) ? toDouble(limit) : NaN
  if (!Number.isInteger(count))
    throw new CommandError('Location327391', '$filter: limit must be an integer')
  if (count <= 0)
    throw new CommandError(
      'Location327392',
      `$filter: limit must be greater than 0. Given value is: ${count}`,
    )
  return count
}

function compileFilterForm(operand: Value, compile: Compile): Evaluate {
  const { input, as, cond, limit } = readMembers(
    '$filter',
    operand,
    ['input', 'cond'],
    ['as', 'limit'],
  )
  const [source, test, most] = [compile(input), compile(cond), compile(limit ?? null)]
  const name = typeof as === 'string' ? as : 'this'
  return (document, variables) => {
    const kept = arrayInput('$filter', source(document, variables))?.filter((element) =>
      isTrue(test(document, bind(variables, name, element))),
    )
    return kept?.slice(0, filterLimit(most(document, variables))) ?? null
  }
}

function compileReduce(operand: Value, compile: Compile): Evaluate {
  const {
    input,
    initialValue,
    in: body,
  } = readMembers('$reduce', operand, ['input', 'initialValue', 'in'])
  const [source, initial, evaluate] = [compile(input), compile(initialValue), compile(body)]
  return (document, variables) => {
    const elements = arrayInput('$reduce', source(document, variables))
    if (!elements) return null
    return elements.reduce<Value>(
      (value, element) =>
        evaluate(document, new Map(variables).set('value', value).set('this', element)),
      initial(document, variables),
    )
  }
}

interface ZipOperands {
  readonly inputs: readonly Value[]
  readonly isLong: boolean
  readonly defaults: readonly Value[]
}

function readZip(operand: Value): ZipOperands {
  const optional = ['useLongestLength', 'defaults']
  const members = readMembers('$zip', operand, ['inputs'], optional)
  const { inputs, useLongestLength: isLong = false, defaults = [] } = members
  if (!Array.isArray(inputs) || inputs.length === 0)
    throw new CommandError('Location34461', '$zip: inputs must be an array of expressions')
  if (typeof isLong !== 'boolean')
    throw new CommandError('Location34463', '$zip: useLongestLength must be a bool')
  if (!Array.isArray(defaults))
    throw new CommandError('Location34462', '$zip: defaults must be an array of expressions')
  checkZip({ inputs, isLong, defaults })
  return { inputs, isLong, defaults }
}

function checkZip({ inputs, isLong, defaults }: ZipOperands): void {
  if (defaults.length === 0) return
  if (!isLong) throw new CommandError('Location34466', '$zip: defaults need useLongestLength: true')
  if (defaults.length !== inputs.length)
    throw new CommandError('Location34467', '$zip: defaults and inputs must have the same length')
}

function compileZip(operand: Value, compile: Compile): Evaluate {
  const { inputs, isLong, defaults } = readZip(operand)
  const sources = inputs.map((input) => compile(input))
  const fillers = defaults.map((one) => compile(one))
  return (document, variables) => {
    const lists = sources.map((source) => arrayInput('$zip', source(document, variables)))
    if (!lists.every((list) => list !== null)) return null
    const lengths = lists.map((list) => list.length)
    const length = isLong ? Math.max(...lengths) : Math.min(...lengths)
    const missing = lists.map((_, place) => fillers[place]?.(document, variables) ?? null)
    return Array.from({ length }, (_, index) =>
      lists.map((list, place) => (index < list.length ? list[index] : missing[place])),
    )
  }
}

function compileGetField(operand: Value, compile: Compile): Evaluate {
  const { field, input } = isDocument(operand)
    ? readMembers('$getField', operand, ['field', 'input'])
    : { field: operand, input: '$$CURRENT' }
  if (typeof field !== 'string')
    throw failedToParse('$getField requires a constant string as its field')
  const source = compile(input)
  return (document, variables) => {
    const value = source(document, variables)
    return isDocument(value) ? value[field] : undefined
  }
}

function byName(
  name: string,
  required: readonly string[],
  optional: readonly string[] = [],
): OperatorForm {
  const call = BY_NAME[name.slice(1)]
  return (operand, compile) => {
    const members = readMembers(name, operand, required, optional)
    const operands = [...required, ...optional].map((member) => compile(members[member] ?? null))
    return (document, variables) =>
      call?.(operands.map((evaluate) => evaluate(document, variables)))
  }
}

/** Operators that evaluate an operand several times or not at all. */
export const OPERATOR_FORMS: Readonly<Record<string, OperatorForm>> = {
  $literal: (operand) => () => operand,
  $cond: compileCondition,
  $ifNull: compileIfNull,
  $switch: compileSwitch,
  $let: compileLet,
  $map: compileMap,
  $filter: compileFilterForm,
  $reduce: compileReduce,
  $zip: compileZip,
  $getField: compileGetField,
  $regexMatch: byName('$regexMatch', ['input', 'regex'], ['options']),
  $replaceAll: byName('$replaceAll', ['input', 'find', 'replacement']),
  $and: (operand, compile) => {
    const operands = listOf(operand).map((entry) => compile(entry))
    return (document, variables) =>
      operands.every((evaluate) => isTrue(evaluate(document, variables)))
  },
  $or: (operand, compile) => {
    const operands = listOf(operand).map((entry) => compile(entry))
    return (document, variables) =>
      operands.some((evaluate) => isTrue(evaluate(document, variables)))
  },
  $not: (operand, compile) => {
    const operands = listOf(operand)
    if (operands.length !== 1)
      throw new CommandError(
        'Location16020',
        `Expression $not takes exactly 1 arguments. ${operands.length} were passed in.`,
      )
    const evaluate = compile(operands[0])
    return (document, variables) => !isTrue(evaluate(document, variables))
  },
}
