import { expect } from 'chai'
import * as fc from 'fast-check'
import { expandDottedMembers } from '../../../src/transfer/apply/dotted-members.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { compile, typeFile } from '../../schema/define.ts'

function planOf(): ContentTypePlan {
  const target = 'api::tag.tag'
  const plan = compile(
    typeFile('post', {
      title: { type: 'string' },
      tag: { type: 'relation', relation: 'manyToOne', target },
      tags: { type: 'relation', relation: 'manyToMany', target },
      cover: { type: 'media' },
    }),
    typeFile('tag', { name: { type: 'string', unique: true } }),
  ).contentTypes.get('api::post.post')
  if (plan === undefined) throw new Error('there is no post')
  return plan
}

const text = fc.string({ maxLength: 8 })
const members = fc.record({
  title: text,
  tag: text,
  tags: fc.array(text, { maxLength: 3 }),
  cover: fc.record({ path: text, caption: text }),
})

describe('expandDottedMembers', () => {
  const plan = planOf()

  it('is the inverse of writing keys and file members as dotted names', () => {
    fc.assert(
      fc.property(members, ({ title, tag, tags, cover }) => {
        const keyed = (name: string): object => ({ key: { name } })
        const plain = { title, tag: keyed(tag), tags: tags.map(keyed), cover }
        const { path, caption } = cover
        const files = { 'cover.path': path, 'cover.caption': caption }
        const dotted = { title, 'tag.name': tag, 'tags.name': tags, ...files }
        expect(expandDottedMembers(plan, dotted)).to.deep.equal(plain)
        expect(expandDottedMembers(plan, plain)).to.equal(plain)
      }),
    )
  })

  it('keeps null, and wraps a single target of a to-many relation', () => {
    expect(expandDottedMembers(plan, { 'tag.name': null, 'tags.name': null })).to.deep.equal({
      tag: null,
      tags: [],
    })
    expect(expandDottedMembers(plan, { 'tags.name': 'a' })).to.deep.equal({
      tags: [{ key: { name: 'a' } }],
    })
  })
})
