import type { Texts } from './texts.ts'

const CLASSES = {
  '[A-Z]': 'capitals',
  '[a-z]': 'smallLetters',
  '[a-zA-Z]': 'letters',
  '[A-Za-z]': 'letters',
  '[0-9]': 'digits',
  '\\d': 'digits',
  '[A-Z0-9]': 'capitalsOrDigits',
  '[a-z0-9-]': 'slug',
} as const

const SIMPLE = /^\^?(\[[^\]]+\]|\\d)(?:\{(\d{1,4})(?:(,)(\d{1,4})?)?\}|([+*]))?\$?$/

/** Describes a pattern in words, because editors do not read regular expressions. */
export function describePattern(pattern: string, { t }: Texts): string {
  const [, characters = '', least, comma, most, sign] = SIMPLE.exec(pattern) ?? []
  const known = CLASSES[characters as keyof typeof CLASSES] as
    (typeof CLASSES)[keyof typeof CLASSES] | undefined
  const isWhole = pattern.startsWith('^') && pattern.endsWith('$')
  if (known === undefined || !isWhole) return t('field.regex.other')
  const of = t(`field.regex.${known}`)
  if (sign !== undefined) return t('field.regex.only', { of })
  if (least === undefined) return t('field.regex.exactly', { number: 1, of })
  if (comma === undefined) return t('field.regex.exactly', { number: Number(least), of })
  if (most === undefined) return t('field.regex.atLeast', { number: Number(least), of })
  return t('field.regex.between', { min: Number(least), max: Number(most), of })
}
