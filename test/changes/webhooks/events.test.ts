import { expect } from 'chai'
import { changedContent, eventOf, wants } from '../../../src/changes/webhooks/events.ts'

const ARTICLE = 'api::article.article'
const WITH_DRAFTS = { draftAndPublish: true }
const WITHOUT = { draftAndPublish: false }

describe('eventOf', () => {
  const rows = [
    ['a new draft', 'draft put new', WITH_DRAFTS, 'entry.create'],
    ['a changed draft', 'draft put', WITH_DRAFTS, 'entry.update'],
    ['a removed draft', 'draft delete', WITH_DRAFTS, 'entry.delete'],
    ['a first publication', 'published put new', WITH_DRAFTS, 'entry.publish'],
    ['a repeated publication', 'published put', WITH_DRAFTS, 'entry.publish'],
    ['an unpublished entry', 'published delete', WITH_DRAFTS, 'entry.unpublish'],
    ['a new entry', 'published put new', WITHOUT, 'entry.create'],
    ['a changed entry', 'published put', WITHOUT, 'entry.update'],
    ['a removed entry', 'published delete', WITHOUT, 'entry.delete'],
  ] as const

  for (const [label, change, plan, expected] of rows) {
    it(`returns ${expected} for ${label}`, () => {
      const [status, op, isNew] = change.split(' ') as ['draft', 'put', 'new'?]
      const item = { type: ARTICLE, status, op, ...(isNew === 'new' && { isNew: true as const }) }
      expect(eventOf(item, plan)).to.equal(expected)
    })
  }

  it('returns media events for files', () => {
    const file = { type: 'plugin::upload.file', status: 'published' } as const
    expect(eventOf({ ...file, op: 'put', isNew: true }, WITHOUT)).to.equal('media.create')
    expect(eventOf({ ...file, op: 'put' }, WITHOUT)).to.equal('media.update')
    expect(eventOf({ ...file, op: 'delete' }, WITHOUT)).to.equal('media.delete')
  })

  it('returns entry.review for a review of a content-type', () => {
    const item = {
      type: 'admin::review',
      documentId: 'a',
      locale: 'en',
      status: 'published',
      op: 'put',
      revision: null,
    } as const
    const changed = changedContent({ ...item, entryType: ARTICLE })
    expect(changed).to.include({ type: ARTICLE, status: 'draft' })
    expect(eventOf(changed, WITH_DRAFTS)).to.equal('entry.review')
    expect(eventOf(changedContent(item), undefined), 'from an earlier release').to.equal(null)
  })

  it('returns null for users, roles, tokens and undeclared types', () => {
    for (const type of ['plugin::users-permissions.user', 'admin::api-token', 'locale']) {
      expect(eventOf({ type, status: 'published', op: 'put' }, WITHOUT), type).to.equal(null)
    }
    expect(eventOf({ type: ARTICLE, status: 'published', op: 'put' }, undefined)).to.equal(null)
  })
})

describe('wants', () => {
  const all = { events: ['entry.update', 'media.create'] as const, types: null, locales: null }

  it('checks event, content-type and locale', () => {
    const change = { type: ARTICLE, locale: 'fr' }
    expect(wants(all, 'entry.update', change)).to.equal(true)
    expect(wants(all, 'entry.delete', change)).to.equal(false)
    expect(wants({ ...all, types: [ARTICLE] }, 'entry.update', change)).to.equal(true)
    expect(wants({ ...all, types: ['api::tag.tag'] }, 'entry.update', change)).to.equal(false)
    expect(wants({ ...all, locales: ['fr'] }, 'entry.update', change)).to.equal(true)
    expect(wants({ ...all, locales: ['en'] }, 'entry.update', change)).to.equal(false)
  })

  it('accepts entries without a locale and all files', () => {
    const hook = { ...all, types: [ARTICLE], locales: ['en'] }
    expect(wants(hook, 'entry.update', { type: ARTICLE, locale: '' })).to.equal(true)
    const file = { type: 'plugin::upload.file', locale: '' }
    expect(wants(hook, 'media.create', file)).to.equal(true)
  })
})
