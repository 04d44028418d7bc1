import type { Json } from '../../api/declarations.ts'
import { enumValues } from './value-renames.ts'

const NUMBERS = ['min', 'max', 'minLength', 'maxLength'] as const
export type NumberOption = (typeof NUMBERS)[number]

/** A number option is a string while the user types. For a biginteger it stays one. */
export function numberOf(type: unknown, text: string): unknown {
  if (text.trim() === '') return undefined
  const value = Number(text)
  return type === 'biginteger' || !Number.isFinite(value) || text.endsWith('.') ? text : value
}

export function wrongNumbers(options: Json): readonly NumberOption[] {
  return NUMBERS.filter((option) => {
    const value = options[option]
    if (typeof value !== 'string') return false
    return options['type'] !== 'biginteger' || !/^[+-]?\d+$/.test(value)
  })
}

/** A default value in the type of its attribute; undefined if empty. */
export function defaultOf(type: unknown, text: string): unknown {
  if (text === '') return undefined
  if (type === 'boolean') return text === 'true'
  const isNumber = type === 'integer' || type === 'float'
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : text
}

/** Formats an option for its input; numbers and flags as in JSON. */
export function textOfOption(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

export function withoutBlanks(options: Json): Json {
  return Object.fromEntries(
    Object.entries(options)
      .map(([key, value]) => [key, key === 'enum' ? enumValues(value) : value] as const)
      .filter(([key, value]) => value !== undefined && (value !== false || key === 'default'))
      .filter(
        ([key, value]) => key !== 'allowedTypes' || (Array.isArray(value) && value.length > 0),
      ),
  )
}
