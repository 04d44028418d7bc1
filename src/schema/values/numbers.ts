import { Decimal } from './decimal.ts'

export const INT32 = { min: -2147483648, max: 2147483647 } as const
export const INT64 = { min: -9223372036854775808n, max: 9223372036854775807n } as const

export function parseNumber(text: string): number | null {
  if (text.trim() === '') return null
  const value = Number(text)
  return Number.isFinite(value) ? value : null
}

export function parseBigInteger(text: string): bigint | null {
  const trimmed = text.trim()
  return /^[+-]?\d{1,100}$/.test(trimmed) ? BigInt(trimmed.replace(/^\+/, '')) : null
}

export function parseDecimal(text: string): Decimal | null {
  const decimal = Decimal.parse(text)
  if (decimal !== null) return decimal
  const value = /^\s*0[xob]/i.test(text) ? parseNumber(text) : null
  return value === null ? null : Decimal.parse(String(value))
}
