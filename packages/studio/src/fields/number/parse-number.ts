import type { NumberType } from '../../entry/declaration.ts'

export type ParsedNumber =
  | { readonly kind: 'value'; readonly value: number | string | null }
  | { readonly kind: 'unreadable'; readonly why: 'whole' | 'number' | 'range' }

const WHOLE = /^[+-]?\d+$/
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const INT_32 = { min: -2_147_483_648n, max: 2_147_483_647n }
const INT_64 = { min: -9_223_372_036_854_775_808n, max: 9_223_372_036_854_775_807n }

/** What somebody typed as a number of the type; a decimal comma is a point, and nothing is null. */
export function parseNumber(type: NumberType, typed: string): ParsedNumber {
  const text = typed.trim().replace(/^([^.,]*),([^.,]*)$/, '$1.$2')
  if (text === '') return { kind: 'value', value: null }
  return type === 'integer' || type === 'biginteger'
    ? parseWhole(type, text)
    : parseReal(type, text)
}

function parseWhole(type: 'integer' | 'biginteger', text: string): ParsedNumber {
  if (!WHOLE.test(text)) return { kind: 'unreadable', why: 'whole' }
  const value = BigInt(text.replace('+', ''))
  const { min, max } = type === 'integer' ? INT_32 : INT_64
  if (value < min || value > max) return { kind: 'unreadable', why: 'range' }
  return { kind: 'value', value: type === 'integer' ? Number(value) : String(value) }
}

/** Decimals that a number of JavaScript would round go to the server as text. */
function parseReal(type: 'float' | 'decimal', text: string): ParsedNumber {
  if (!DECIMAL.test(text)) return { kind: 'unreadable', why: 'number' }
  const value = Number(text)
  if (!Number.isFinite(value)) return { kind: 'unreadable', why: 'range' }
  const digits = text.replace(/e.*$/i, '').replaceAll(/\D/g, '').replace(/^0+/, '')
  if (type === 'decimal' && digits.length > 15)
    return { kind: 'value', value: text.replace('+', '') }
  return { kind: 'value', value }
}
