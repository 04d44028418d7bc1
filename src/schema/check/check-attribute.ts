import {
  type AttributeDefinition,
  type DeclarationFault,
  SCALAR_TYPES,
  type ScalarDefinition,
} from '../definition.ts'
import { didYouMean } from '../../base/near-miss.ts'
import { scalarRule } from '../values/scalar-rules.ts'
import { sentenceOf } from '../values/value-messages.ts'

export function findContradictions(
  definition: AttributeDefinition,
  neighbours: readonly string[],
): readonly DeclarationFault[] {
  const faults = [...boundFaults(definition)]
  if (isScalar(definition)) {
    faults.push(...regexFaults(definition), ...targetFieldFaults(definition, neighbours))
    if (faults.length === 0) faults.push(...defaultFaults(definition))
  }
  return faults
}

function isScalar(definition: AttributeDefinition): definition is ScalarDefinition {
  return (SCALAR_TYPES as readonly string[]).includes(definition.type)
}

function boundFaults(definition: AttributeDefinition): readonly DeclarationFault[] {
  const { min, max, minLength, maxLength } = definition as ScalarDefinition
  return [
    ...(isAbove(min, max) ? [{ path: 'min', problem: `must not be above max (${max})` }] : []),
    ...(isAbove(minLength, maxLength)
      ? [{ path: 'minLength', problem: `must not be above maxLength (${maxLength})` }]
      : []),
  ]
}

function isAbove(min: number | string | undefined, max: number | string | undefined): boolean {
  if (min === undefined || max === undefined) return false
  const areTexts = typeof min === 'string' || typeof max === 'string'
  return areTexts ? BigInt(min) > BigInt(max) : min > max
}

function regexFaults({ regex }: ScalarDefinition): readonly DeclarationFault[] {
  if (regex === undefined) return []
  const problem = regexProblem(regex)
  return problem === null ? [] : [{ path: 'regex', problem }]
}

function regexProblem(regex: string): string | null {
  try {
    RegExp(regex)
    return null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return error.message
  }
}

function targetFieldFaults(
  { targetField }: ScalarDefinition,
  neighbours: readonly string[],
): readonly DeclarationFault[] {
  if (targetField === undefined || neighbours.includes(targetField)) return []
  const problem = `no attribute ${targetField}${didYouMean(targetField, neighbours)}`
  return [{ path: 'targetField', problem }]
}

function defaultFaults(definition: ScalarDefinition): readonly DeclarationFault[] {
  if (definition.default === undefined || definition.default === null) return []
  const { error } = scalarRule(definition, 'direct').validate(definition.default, {
    convert: false,
  })
  if (error === undefined) return []
  return error.details.map(({ type: code, context = {} }) => {
    const sentence =
      code === 'blocks' ? 'default holds invalid nodes' : defaultSentence(code, context)
    return { path: 'default', problem: sentence.replace(/^default:? /, '') }
  })
}

function defaultSentence(code: string, context: Readonly<Record<string, unknown>>): string {
  return sentenceOf({ code, path: ['default'], context })
}
