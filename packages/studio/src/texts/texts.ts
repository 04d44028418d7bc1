import type { StudioLanguage } from '@quire/schema/attributes'
import { createContext, use } from 'react'
import { type Catalogue, english, type TextKey } from './english.ts'
import { formatNumber } from './numbers.ts'

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const satisfies Readonly<
  Record<StudioLanguage, string>
>

export type Language = keyof typeof LANGUAGES

/** Values for `{name}` in a text. `count` also selects the plural form. */
export type TextValues = Readonly<Record<string, string | number>>

export interface Texts {
  readonly language: Language
  /** The text of a key, in the plural form for `count`. */
  readonly t: (key: TextKey, values?: TextValues) => string
  /** Keeps all digits. Large or exact numbers are strings of digits. */
  readonly number: (value: number | string) => string
  /** `2 minutes ago`, `yesterday`, `18 Nov`, `18 Nov 2024`: less precise with age. */
  readonly ago: (moment: string | Date) => string
  readonly moment: (moment: string | Date) => string
  /** `28 Nov 2026, 10:42 – 10:55`, or one time if both are in the same minute. */
  readonly span: (from: string | Date, to: string | Date) => string
  readonly bytes: (value: number) => string
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
    span: (from, to) =>
      new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).formatRange(
        new Date(from),
        new Date(to),
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
    return code // not a language tag
  }
}

export const TextsContext = createContext<Texts>(textsOf('en', english))

export function useTexts(): Texts {
  return use(TextsContext)
}

export function chooseLanguage(wanted: readonly (string | null | undefined)[]): Language {
  const found = wanted
    .map((one) => one?.slice(0, 2).toLowerCase())
    .find((one) => one !== undefined && one in LANGUAGES)
  return (found as Language | undefined) ?? 'en'
}

/** Loads a catalogue; only English is part of the main bundle. */
export async function loadCatalogue(language: Language): Promise<Catalogue> {
  if (language === 'de') return (await import('./german.ts')).german
  return english
}
