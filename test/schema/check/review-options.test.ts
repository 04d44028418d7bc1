import { expect } from 'chai'
import type { ReviewDefinition } from '../../../src/schema/definition.ts'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { define, typeFile } from '../define.ts'

function reviewOf(review: unknown, draftAndPublish = true): ReviewDefinition | undefined {
  const options = { draftAndPublish, review }
  const file = typeFile('article', { title: { type: 'string' } }, { options })
  return define(file).contentTypes.find(({ uid }) => uid === 'api::article.article')?.review
}

function faultsOf(review: unknown, draftAndPublish = true): readonly string[] {
  try {
    reviewOf(review, draftAndPublish)
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.faults.map((fault) => fault.replace('content-types/article.json: options.', ''))
  }
}

const USUAL = [{ name: 'draft' }, { name: 'in-review' }, { name: 'ready' }]
const STAGES = [{ name: 'new' }, { name: 'done', roles: ['editor', 'chief'] }]

describe('the review option of a content-type', () => {
  const kept: readonly (readonly [unknown, ReviewDefinition | undefined])[] = [
    [undefined, undefined],
    [false, undefined],
    [true, { stages: USUAL, publishesLastOnly: false }],
    [{}, { stages: USUAL, publishesLastOnly: false }],
    [{ publish: 'ready' }, { stages: USUAL, publishesLastOnly: true }],
    [{ stages: STAGES }, { stages: STAGES, publishesLastOnly: false }],
    [
      { stages: STAGES, publish: 'done' },
      { stages: STAGES, publishesLastOnly: true },
    ],
  ]
  for (const [review, expected] of kept) {
    it(`keeps ${JSON.stringify(review)}`, () => {
      expect(reviewOf(review)).to.deep.equal(expected)
    })
  }

  const named = (name: string): object => ({ stages: [{ name: 'draft' }, { name }] })
  const refused: readonly (readonly [unknown, string])[] = [
    ['yes', 'review: must be of type object'],
    [{ stages: [{ name: 'draft' }] }, 'review.stages: must contain at least 2 items'],
    [{ stages: 'draft' }, 'review.stages: must be an array'],
    [named('Ready'), 'review.stages.1.name: must be lower-case letters, digits, _ and -'],
    [named('x'.repeat(65)), 'review.stages.1.name: length must be less than or equal to 64'],
    [named('draft'), 'review.stages.1: contains a duplicate value'],
    [{ stages: [{ name: 'a' }, {}] }, 'review.stages.1.name: is required'],
    [{ stages: [{ name: 'a' }, { name: 'b', roles: [] }] }, 'review.stages.1.roles: must contain'],
    [{ stages: [{ name: 'a' }, { name: 'b', role: 'x' }] }, 'review.stages.1.role: is not allowed'],
    [{ stage: [] }, 'review.stage: is not allowed'],
    [{ publish: 'draft' }, 'review.publish: must be the last stage, ready'],
    [{ stages: STAGES, publish: 'ready' }, 'review.publish: must be the last stage, done'],
  ]
  for (const [review, fault] of refused) {
    it(`refuses ${JSON.stringify(review).slice(0, 80)}`, () => {
      const faults = faultsOf(review)
      expect(faults).to.have.length(1)
      expect(faults[0]).to.include(fault)
    })
  }

  it('refuses a type without drafts', () => {
    expect(faultsOf(true, false)).to.deep.equal([
      'review: only drafts are reviewed: set options.draftAndPublish',
    ])
  })
})
