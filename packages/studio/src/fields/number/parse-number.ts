import type { NumberType } from '@quire/schema/attributes'
import { separatorsOf } from '../../texts/numbers.ts'

export type ParsedNumber =
  | { readonly kind: 'value'; readonly value: number | string | null }
  | { readonly kind: 'unreadable'; readonly why: 'whole' | 'number' | 'range' | 'ambiguous' }

const INT_32 = { min: -2_147_483_648n, max: 2_147_483_647n }
const INT_64 = { min: -9_223_372_036_854_775_808n, max: 9_223_372_036_854_775_807n }

/** Group separators of all languages: spaces and apostrophes. */
const NEUTRAL_GROUPS = String.raw`\s'’`
const NUMERIC = /^[+-]?[\d\s.,'’]*\d[\d\s.,'’]*(?:e[+-]?\d+)?$/i

/**
 * Parses a localized number: `1,234` is 1234 in English and 1.234 in German. An empty text is null.
 * Separators at unusual positions are refused, because their meaning is ambiguous.
 */
export function parseNumber(type: NumberType, typed: string, language: string): ParsedNumber {
  const text = typed.trim().replace('−', '-')
  if (text === '') return { kind: 'value', value: null }
  const isWhole = type === 'integer' || type === 'biginteger'
  const plain = toPlain(text, language)
  if (plain === null) {
    const why = NUMERIC.test(text) ? 'ambiguous' : isWhole ? 'whole' : 'number'
    return { kind: 'unreadable', why }
  }
  return isWhole ? parseWhole(type, plain) : parseReal(type, plain)
}

/** The number with a decimal point and without groups; null if it is not valid in the language. */
function toPlain(text: string, language: string): string | null {
  const { group, decimal } = separatorsOf(language)
  // A leading zero is never a group, so `0,123` is not grouped.
  const grouped = String.raw`[1-9]\d{0,2}([${group}${NEUTRAL_GROUPS}])\d{3}(?:\2\d{3})*`
  const written = new RegExp(
    String.raw`^([+-]?(?:${grouped}|\d*))(?:[${decimal}](\d*))?(e[+-]?\d+)?$`,
    'i',
  )
  const [, whole = '', , decimals, power = ''] = written.exec(text) ?? []
  if (!/\d/.test(whole + (decimals ?? ''))) return null
  const digits = whole.replaceAll(/[^\d+-]/g, '')
  return digits + (decimals === undefined ? '' : `.${decimals}`) + power
}

function parseWhole(type: 'integer' | 'biginteger', text: string): ParsedNumber {
  if (!/^[+-]?\d+$/.test(text)) return { kind: 'unreadable', why: 'whole' }
  const value = BigInt(text.replace('+', ''))
  const { min, max } = type === 'integer' ? INT_32 : INT_64
  if (value < min || value > max) return { kind: 'unreadable', why: 'range' }
  return { kind: 'value', value: type === 'integer' ? Number(value) : String(value) }
}

/** Decimals that JavaScript would round are sent as text. */
function parseReal(type: 'float' | 'decimal', text: string): ParsedNumber {
  const value = Number(text)
  if (!Number.isFinite(value)) return { kind: 'unreadable', why: 'range' }
  const digits = text.replace(/e.*$/i, '').replaceAll(/\D/g, '').replace(/^0+/, '')
  if (type === 'decimal' && digits.length > 15)
    return { kind: 'value', value: text.replace('+', '') }
  return { kind: 'value', value }
}
