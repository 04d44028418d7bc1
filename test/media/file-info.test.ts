import { expect } from 'chai'
import { ValidationError } from '../../src/base/errors.ts'
import { parseFileInfos } from '../../src/media/file-info.ts'

describe('parseFileInfos', () => {
  const rows: readonly (readonly [string, readonly unknown[], readonly object[]])[] = [
    ['one object', ['{"name":"x","caption":null}'], [{ name: 'x', caption: null }]],
    ['a list', ['[{"name":"x"},null]'], [{ name: 'x' }, {}]],
    ['a repeated field', ['{"name":"x"}', '{"name":"y"}'], [{ name: 'x' }, { name: 'y' }]],
    ['what is parsed already', [{ alternativeText: 'a' }], [{ alternativeText: 'a' }]],
    ['a focal point', ['{"focalPoint":{"x":10,"y":20,"z":1}}'], [{ focalPoint: { x: 10, y: 20 } }]],
    ['unknown keys', ['{"folder":1,"hash":"evil","url":"x"}'], [{}]],
    ['an empty name', ['{"name":""}'], [{}]],
    ['nothing', [], []],
  ]
  for (const [what, sent, expected] of rows) {
    it(`takes ${what}`, () => {
      expect(parseFileInfos(sent)).to.deep.equal(expected)
    })
  }

  const refused: readonly (readonly [string, unknown])[] = [
    ['no JSON', '{bad'],
    ['a text', '"x"'],
    ['a name that is no text', { name: 5 }],
    ['a text that is none', { caption: {} }],
    ['a focal point outside', { focalPoint: { x: -1, y: 5 } }],
    ['a focal point without y', { focalPoint: { x: 1 } }],
    ['NUL', { alternativeText: 'a\0b' }],
    ['half a character', '{"name":"a\\ud800b"}'],
    ['half a character in a text', { caption: 'a\udc00' }],
  ]
  for (const [what, sent] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => parseFileInfos([sent])).to.throw(ValidationError)
    })
  }
})
