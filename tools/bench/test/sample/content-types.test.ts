import { expect } from 'chai'
import { loadSchema } from '../../../../src/server/services/load-schema.ts'
import type { Schema } from '../../../../src/schema/plan.ts'

describe('the content-types of the sample', () => {
  let schema: Schema

  before(async () => {
    schema = await loadSchema('content-types')
  })

  it('load without a fault', () => {
    const ours = [...schema.contentTypes.keys()].filter((uid) => uid.startsWith('api::'))
    expect(ours).to.have.members([
      'api::article.article',
      'api::category.category',
      'api::city.city',
      'api::country.country',
      'api::currency.currency',
      'api::homepage.homepage',
      'api::language.language',
      'api::list.list',
      'api::note.note',
    ])
    expect([...schema.components.keys()]).to.have.members([
      'shared.cta',
      'shared.item',
      'shared.quote',
      'shared.rich-text',
      'shared.seo',
    ])
  })

  it('give a country one name per locale, and common facts', () => {
    const attributes = [...(schema.contentTypes.get('api::country.country')?.attributes ?? [])]
    const localized = attributes.filter(([, { localized }]) => localized).map(([name]) => name)
    expect(localized).to.deep.equal(['name', 'officialName'])
  })
})
