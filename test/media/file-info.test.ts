import { expect } from 'chai'
import { ValidationError } from '../../src/base/errors.ts'
import { parseFileInfos } from '../../src/media/file-info.ts'

describe('parseFileInfos', () => {
  const rows: readonly (readonly [string, readonly unknown[], readonly object[]])[] = [
    ['one object', ['{"name":"x","caption":null}'], [{ name: 'x', caption: null }]],
    ['a list', ['[{"name":"x"},null]'], [{ name: 'x' }, {}]],
    ['a repeated field', ['{"name":"x"}', '{"name":"y"}'], [{ name: 'x' }, { name: 'y' }]],
    ['a parsed object', [{ alternativeText: 'a' }], [{ alternativeText: 'a' }]],
    ['a focal point', ['{"focalPoint":{"x":10,"y":20,"z":1}}'], [{ focalPoint: { x: 10, y: 20 } }]],
    ['unknown keys', ['{"folder":1,"hash":"evil","url":"x"}'], [{}]],
    ['an empty name', ['{"name":""}'], [{}]],
    ['no fields', [], []],
  ]
  for (const [label, sent, expected] of rows) {
    it(`accepts ${label}`, () => {
      expect(parseFileInfos(sent)).to.deep.equal(expected)
    })
  }

  const refused: readonly (readonly [string, unknown])[] = [
    ['invalid JSON', '{bad'],
    ['a text', '"x"'],
    ['a name that is not text', { name: 5 }],
    ['a caption that is not text', { caption: {} }],
    ['a focal point outside the image', { focalPoint: { x: -1, y: 5 } }],
    ['a focal point without y', { focalPoint: { x: 1 } }],
    ['NUL', { alternativeText: 'a\0b' }],
    ['an unpaired surrogate', '{"name":"a\\ud800b"}'],
    ['an unpaired surrogate in a caption', { caption: 'a\udc00' }],
  ]
  for (const [label, sent] of refused) {
    it(`refuses ${label}`, () => {
      expect(() => parseFileInfos([sent])).to.throw(ValidationError)
    })
  }
})
