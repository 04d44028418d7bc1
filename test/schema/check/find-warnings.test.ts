import { expect } from 'chai'
import { define, typeFile } from '../define.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const SHARED = { pluginOptions: { i18n: { localized: false } } }
const TITLE = { type: 'string' }
const SLUG = { type: 'uid' }
const PARENT = { type: 'relation', relation: 'oneToOne', target: 'api::note.note' }

describe('warnings about a localized content-type', () => {
  const warnings = (attributes: Readonly<Record<string, object>>, options: object = LOCALIZED) =>
    define(typeFile('note', attributes, options)).warnings ?? []

  const warned: readonly [string, Readonly<Record<string, object>>][] = [
    ['no attribute declares a localization', { title: TITLE }],
    ['no attribute is declared localized', { title: TITLE, views: { type: 'integer', ...SHARED } }],
    ['only relations and uids are localized', { title: TITLE, slug: SLUG, parent: PARENT }],
    ['its only attribute is JSON', { extra: { type: 'json' } }],
  ]
  for (const [label, attributes] of warned) {
    it(`appear if ${label}`, () => {
      const [warning, ...others] = warnings(attributes)
      expect(warning).to.match(
        /^content-types\/note\.json: pluginOptions\.i18n\.localized: .*"localized": true/,
      )
      expect(others).to.deep.equal([])
    })
  }

  const fine: readonly [string, Readonly<Record<string, object>>, object?][] = [
    ['an attribute is localized', { title: { ...TITLE, ...LOCALIZED }, body: TITLE }],
    ['all attributes are declared shared', { title: { ...TITLE, ...SHARED }, slug: SLUG }],
    ['it has only relations and uids', { slug: SLUG, parent: PARENT }],
    ['the type is not localized', { title: TITLE }, {}],
  ]
  for (const [label, attributes, options] of fine) {
    it(`do not appear if ${label}`, () => {
      expect(warnings(attributes, options)).to.deep.equal([])
    })
  }
})
