import { expect } from 'chai'
import { ForbiddenError, ValidationError } from '../../../src/base/errors.ts'
import {
  isOriginal,
  parseVariant,
  signVariant,
  variantName,
  type VariantRequest,
} from '../../../src/media/images/variant-request.ts'
import { thrownBy } from '../../fixtures/errors.ts'

const RULES = { sizes: [64, 640], signingKey: null }
const KEY = 'key-of-the-test-with-enough-letters'

const parse = (
  query: Readonly<Record<string, unknown>>,
  { name = 'cat_0123456789.jpg', accept = '*/*' } = {},
): VariantRequest | null => parseVariant(name, query, accept, RULES)?.variant ?? null

describe('parseVariant', () => {
  it('returns null without image parameters', () => {
    expect(parse({})).to.equal(null)
    expect(parse({ v: '2', download: '1' })).to.equal(null)
  })

  it('reads size, fit, format and quality', () => {
    expect(
      parse({ width: '640', height: '64', fit: 'cover', format: 'png', quality: '90' }),
    ).to.deep.equal({ width: 640, height: 64, fit: 'cover', format: 'png', quality: 90 })
    expect(parse({ width: '64' })).to.deep.equal({
      width: 64,
      height: null,
      fit: 'inside',
      format: 'original',
      quality: 75,
    })
  })

  const refused: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ['a size that is not allowed', { width: '65' }, 'width: expected one of 64, 640'],
    ['a size that is not a number', { height: '64px' }, 'height: expected one of 64, 640'],
    ['an empty size', { width: '' }, 'width: expected one of 64, 640'],
    ['two sizes', { width: ['64', '640'] }, 'width: expected one value'],
    ['an object', { fit: { $ne: 'cover' } }, 'fit: expected one value'],
    [
      'an unknown fit',
      { fit: 'crop' },
      'fit: expected one of inside, cover, contain, outside, fill',
    ],
    ['an unknown format', { format: 'bmp' }, 'format: expected one of auto, avif, webp, jpeg, png'],
    ['an unknown quality', { quality: '76' }, 'quality: expected one of 50, 75, 90'],
  ]
  for (const [label, query, message] of refused) {
    it(`refuses ${label}`, () => {
      const error = thrownBy(() => parse(query))
      expect(error).to.be.instanceOf(ValidationError)
      expect(error.message).to.equal(message)
    })
  }

  const BROWSER = 'image/avif,image/webp,image/apng,image/*,*/*;q=0.8'
  const negotiated: readonly (readonly [string, string, string])[] = [
    ['a.jpg', BROWSER, 'avif'],
    ['a.png', BROWSER, 'avif'],
    ['a.png', 'image/webp,*/*', 'webp'],
    ['a.png', 'image/avif;q=0, image/webp;q=0.5', 'webp'],
    ['a.png', 'image/*', 'original'],
    ['a.png', '*/*', 'original'],
    ['a.png', '', 'original'],
    ['a.gif', BROWSER, 'webp'], // may be animated, which our AVIF output does not support
    ['a.webp', BROWSER, 'original'],
    ['a.avif', 'image/webp', 'original'],
  ]
  for (const [name, accept, format] of negotiated) {
    it(`chooses ${format} for ${name} and "${accept}"`, () => {
      expect(parse({ width: '64' }, { name, accept })?.format).to.equal(format)
      const asked = parseVariant(name, { width: '64', format: 'png' }, accept, RULES)
      expect([asked?.variant.format, asked?.negotiated]).to.deep.equal(['png', false])
    })
  }

  it('recognizes a request for the original', () => {
    const plain = parse({ format: 'auto' })
    expect(plain !== null && isOriginal(plain)).to.equal(true)
    const smaller = parse({ format: 'auto', quality: '50' })
    expect(smaller !== null && isOriginal(smaller)).to.equal(false)
  })

  it('stores each variant under its own name', () => {
    const names = [{ width: '64' }, { height: '64' }, { width: '64', format: 'webp' }].map(
      (query) => {
        const variant = parse(query)
        return variant === null ? null : variantName('cat_01', '.jpg', variant)
      },
    )
    expect(names).to.deep.equal([
      'cat_01-64x0-inside-75.jpg',
      'cat_01-0x64-inside-75.jpg',
      'cat_01-64x0-inside-75.webp',
    ])
  })
})

describe('with a key', () => {
  const rules = { sizes: [64], signingKey: KEY }
  const name = 'cat_0123456789.jpg'
  const ask = (query: Readonly<Record<string, unknown>>): unknown =>
    parseVariant(name, query, '', rules)?.variant.width

  it('accepts any signed size', () => {
    const parameters = { width: '333', fit: 'cover' }
    const signature = signVariant(KEY, name, parameters)
    expect(ask({ ...parameters, signature })).to.equal(333)
    expect(ask({ fit: 'cover', width: '333', signature, v: '2' })).to.equal(333)
    const huge = { width: '4097' }
    const signed = { ...huge, signature: signVariant(KEY, name, huge) }
    expect(thrownBy(() => ask(signed)).message).to.include('from 1 to 4096')
  })

  it('refuses missing and wrong signatures', () => {
    const signature = signVariant(KEY, name, { width: '64' })
    const attempts: readonly Readonly<Record<string, unknown>>[] = [
      { width: '64' },
      { width: '64', signature: '' },
      { width: '64', signature: [signature] },
      { width: '65', signature },
      { width: '64', quality: '50', signature },
      { width: '64', signature: signVariant('another-key-of-the-test', name, { width: '64' }) },
      { width: '64', signature: signVariant(KEY, 'dog_0123456789.jpg', { width: '64' }) },
    ]
    for (const query of attempts) {
      expect(
        thrownBy(() => ask(query)),
        JSON.stringify(query),
      ).to.be.instanceOf(ForbiddenError)
    }
  })

  it('does not require a signature for originals', () => {
    expect(parseVariant(name, { v: '1' }, '', rules)).to.equal(null)
  })
})
