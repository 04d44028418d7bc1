import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Attributes, Components } from '../../src/api/attributes.ts'
import { readClip, toClip } from '../../src/entry/component-clip.ts'
import {
  type ComponentValue,
  isComponentValue,
  KeyRing,
  type Reading,
  toFormValues,
} from '../../src/entry/values.ts'
import { ARTICLE, ENTRY, links, reading } from './samples.ts'

const ZONE = { type: 'dynamiczone', components: ['shared.quote', 'shared.cta'] } as const
const QUOTE = { type: 'component', component: 'shared.quote' } as const

/** Without keys and ids. */
function contentOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(contentOf)
  if (!isComponentValue(value)) return value
  const { $key: _key, id: _id, ...rest } = value
  return Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, contentOf(one)]))
}

function keysIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn)
  return isComponentValue(value) ? [value.$key, ...Object.values(value).flatMap(keysIn)] : []
}

const FIELDS: Attributes = {
  text: { type: 'string' },
  count: { type: 'integer' },
  isOn: { type: 'boolean' },
  kind: { type: 'enumeration', enum: ['a', 'b'] },
  secret: { type: 'password' },
  fixed: { type: 'string', writable: false },
  file: { type: 'media' },
  link: { type: 'relation', relation: 'manyToOne', target: 'api::a.a' },
}
const COMPONENTS = new Map([
  ['x.y', { uid: 'x.y', displayName: 'Y', attributes: FIELDS }],
]) as Components

function fields(): Reading {
  return { components: COMPONENTS, keys: new KeyRing('new'), titleFieldOf: () => null }
}

const FILE = { id: 1, documentId: 'f', name: 'f.png', mime: 'image/png', url: '/uploads/f.png' }

function paste(value: object, uid = 'x.y'): ComponentValue | null {
  const attribute = { type: 'component', component: 'x.y' } as const
  return readClip(JSON.stringify({ 'quire.component': uid, value }), attribute, fields())
}

describe('components in the clipboard', () => {
  it('keep their content, with new keys', () => {
    fc.assert(
      fc.property(ENTRY, (entry) => {
        const values = toFormValues(ARTICLE, entry, reading())
        for (const one of values['sections'] as readonly ComponentValue[]) {
          const pasted = readClip(toClip(String(one.__component), one), ZONE, reading())
          expect(contentOf(pasted)).to.deep.equal(contentOf(one))
          expect(keysIn(pasted)).to.not.include.any.members([...keysIn(one)])
          expect(pasted).to.not.have.property('id')
        }
      }),
    )
  })

  it('fit lists and zones of their type only', () => {
    const quote: ComponentValue = {
      $key: 'k',
      text: 'a',
      source: null,
      countries: links('de'),
    }
    const clip = toClip('shared.quote', quote)
    expect(readClip(clip, QUOTE, reading()))
      .to.include({ text: 'a' })
      .and.not.have.property('id')
    expect(readClip(clip, ZONE, reading())).to.include({ __component: 'shared.quote' })
    const other = { ...ZONE, components: ['shared.cta'] }
    expect(readClip(clip, other, reading())).to.equal(null)
    expect(readClip(toClip('shared.gone', quote), ZONE, reading())).to.equal(null)
  })

  it('leave passwords and read-only values behind', () => {
    const pasted = paste({ text: 'a', secret: 'b', fixed: 'c', file: [FILE] })
    expect(pasted).to.include({ text: 'a', secret: null, fixed: null })
    expect(pasted?.['file']).to.deep.equal([{ ...FILE, alternativeText: null }])
  })

  const HOSTILE: readonly (readonly [string, object])[] = [
    ['unknown attributes', { gone: 'a' }],
    ['own prototypes', JSON.parse('{"__proto__": {"text": "a"}}') as object],
    ['a number as text', { text: 1 }],
    ['an object as text', { text: { a: 1 } }],
    ['a text as boolean', { isOn: 'true' }],
    ['unknown values of an enumeration', { kind: 'c' }],
    ['files with a script as address', { file: [{ ...FILE, url: 'javascript:alert(1)' }] }],
    ['files of another host without a protocol', { file: [{ ...FILE, url: '//example.org' }] }],
    ['thumbnails with data', { file: [{ ...FILE, formats: { thumbnail: { url: 'data:x' } } }] }],
    ['several files in place of one', { file: [FILE, FILE] }],
    ['files without an id', { file: [{ ...FILE, id: 'a' }] }],
    ['several links in place of one', { link: links('a', 'b') }],
    ['links that were read in part', { link: { items: [], more: true } }],
    ['links without an id', { link: { items: [{ title: 'a' }], more: false } }],
  ]
  for (const [name, value] of HOSTILE) {
    it(`are refused with ${name}`, () => {
      expect(paste(value)).to.equal(null)
    })
  }

  it('ignore any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readClip(text, ZONE, reading())).to.equal(null)
      }),
    )
    const long = JSON.stringify({
      'quire.component': 'x.y',
      value: { text: 'a'.repeat(1_000_000) },
    })
    expect(readClip(long, { type: 'component', component: 'x.y' }, fields())).to.equal(null)
  })
})
