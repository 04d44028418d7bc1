import { expect } from 'chai'
import { withLocaleCode } from '../../../src/people/rules/locale-in-rule.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { component, contentType } from '../../fixtures/definitions.ts'

const CODES = { from: 'gsw', to: 'de-CH' }
const LOCALIZED = { localized: true, draftAndPublish: false }

describe('withLocaleCode', () => {
  const schema = compileSchema({
    contentTypes: [
      contentType('page', LOCALIZED, {
        title: { type: 'string' },
        data: { type: 'json' },
        part: { type: 'component', component: 'shared.part' },
        parent: { type: 'relation', relation: 'manyToOne', target: 'api::page.page' },
      }),
    ],
    components: [component('shared.part', { locale: { type: 'string' } })],
  })
  const renamed = (where: object, action = 'api::page.page.find'): unknown => {
    const row = { action, where: JSON.stringify(where) }
    const after = withLocaleCode(schema, row, CODES)
    if (after.where === row.where) expect(after).to.equal(row)
    return JSON.parse(after.where ?? '')
  }

  it('replaces operands on the locale, also of related entries', () => {
    expect(
      renamed({
        $or: [{ locale: 'gsw' }, { locale: { $in: ['fr', 'gsw'] } }],
        $not: { parent: { locale: { $eq: 'gsw' } } },
      }),
    ).to.deep.equal({
      $or: [{ locale: 'de-CH' }, { locale: { $in: ['fr', 'de-CH'] } }],
      $not: { parent: { locale: { $eq: 'de-CH' } } },
    })
  })

  it('keeps other operands', () => {
    const where = {
      title: { $eq: 'gsw' },
      part: { locale: 'gsw' },
      data: { $eq: { locale: 'gsw' } },
      unknown: { locale: 'gsw' },
    }
    expect(renamed(where)).to.deep.equal(where)
    const row = { action: 'api::page.page.find', fields: ['title'] }
    expect(withLocaleCode(schema, row, CODES)).to.equal(row)
  })

  it('replaces the locale in rules of content-types that are not declared', () => {
    const where = { $or: [{ locale: { $ne: 'gsw' } }], title: 'gsw' }
    expect(renamed(where, 'api::gone.gone.find')).to.deep.equal({
      $or: [{ locale: { $ne: 'de-CH' } }],
      title: 'gsw',
    })
  })
})
