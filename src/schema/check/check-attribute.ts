import { SCALAR_TYPES } from '@quire/schema/attributes'
import type { AttributeDefinition, DeclarationFault, ScalarDefinition } from '../definition.ts'
import { renamedValuesOf } from '../ledger/type-of-attribute.ts'
import { scalarRule } from '../values/scalar-rules.ts'
import { type Complaint, reasonOf, sentenceOf } from '../values/value-messages.ts'
import { declarationFault, suggest } from './declaration-fault.ts'

export function findContradictions(
  definition: AttributeDefinition,
  neighbours: readonly string[],
): readonly DeclarationFault[] {
  const faults = [...boundFaults(definition)]
  if (isScalar(definition)) {
    faults.push(...regexFaults(definition), ...targetFieldFaults(definition, neighbours))
    faults.push(...renamedValueFaults(definition))
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
    ...aboveFaults('min', min, { option: 'max', limit: max }),
    ...aboveFaults('minLength', minLength, { option: 'maxLength', limit: maxLength }),
  ]
}

interface UpperBound {
  readonly option: string
  readonly limit: number | string | undefined
}

function aboveFaults(
  path: string,
  least: number | string | undefined,
  { option, limit }: UpperBound,
): readonly DeclarationFault[] {
  if (least === undefined || limit === undefined || !isAbove(least, limit)) return []
  return [declarationFault(path, 'declare.aboveLimit', { option, limit })]
}

function isAbove(min: number | string, max: number | string): boolean {
  const areTexts = typeof min === 'string' || typeof max === 'string'
  return areTexts ? BigInt(min) > BigInt(max) : min > max
}

function regexFaults({ regex }: ScalarDefinition): readonly DeclarationFault[] {
  if (regex === undefined) return []
  const problem = regexProblem(regex)
  return problem === null ? [] : [{ path: 'regex', problem, reason: { code: 'declare.regex' } }]
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
  const params = { name: targetField, ...suggest(targetField, neighbours) }
  return [declarationFault('targetField', 'declare.noAttribute', params)]
}

function renamedValueFaults(definition: ScalarDefinition): readonly DeclarationFault[] {
  const values = definition.enum ?? []
  return renamedValuesOf(definition).flatMap(([older, current]) => {
    if (!values.includes(older) && values.includes(current)) return []
    return [declarationFault('from', 'declare.renamedValue', { name: older, wanted: current })]
  })
}

function defaultFaults(definition: ScalarDefinition): readonly DeclarationFault[] {
  if (definition.default === undefined || definition.default === null) return []
  const { error } = scalarRule(definition, 'direct').validate(definition.default, {
    convert: false,
  })
  if (error === undefined) return []
  return error.details.map(({ type: code, context = {} }) => {
    if (code === 'blocks') return declarationFault('default', 'declare.defaultBlocks')
    const complaint: Complaint = { code, path: ['default'], context }
    const problem = sentenceOf(complaint).replace(/^default:? /, '')
    return { path: 'default', problem, reason: reasonOf(complaint) }
  })
}
