import { expect } from 'chai'
import * as fc from 'fast-check'
import type { DeclaredFile, Json } from '../../src/api/declarations.ts'
import { isMet } from '../../src/fields/condition.ts'
import { changesOf } from '../../src/screens/declare/changes.ts'
import { type Draft, draftOf } from '../../src/screens/declare/draft.ts'

const UID = 'api::page.page'
const VALUES = ['draft', 'open', 'done']

const fileWith = (visibleWhen: object): DeclaredFile => ({
  uid: UID,
  kind: 'contentType',
  content: {
    attributes: {
      level: { type: 'enumeration', enum: VALUES },
      other: { type: 'enumeration', enum: VALUES },
      note: { type: 'string', studio: { visibleWhen } },
    },
  },
})

interface Edit {
  readonly name: string
  readonly values: readonly string[]
}

function saved(file: DeclaredFile, edits: Readonly<Record<string, Edit>>): Json {
  const draft = draftOf(file)
  const attributes = draft.attributes.map((attribute): Draft['attributes'][number] => {
    const edit = edits[attribute.name]
    if (edit === undefined) return attribute
    const { name, values } = edit
    return { ...attribute, name, options: { ...attribute.options, enum: values } }
  })
  return changesOf({ ...draft, attributes }, [file])[UID]?.['attributes'] as Json
}

const conditionIn = (attributes: Json): Json =>
  (attributes['note'] as { readonly studio: { readonly visibleWhen: Json } }).studio.visibleWhen

describe('a condition in a saved declaration', () => {
  it('follows renamed attributes and values', () => {
    const file = fileWith({ level: { $in: ['open', 'done'] }, $not: { other: 'draft' } })
    const edits = {
      level: { name: 'state', values: ['draft', 'public', 'done'] },
      other: { name: 'level', values: ['new', 'open', 'done'] },
    }
    expect(conditionIn(saved(file, edits))).to.deep.equal({
      state: { $in: ['public', 'done'] },
      $not: { level: 'new' },
    })
  })

  it('keeps the name of a removed value, which the server reports', () => {
    const edits = { level: { name: 'level', values: ['draft', 'done'] } }
    const condition = { level: 'open' }
    expect(conditionIn(saved(fileWith(condition), edits))).to.deep.equal(condition)
  })

  it('is met by the renamed entry if the former condition is met by the entry', () => {
    const value = fc.constantFrom(...VALUES)
    const comparison = fc.oneof(
      value,
      fc.record({ $eq: value }),
      fc.record({ $ne: value }),
      fc.record({ $in: fc.array(value, { maxLength: 3 }) }),
      fc.record({ $notIn: fc.array(value, { maxLength: 3 }) }),
      fc.record({ $null: fc.boolean() }),
    )
    const { condition } = fc.letrec<{ readonly condition: Json }>((tie) => ({
      condition: fc.oneof(
        { depthSize: 'small' },
        fc.record({ level: comparison, other: comparison }, { requiredKeys: [] }),
        fc.record({ $not: tie('condition') }),
        fc.record({ $and: fc.array(tie('condition'), { maxLength: 2 }) }),
        fc.record({ $or: fc.array(tie('condition'), { maxLength: 2 }) }),
      ),
    }))
    const names = fc.constantFrom(
      ['level', 'other'],
      ['other', 'level'],
      ['a', 'b'],
      ['a', 'level'],
    )
    const edited = fc.uniqueArray(fc.constantFrom('x', 'y', 'z', ...VALUES), {
      minLength: 3,
      maxLength: 3,
    })
    const entry = fc.record({ level: fc.option(value), other: fc.option(value) })
    let met = 0
    fc.assert(
      fc.property(
        condition,
        names,
        edited,
        entry,
        (given, [level = '', other = ''], values, has) => {
          // Each value is renamed in its line, unless it stays elsewhere.
          fc.pre(values.every((one, line) => one === VALUES[line] || !VALUES.includes(one)))
          const edits = { level: { name: level, values }, other: { name: other, values } }
          const after = conditionIn(saved(fileWith(given), edits))
          const now = (one: string | null) => (one === null ? null : values[VALUES.indexOf(one)])
          const renamed: Json = { [level]: now(has.level), [other]: now(has.other) }
          const wasMet = isMet(given, (name) => has[name as 'level'])
          expect(isMet(after, (name) => renamed[name])).to.equal(wasMet)
          met += wasMet ? 1 : 0
        },
      ),
      { numRuns: 300 },
    )
    expect(met).to.be.above(20)
  })
})
