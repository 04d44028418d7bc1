import { expect } from 'chai'
import {
  boundedPermissions,
  boundsOf,
} from '../src/screens/settings/permissions/bounded-permissions.ts'

const FIND = 'api::article.article.find'
const UPDATE = 'api::article.article.update'
const TAGS = 'api::tag.tag.find'
const ARTICLE = 'api::article.article'

describe('permissions bound to locales', () => {
  const mixed = [{ action: FIND }, { action: UPDATE, locales: ['de'] }]

  it('reads the locales of each type', () => {
    expect(boundsOf([{ action: FIND, locales: ['de'] }, { action: TAGS }])).to.deep.equal({
      [ARTICLE]: ['de'],
    })
    expect(boundsOf(mixed)).to.deep.equal({})
  })

  it('keeps unchanged locales, regardless of the order of permissions', () => {
    expect(boundedPermissions([FIND, UPDATE], {}, mixed)).to.deep.equal(mixed)
    const before = [{ action: FIND, locales: ['de', 'fr'] }]
    expect(boundedPermissions([FIND], { [ARTICLE]: ['fr', 'de'] }, before)).to.deep.equal(before)
  })

  it('gives a new permission the locales of its type', () => {
    const before = [{ action: FIND, locales: ['de'] }]
    expect(boundedPermissions([FIND, UPDATE, TAGS], boundsOf(before), before)).to.deep.equal([
      { action: FIND, locales: ['de'] },
      { action: UPDATE, locales: ['de'] },
      { action: TAGS },
    ])
  })

  it('applies changed locales to all permissions of a type, and removes them', () => {
    expect(boundedPermissions([FIND, UPDATE], { [ARTICLE]: ['fr'] }, mixed)).to.deep.equal([
      { action: FIND, locales: ['fr'] },
      { action: UPDATE, locales: ['fr'] },
    ])
    const bound = [{ action: FIND, locales: ['de'] }]
    expect(boundedPermissions([FIND], { [ARTICLE]: [] }, bound)).to.deep.equal([{ action: FIND }])
  })
})
