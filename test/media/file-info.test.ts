import { expect } from 'chai'
import { ValidationError } from '../../src/base/errors.ts'
import { FILE_INFO_KEYS, parseFileInfos } from '../../src/media/file-info.ts'
import type { ParseRules } from '../../src/media/file-translations.ts'

const LENIENT: ParseRules = {
  locales: { has: (code) => ['en', 'de', 'pt-BR'].includes(code) },
  assertKeys: () => undefined,
}

describe('parseFileInfos', () => {
  const rows: readonly (readonly [string, readonly unknown[], readonly object[]])[] = [
    ['one object', ['{"name":"x","caption":null}'], [{ name: 'x', caption: null }]],
    ['a list', ['[{"name":"x"},null]'], [{ name: 'x' }, {}]],
    ['a repeated field', ['{"name":"x"}', '{"name":"y"}'], [{ name: 'x' }, { name: 'y' }]],
    ['a parsed object', [{ alternativeText: 'a' }], [{ alternativeText: 'a' }]],
    ['a focal point', ['{"focalPoint":{"x":10,"y":20,"z":1}}'], [{ focalPoint: { x: 10, y: 20 } }]],
    ['unknown keys', ['{"folder":1,"hash":"evil","url":"x"}'], [{}]],
    ['an empty name', ['{"name":""}'], [{}]],
    ['a name that disguises its extension', [{ name: 'a\u202Egpj.exe' }], [{ name: 'agpj.exe' }]],
    ['no fields', [], []],
    [
      'texts by locale',
      [{ translations: { de: { alternativeText: 'Gipfel', x: 1 }, 'pt-BR': { caption: null } } }],
      [{ translations: { de: { alternativeText: 'Gipfel' }, 'pt-BR': { caption: null } } }],
    ],
    [
      'removals of texts',
      ['{"translations":{"de":null,"en":{"caption":""}}}', '{"translations":null}'],
      [{ translations: { de: null, en: { caption: '' } } }, { translations: null }],
    ],
  ]
  for (const [label, sent, expected] of rows) {
    it(`accepts ${label}`, () => {
      expect(parseFileInfos(sent, LENIENT, expected.length)).to.deep.equal(expected)
    })
  }

  it('refuses more entries than files', () => {
    const parse = (files: number) => () => parseFileInfos(['[{}, null]', '{}'], LENIENT, files)
    expect(parse(3)).to.not.throw()
    expect(parse(2)).to.throw(ValidationError, 'fileInfo has 3 entries for 2 files')
    expect(parse(1)).to.throw(ValidationError, 'fileInfo has 3 entries for 1 file')
  })

  const refused: readonly (readonly [string, unknown])[] = [
    ['invalid JSON', '{bad'],
    ['a text', '"x"'],
    ['a name of invisible characters', '{"name":"\u202E\u2066"}'],
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
      expect(() => parseFileInfos([sent], LENIENT)).to.throw(ValidationError)
    })
  }

  const named: readonly (readonly [string, unknown, string])[] = [
    ['an unknown locale', { fr: { caption: 'x' } }, 'fileInfo.translations names fr'],
    ['a name of every object', { constructor: {} }, 'fileInfo.translations names constructor'],
    ['a list', [], 'fileInfo.translations must be'],
    ['a text without a locale', 'x', 'fileInfo.translations must be'],
    ['a text in place of texts', { de: 'x' }, 'fileInfo.translations.de must be'],
    ['a number', { de: { caption: 5 } }, 'fileInfo.translations.de.caption must be'],
    [
      'a long text',
      { 'pt-BR': { alternativeText: 'x'.repeat(10_001) } },
      'fileInfo.translations.pt-BR.alternativeText must be a text of at most 10000 characters',
    ],
    ['NUL', { de: { caption: 'a\0b' } }, 'fileInfo.translations.de.caption must be'],
  ]
  for (const [label, translations, message] of named) {
    it(`names the path of ${label} among translations`, () => {
      expect(() => parseFileInfos([{ translations }], LENIENT)).to.throw(ValidationError, message)
    })
  }

  it('reports the keys of each part with the known ones', () => {
    const parts: [readonly string[], string, readonly string[]][] = []
    const sent = { name: 'x', evil: 1, translations: { de: { caption: 'a', title: 'b' } } }
    parseFileInfos([sent], {
      ...LENIENT,
      assertKeys: (keys, known, within) => parts.push([keys, within, known]),
    })
    expect(parts).to.deep.equal([
      [['name', 'evil', 'translations'], 'fileInfo', FILE_INFO_KEYS],
      [['caption', 'title'], 'fileInfo.translations.de', ['alternativeText', 'caption']],
    ])
  })
})
