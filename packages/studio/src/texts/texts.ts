import { createContext, use } from 'react'
import { type Catalogue, english, type TextKey } from './english.ts'
import { formatNumber } from './numbers.ts'

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGES

/** What stands for `{name}` in a text. `count` chooses the form of the number as well. */
export type Values = Readonly<Record<string, string | number>>

export interface Texts {
  readonly language: Language
  /** The text of a key; of `one | many` the form that `count` asks for. */
  readonly t: (key: TextKey, values?: Values) => string
  /** A number with all its digits; a large or exact one is a text of digits. */
  readonly number: (value: number | string) => string
  /** `2 minutes ago`, `yesterday`, `18 Nov`, `18 Nov 2024`: as exact as one wants to know it. */
  readonly ago: (moment: string | Date) => string
  /** Day and time in full, for tooltips. */
  readonly moment: (moment: string | Date) => string
  readonly bytes: (value: number) => string
  /** The name of a locale of content in this language. */
  readonly locale: (code: string) => string
}

export function textsOf(language: Language, catalogue: Catalogue): Texts {
  const plurals = new Intl.PluralRules(language)
  const number = (value: number | string): string => formatNumber(language, value)
  const t: Texts['t'] = (key, values = {}) => {
    const [one = '', many = one] = catalogue[key].split(' | ')
    const text = plurals.select(Number(values['count'] ?? 1)) === 'one' ? one : many
    return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name] ?? ''
      return typeof value === 'number' ? number(value) : value
    })
  }
  return {
    language,
    t,
    number,
    ago: (moment) => ago(language, new Date(moment), new Date()),
    moment: (moment) =>
      new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(
        new Date(moment),
      ),
    bytes: (value) => bytes(language, value),
    locale: (code) => localeName(language, code),
  }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export function ago(language: string, then: Date, now: Date): string {
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const passed = now.getTime() - then.getTime()
  if (passed < MINUTE) return relative.format(0, 'second')
  if (passed < HOUR) return relative.format(-Math.floor(passed / MINUTE), 'minute')
  const days = Math.round((startOfDay(now) - startOfDay(then)) / DAY)
  if (days === 0) return relative.format(-Math.floor(passed / HOUR), 'hour')
  if (days === 1) return relative.format(-1, 'day')
  const year = then.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' as const }
  return new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', ...year }).format(then)
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

function bytes(language: string, value: number): string {
  const step = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3))
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    // The short form of bytes has no plural: `110 byte`.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(value / 1000 ** step)
}

function localeName(language: string, code: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code
  } catch {
    return code // no language tag
  }
}

export const TextsContext = createContext<Texts>(textsOf('en', english))

export function useTexts(): Texts {
  return use(TextsContext)
}

/** The first of what the person asks for that there is; English otherwise. */
export function chooseLanguage(wanted: readonly (string | null | undefined)[]): Language {
  const found = wanted
    .map((one) => one?.slice(0, 2).toLowerCase())
    .find((one) => one !== undefined && one in LANGUAGES)
  return (found as Language | undefined) ?? 'en'
}

/** A catalogue; those of other languages than English are loaded when they are needed. */
export async function loadCatalogue(language: Language): Promise<Catalogue> {
  if (language === 'de') return (await import('./german.ts')).german
  return english
}
