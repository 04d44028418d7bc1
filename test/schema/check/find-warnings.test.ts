import { expect } from 'chai'
import { define, typeFile } from '../define.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const SHARED = { pluginOptions: { i18n: { localized: false } } }
const TITLE = { type: 'string' }
const SLUG = { type: 'uid' }
const PARENT = { type: 'relation', relation: 'oneToOne', target: 'api::note.note' }

describe('warnings about a content-type with locales', () => {
  const warnings = (attributes: Readonly<Record<string, object>>, options: object = LOCALIZED) =>
    define(typeFile('note', attributes, options)).warnings ?? []

  const warned: readonly [string, Readonly<Record<string, object>>][] = [
    ['says nothing', { title: TITLE }],
    ['says so of none', { title: TITLE, views: { type: 'integer', ...SHARED } }],
    ['leaves it to relations and uids', { title: TITLE, slug: SLUG, parent: PARENT }],
    ['has nothing but JSON', { extra: { type: 'json' } }],
  ]
  for (const [what, attributes] of warned) {
    it(`are given where it ${what}`, () => {
      const [warning, ...others] = warnings(attributes)
      expect(warning).to.match(
        /^content-types\/note\.json: pluginOptions\.i18n\.localized: .*"localized": true/,
      )
      expect(others).to.deep.equal([])
    })
  }

  const fine: readonly [string, Readonly<Record<string, object>>, object?][] = [
    ['an attribute is localized', { title: { ...TITLE, ...LOCALIZED }, body: TITLE }],
    ['all are shared on purpose', { title: { ...TITLE, ...SHARED }, slug: SLUG }],
    ['there are relations and uids alone', { slug: SLUG, parent: PARENT }],
    ['there are no locales', { title: TITLE }, {}],
  ]
  for (const [what, attributes, options] of fine) {
    it(`are not given where ${what}`, () => {
      expect(warnings(attributes, options)).to.deep.equal([])
    })
  }
})
