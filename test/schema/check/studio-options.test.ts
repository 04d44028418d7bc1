import { expect } from 'chai'
import * as fc from 'fast-check'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { isRecord } from '../../../src/base/is-record.ts'
import { componentFile, define, typeFile } from '../define.ts'

const KIND = { type: 'enumeration', enum: ['video', 'text'] }

function faultsOf(studio: unknown, more: Readonly<Record<string, object>> = {}): readonly string[] {
  try {
    define(typeFile('article', { kind: KIND, ...more, title: { type: 'string', studio } }))
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.faults.map((fault) =>
      fault.replace('content-types/article.json: attributes.title.', ''),
    )
  }
}

describe('the options of an attribute for the Studio', () => {
  it('are kept as declared', () => {
    const studio = {
      label: { en: 'Heading', de: 'Überschrift' },
      description: 'Shown above the text',
      placeholder: { de: 'Ein Titel' },
      group: { en: 'Texts', de: 'Texte' },
      width: 'half',
      visibleWhen: { $or: [{ kind: 'video' }, { $not: { kind: { $in: ['text'] } } }] },
    }
    const [type] = define(
      typeFile('article', { kind: KIND, title: { type: 'string', studio } }),
    ).contentTypes
    expect(type?.attributes['title']?.studio).to.deep.equal(studio)
  })

  it('are kept in components', () => {
    const studio = { label: 'Size', visibleWhen: { wide: true } }
    const attributes = { wide: { type: 'boolean' }, size: { type: 'integer', studio } }
    const { components } = define(componentFile('shared.box', attributes))
    expect(components[0]?.attributes['size']?.studio).to.deep.equal(studio)
  })

  const rows: readonly (readonly [name: string, studio: unknown, fault: string])[] = [
    ['an unknown option', { lable: 'A' }, 'studio.lable: no such option; did you mean label?'],
    ['no object', 'Title', 'studio: must be of type object'],
    [
      'an unknown language',
      { label: { en: 'A', fr: 'A' } },
      'studio.label: must be a text of at most 500 characters, or an object with texts for en, de',
    ],
    [
      'an empty text',
      { description: ' ' },
      'studio.description: must be a text of at most 500 characters, or an object with texts for en, de',
    ],
    ['an unknown width', { width: 'third' }, 'studio.width: must be one of full, half'],
    [
      'names of values that are no enumeration',
      { values: { a: 'A' } },
      'studio.values.a: a is no value of this attribute',
    ],
    [
      'a condition on a missing attribute',
      { visibleWhen: { kint: 'video' } },
      'studio.visibleWhen.kint: no attribute kint; did you mean kind?',
    ],
    [
      'a condition with an unknown operator',
      { visibleWhen: { kind: { $equal: 'video' } } },
      'studio.visibleWhen.kind.$equal: no such option',
    ],
    [
      'a condition with another value than the enumeration has',
      { visibleWhen: { kind: { $in: ['video', 'sound'] } } },
      'studio.visibleWhen.kind.$in: $in does not fit the attribute kind',
    ],
    [
      'an order of values without order',
      { visibleWhen: { kind: { $gt: 'text' } } },
      'studio.visibleWhen.kind.$gt: $gt does not fit the attribute kind',
    ],
    [
      'an empty condition',
      { visibleWhen: {} },
      'studio.visibleWhen: must be a condition on attributes next to it, such as { "kind": { "$eq": "video" } }',
    ],
  ]
  for (const [name, studio, fault] of rows) {
    it(`refuse ${name}`, () => {
      expect(faultsOf(studio)).to.deep.equal([fault])
    })
  }

  it('take names for values of an enumeration only', () => {
    const studio = { values: { text: { en: 'Text', de: 'Text' }, sound: 'Sound' } }
    const faults = faultsOf(undefined, { other: { ...KIND, studio } })
    expect(faults).to.deep.equal([
      'content-types/article.json: attributes.other.studio.values.sound: sound is no value of this attribute',
    ])
  })

  it('refuse passwords and components in comparisons', () => {
    const attributes = { secret: { type: 'password' }, cover: { type: 'media' } }
    const conditions = { $and: [{ secret: { $null: true } }, { cover: 1 }] }
    expect(faultsOf({ visibleWhen: conditions }, attributes)).to.have.length(2)
    expect(faultsOf({ visibleWhen: { cover: { $notNull: true } } }, attributes)).to.deep.equal([])
  })

  it('are refused or kept, whatever JSON they are', () => {
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(null, true, 0, '', 'video', 'half'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom('label', 'visibleWhen', 'values', 'kind', '$and', '$not', '$eq', 'en'),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    })).value
    fc.assert(
      fc.property(json, (studio) => {
        const faults = faultsOf(studio)
        if (!isRecord(studio)) expect(faults).to.have.length(1)
        for (const fault of faults) expect(fault).to.match(/^studio/)
      }),
    )
  })
})
