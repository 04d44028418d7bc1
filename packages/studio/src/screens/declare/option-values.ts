import type { Json } from '../../api/declarations.ts'

const NUMBERS = ['min', 'max', 'minLength', 'maxLength'] as const
export type NumberOption = (typeof NUMBERS)[number]

/** While it is typed a number is a text: of a biginteger, whose limits are texts, for good. */
export function numberOf(type: unknown, text: string): unknown {
  if (text.trim() === '') return undefined
  const value = Number(text)
  return type === 'biginteger' || !Number.isFinite(value) || text.endsWith('.') ? text : value
}

/** Options that have to be numbers and are not. */
export function wrongNumbers(options: Json): readonly NumberOption[] {
  return NUMBERS.filter((option) => {
    const value = options[option]
    if (typeof value !== 'string') return false
    return options['type'] !== 'biginteger' || !/^[+-]?\d+$/.test(value)
  })
}

/** As a default is declared for the type of its attribute; undefined for none. */
export function defaultOf(type: unknown, text: string): unknown {
  if (text === '') return undefined
  if (type === 'boolean') return text === 'true'
  const isNumber = type === 'integer' || type === 'float'
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : text
}

/** What an input shows of an option: numbers and flags as they are written in JSON. */
export function textOfOption(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** Without what was left empty: an option that is false, or a list that holds nothing. */
export function withoutBlanks(options: Json): Json {
  return Object.fromEntries(
    Object.entries(options)
      .map(([key, value]) => [key, key === 'enum' ? linesOf(value) : value] as const)
      .filter(([key, value]) => value !== undefined && (value !== false || key === 'default'))
      .filter(
        ([key, value]) => key !== 'allowedTypes' || (Array.isArray(value) && value.length > 0),
      ),
  )
}

function linesOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return value.map((line) => String(line).trim()).filter((line) => line !== '')
}
