import { ValidationError } from '../base/errors.ts'
import { MAX_NAME } from './file-name.ts'

export interface FileInfo {
  readonly name?: string
  readonly alternativeText?: string | null
  readonly caption?: string | null
  readonly focalPoint?: FocalPoint | null
  readonly private?: boolean
}

export const FILE_INFO_KEYS = [
  'name',
  'alternativeText',
  'caption',
  'focalPoint',
  'private',
] as const

type AssertKeys = (keys: readonly string[]) => void

export interface FocalPoint {
  readonly x: number
  readonly y: number
}

const MAX_TEXT = 10_000

/** Unknown keys are ignored, unless `assertKeys` refuses them. @throws ValidationError */
export function parseFileInfos(
  sent: readonly unknown[],
  assertKeys: AssertKeys = () => undefined,
): readonly FileInfo[] {
  return sent.flatMap((value) => {
    const parsed = typeof value === 'string' ? parseJson(value) : value
    const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
    return list.map((one) =>
      one === null || one === undefined ? {} : parseFileInfo(one, assertKeys),
    )
  })
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

function parseFileInfo(sent: unknown, assertKeys: AssertKeys): FileInfo {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    throw new ValidationError(
      'fileInfo: expected an object or a list of objects',
      {},
      { code: 'invalid_upload' },
    )
  }
  assertKeys(Object.keys(sent))
  const given = sent as Readonly<Record<string, unknown>>
  const { name, alternativeText, caption, focalPoint, private: isPrivate } = given
  return {
    ...(isGiven(name) && { name: parseName(name) }),
    ...(alternativeText !== undefined && {
      alternativeText: parseText('alternativeText', alternativeText),
    }),
    ...(caption !== undefined && { caption: parseText('caption', caption) }),
    ...(focalPoint !== undefined && { focalPoint: parseFocalPoint(focalPoint) }),
    ...(isPrivate !== undefined && { private: parsePrivate(isPrivate) }),
  }
}

function parsePrivate(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new ValidationError(
    'fileInfo.private must be true or false',
    {},
    { code: 'invalid_upload' },
  )
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function parseName(value: unknown): string {
  if (isText(value, MAX_NAME)) return value
  throw new ValidationError(
    `fileInfo.name must be a text of at most ${MAX_NAME} characters`,
    {},
    { code: 'invalid_upload' },
  )
}

function parseText(key: string, value: unknown): string | null {
  if (value === null) return null
  if (isText(value, MAX_TEXT)) return value
  throw new ValidationError(
    `fileInfo.${key} must be a text of at most ${MAX_TEXT} characters`,
    {},
    { code: 'invalid_upload' },
  )
}

/** NUL and unpaired surrogates would not be stored unchanged. */
function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength && !/[\0\p{Surrogate}]/u.test(value)
}

function parseFocalPoint(value: unknown): FocalPoint | null {
  if (value === null) return null
  if (typeof value === 'object' && 'x' in value && 'y' in value) {
    const { x, y } = value
    if (isPercentage(x) && isPercentage(y)) return { x, y }
  }
  throw new ValidationError(
    'fileInfo.focalPoint must be { x, y }, numbers from 0 to 100',
    {},
    { code: 'invalid_upload' },
  )
}

function isPercentage(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100
}
