import { expect } from 'chai'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import type { Schema } from '../../src/schema/plan.ts'

describe("the sample's content-types", () => {
  let schema: Schema

  before(async () => {
    schema = await loadSchema('content-types')
  })

  it('load without a fault, all of them', () => {
    const ours = [...schema.contentTypes.keys()].filter((uid) => uid.startsWith('api::'))
    expect(ours).to.have.members([
      'api::article.article',
      'api::category.category',
      'api::city.city',
      'api::country.country',
      'api::currency.currency',
      'api::homepage.homepage',
      'api::language.language',
    ])
    expect([...schema.components.keys()]).to.have.members([
      'geo.location',
      'shared.cta',
      'shared.quote',
      'shared.rich-text',
      'shared.seo',
    ])
  })

  it('give a country its names by locale, and its facts to all locales together', () => {
    const attributes = [...(schema.contentTypes.get('api::country.country')?.attributes ?? [])]
    const localized = attributes.filter(([, { localized }]) => localized).map(([name]) => name)
    expect(localized).to.deep.equal(['name', 'officialName'])
  })
})
