import { ValidationError } from '../base/errors.ts'
import { isRecord } from '../base/is-record.ts'
import { MAX_NAME, withoutDirections } from './file-name.ts'
import {
  isFileText,
  parseFileText,
  type ParseRules,
  parseTranslations,
  refused,
  type TranslationsChange,
} from './file-translations.ts'

export interface FileInfo {
  readonly name?: string
  readonly alternativeText?: string | null
  readonly caption?: string | null
  readonly focalPoint?: FocalPoint | null
  readonly private?: boolean
  readonly translations?: TranslationsChange
}

export const FILE_INFO_KEYS = [
  'name',
  'alternativeText',
  'caption',
  'focalPoint',
  'private',
  'translations',
] as const

export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** @throws ValidationError, also for more infos than files */
export function parseFileInfos(
  sent: readonly unknown[],
  rules: ParseRules,
  files = 1,
): readonly FileInfo[] {
  const infos = sent.flatMap((value) => {
    const parsed = typeof value === 'string' ? parseJson(value) : value
    const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
    return list.map((one) => (one === null || one === undefined ? {} : parseFileInfo(one, rules)))
  })
  if (infos.length <= files) return infos
  throw refused(
    'fileInfo',
    `has ${infos.length} entries for ${files} ${files === 1 ? 'file' : 'files'}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new ValidationError('fileInfo: expected JSON', {}, { code: 'invalid_upload' })
    throw error
  }
}

function parseFileInfo(sent: unknown, rules: ParseRules): FileInfo {
  if (!isRecord(sent)) {
    throw new ValidationError(
      'fileInfo: expected an object or a list of objects',
      {},
      { code: 'invalid_upload' },
    )
  }
  rules.assertKeys(Object.keys(sent), FILE_INFO_KEYS, 'fileInfo')
  const { name, alternativeText, caption, focalPoint, private: isPrivate, translations } = sent
  return {
    ...(isGiven(name) && { name: parseName(name) }),
    ...(alternativeText !== undefined && {
      alternativeText: parseFileText('fileInfo.alternativeText', alternativeText),
    }),
    ...(caption !== undefined && { caption: parseFileText('fileInfo.caption', caption) }),
    ...(focalPoint !== undefined && { focalPoint: parseFocalPoint(focalPoint) }),
    ...(isPrivate !== undefined && { private: parsePrivate(isPrivate) }),
    ...(translations !== undefined && { translations: parseTranslations(translations, rules) }),
  }
}

function parsePrivate(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw refused('fileInfo.private', 'must be true or false')
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function parseName(value: unknown): string {
  if (isFileText(value, MAX_NAME)) {
    const name = withoutDirections(value)
    if (name !== '') return name
  }
  throw refused('fileInfo.name', `must be a text of at most ${MAX_NAME} characters`)
}

function parseFocalPoint(value: unknown): FocalPoint | null {
  if (value === null) return null
  if (typeof value === 'object' && 'x' in value && 'y' in value) {
    const { x, y } = value
    if (isPercentage(x) && isPercentage(y)) return { x, y }
  }
  throw refused('fileInfo.focalPoint', 'must be { x, y }, numbers from 0 to 100')
}

function isPercentage(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100
}
