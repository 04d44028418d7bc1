import { expect } from 'chai'
import { parsePopulate } from '../../src/query/populate/parse-populate.ts'
import { restrictPlan } from '../../src/query/ruled-type.ts'
import type { Filter, RuledType } from '../../src/query/query.ts'
import type { ContentTypePlan } from '../../src/schema/plan.ts'
import { compile, typeFile } from '../schema/define.ts'

const schema = compile(
  typeFile('note', { title: { type: 'string' }, body: { type: 'text' }, cover: { type: 'media' } }),
  typeFile('page', { title: { type: 'string' }, cover: { type: 'media' } }),
)

function planOf(uid: string): ContentTypePlan {
  const plan = schema.contentTypes.get(uid)
  if (plan === undefined) throw new Error(`There is no ${uid}`)
  return plan
}

const note = planOf('api::note.note')
const file = planOf('plugin::upload.file')
const NEVER: Filter = { kind: 'any', of: [] }

/** The types that `related` of files shows if notes are seen like this. */
function typesOfRelated(seen: RuledType): readonly string[] {
  const [node] = parsePopulate('related', file, {
    mayRead: () => true,
    target: (plan) => (plan === note ? seen : { plan, condition: null }),
    defaultLimit: 25,
    maxLimit: 100,
    fileHolder: file,
    components: schema.components,
  })
  if (node?.kind !== 'users') throw new Error('Files show their users')
  return node.types.map(({ uid }) => uid)
}

describe('restrictPlan', () => {
  it('makes other attributes private and keeps members of the system', () => {
    const { members, attributes } = restrictPlan(note, new Set(['title']))
    const shown = [...members.values()].filter((member) => !member.private).map(({ name }) => name)
    expect(shown).to.include.members(['id', 'documentId', 'createdAt', 'title'])
    expect(shown).not.to.include.members(['body'])
    expect(attributes.get('body')).to.include({ private: true, storedName: 'body' })
    expect(note.members.get('body')?.private).to.equal(false)
  })

  it('returns the same plan for the same attributes', () => {
    const plan = restrictPlan(note, new Set(['title', 'body']))
    expect(restrictPlan(note, new Set(['body', 'title']))).to.equal(plan)
  })
})

describe('the users of files', () => {
  it('contain all types without a rule', () => {
    expect(typesOfRelated({ plan: note, condition: null })).to.have.length(2)
  })

  it('leave out types with hidden entries or hidden attributes', () => {
    const restricted = restrictPlan(note, new Set(['title']))
    expect(typesOfRelated({ plan: note, condition: NEVER })).to.deep.equal(['api::page.page'])
    expect(typesOfRelated({ plan: restricted, condition: null })).to.deep.equal(['api::page.page'])
  })
})
