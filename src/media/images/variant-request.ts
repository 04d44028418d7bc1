import { createHmac, timingSafeEqual } from 'node:crypto'
import { ForbiddenError, ValidationError } from '../../base/errors.ts'
import { typeOfExtension } from '../media-types.ts'

export interface VariantRequest {
  readonly width: number | null
  readonly height: number | null
  readonly fit: Fit
  readonly format: VariantFormat | 'original'
  readonly quality: number
}

export interface AskedVariant {
  readonly variant: VariantRequest
  readonly negotiated: boolean
}

export interface VariantRules {
  /** Allowed side lengths, which limit the number of variants. */
  readonly sizes: readonly number[]
  /** If set, only signed requests are accepted, with any size up to `MAX_SIDE`. */
  readonly signingKey: string | null
}

const FITS = ['inside', 'cover', 'contain', 'outside', 'fill'] as const
export type Fit = (typeof FITS)[number]

const VARIANT_FORMATS = ['avif', 'webp', 'jpeg', 'png'] as const
export type VariantFormat = (typeof VARIANT_FORMATS)[number]

const QUALITIES: readonly number[] = [50, 75, 90]
const DEFAULT_QUALITY = 75
const MAX_SIDE = 4096

const PARAMETERS = ['width', 'height', 'fit', 'format', 'quality'] as const

/** Formats without animation. For an animated GIF or WebP they would show the first frame only. */
const STILL: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/tiff'])

/** Returns null without image parameters. @throws ValidationError, ForbiddenError for a wrong signature */
export function parseVariant(
  name: string,
  query: Readonly<Record<string, unknown>>,
  accept: string,
  rules: VariantRules,
): AskedVariant | null {
  const given = PARAMETERS.filter((key) => query[key] !== undefined)
  if (given.length === 0) return null
  const asked = new Map(given.map((key) => [key, singleValue(key, query[key])]))
  if (rules.signingKey !== null) {
    assertSigned(rules.signingKey, name, Object.fromEntries(asked), query['signature'])
  }
  const format = oneOf('format', asked.get('format') ?? 'auto', ['auto', ...VARIANT_FORMATS])
  const variant: VariantRequest = {
    width: sideOf('width', asked.get('width'), rules),
    height: sideOf('height', asked.get('height'), rules),
    fit: oneOf('fit', asked.get('fit') ?? 'inside', FITS),
    format: format === 'auto' ? negotiate(name, accept) : format,
    quality: qualityOf(asked.get('quality')),
  }
  return { variant, negotiated: format === 'auto' }
}

export function isOriginal({ width, height, format, quality }: VariantRequest): boolean {
  const plain = width === null && height === null && format === 'original'
  return plain && quality === DEFAULT_QUALITY
}

/** The stored name of a variant. A hash contains no dash, so no upload has such a name. */
export function variantName(hash: string, ext: string, variant: VariantRequest): string {
  const { width, height, fit, format, quality } = variant
  const suffix = format === 'original' ? ext : `.${format}`
  return `${hash}-${width ?? 0}x${height ?? 0}-${fit}-${quality}${suffix}`
}

export function signVariant(
  key: string,
  name: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const sorted = Object.entries(parameters).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const text = `/uploads/${name}?${new URLSearchParams(sorted).toString()}`
  return createHmac('sha256', key).update(text).digest('base64url')
}

function assertSigned(
  key: string,
  name: string,
  parameters: Readonly<Record<string, string>>,
  signature: unknown,
): void {
  const expected = Buffer.from(signVariant(key, name, parameters))
  const sent = Buffer.from(typeof signature === 'string' ? signature : '')
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    throw new ForbiddenError(
      'The signature does not match the parameters',
      {},
      { code: 'invalid_signature' },
    )
  }
}

function singleValue(key: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new ValidationError(`${key}: expected one value`, {}, { code: 'invalid_query' })
}

function oneOf<T extends string>(key: string, value: string, allowed: readonly T[]): T {
  const known = allowed.find((one) => one === value)
  if (known === undefined)
    throw new ValidationError(
      `${key}: expected one of ${allowed.join(', ')}`,
      {},
      { code: 'invalid_query' },
    )
  return known
}

function sideOf(key: string, value: string | undefined, rules: VariantRules): number | null {
  if (value === undefined) return null
  const side = /^[1-9]\d{0,4}$/.test(value) ? Number(value) : null
  if (rules.signingKey !== null) {
    if (side !== null && side <= MAX_SIDE) return side
    throw new ValidationError(
      `${key}: expected a whole number from 1 to ${MAX_SIDE}`,
      {},
      { code: 'invalid_query' },
    )
  }
  if (side !== null && rules.sizes.includes(side)) return side
  throw new ValidationError(
    `${key}: expected one of ${rules.sizes.join(', ')}`,
    {},
    { code: 'invalid_query' },
  )
}

function qualityOf(value: string | undefined): number {
  if (value === undefined) return DEFAULT_QUALITY
  const quality = QUALITIES.find((one) => String(one) === value)
  if (quality !== undefined) return quality
  throw new ValidationError(
    `quality: expected one of ${QUALITIES.join(', ')}`,
    {},
    { code: 'invalid_query' },
  )
}

function negotiate(name: string, accept: string): VariantRequest['format'] {
  const type = typeOfExtension(/\.\w+$/.exec(name)?.[0] ?? '') ?? ''
  if (type === 'image/avif' || type === 'image/webp') return 'original'
  const accepted = accept.split(',').map((range) => range.trim().split(';'))
  const takes = (wanted: string): boolean =>
    accepted.some(([range, ...parameters]) => range === wanted && !parameters.some(isZero))
  if (STILL.has(type) && takes('image/avif')) return 'avif'
  return takes('image/webp') ? 'webp' : 'original'
}

function isZero(parameter: string): boolean {
  return /^\s*q=0(\.0*)?\s*$/.test(parameter)
}
