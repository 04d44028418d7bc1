import { shownName, ValidationError } from '../base/errors.ts'
import { isRecord } from '../base/is-record.ts'
import { FILE_TEXTS } from '../schema/definition.ts'

export type FileTexts = Readonly<Partial<Record<(typeof FILE_TEXTS)[number], string>>>

/** By locale. A record has at least one text, and no text is empty. */
export type FileTranslations = Readonly<Record<string, FileTexts>>

/** Null removes a text, all texts of a locale, or all translations. Absent members stay. */
export type TranslationsChange = Readonly<Record<string, TextsChange | null>> | null

type TextsChange = Readonly<Partial<Record<(typeof FILE_TEXTS)[number], string | null>>>

/** In UTF-16 units. */
const MAX_FILE_TEXT = 10_000

export interface ParseRules {
  readonly locales: { has(code: string): boolean }
  /** Refuses or ignores unknown keys of the part `within`. */
  readonly assertKeys: (keys: readonly string[], known: readonly string[], within: string) => void
}

/** @throws ValidationError that names the path below `fileInfo` */
export function parseTranslations(sent: unknown, rules: ParseRules): TranslationsChange {
  if (sent === null) return null
  if (!isRecord(sent)) throw refused(PATH, 'must be an object by locale')
  return Object.fromEntries(
    Object.entries(sent).map(([code, texts]) => [code, parseTexts(code, texts, rules)]),
  )
}

const PATH = 'fileInfo.translations'

function parseTexts(
  code: string,
  sent: unknown,
  { locales, assertKeys }: ParseRules,
): TextsChange | null {
  if (!locales.has(code)) {
    throw refused(PATH, `names ${shownName(code)}, which is no locale of the installation`)
  }
  if (sent === null) return null
  const path = `${PATH}.${code}`
  if (!isRecord(sent)) throw refused(path, 'must be an object with texts')
  assertKeys(Object.keys(sent), FILE_TEXTS, path)
  return Object.fromEntries(
    FILE_TEXTS.filter((name) => sent[name] !== undefined).map((name) => [
      name,
      parseFileText(`${path}.${name}`, sent[name]),
    ]),
  )
}

/** @throws ValidationError that names the path */
export function parseFileText(path: string, value: unknown): string | null {
  if (value === null || isFileText(value, MAX_FILE_TEXT)) return value
  throw refused(path, `must be a text of at most ${MAX_FILE_TEXT} characters`)
}

/** NUL and unpaired surrogates would not be stored unchanged. */
export function isFileText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength && !/[\0\p{Surrogate}]/u.test(value)
}

export function refused(path: string, reason: string): ValidationError {
  return new ValidationError(`${path} ${reason}`, {}, { code: 'invalid_upload' })
}

/** Null if no text is left. Empty texts and null remove a text. */
export function mergeTranslations(
  before: FileTranslations | null | undefined,
  change: TranslationsChange,
): FileTranslations | null {
  if (change === null) return null
  const codes = [...new Set([...Object.keys(before ?? {}), ...Object.keys(change)])]
  const records = codes.flatMap((code) => {
    const texts = change[code]
    const merged = texts === null ? {} : { ...before?.[code], ...texts }
    const filled = Object.entries(merged).filter(([, text]) => text !== null && text !== '')
    return filled.length === 0 ? [] : [[code, Object.fromEntries(filled)] as const]
  })
  return records.length === 0 ? null : Object.fromEntries(records)
}
