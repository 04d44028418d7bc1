import { expect } from 'chai'
import { assert, jsonValue, property } from 'fast-check'
import { levelsOf } from '../../../src/schema/values/json-levels.ts'

describe('levelsOf', () => {
  function walked(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0
    return 1 + Math.max(0, ...Object.values(value).map(walked))
  }

  it('returns the depth of a JSON text', () => {
    const anything = jsonValue({ maxDepth: 12 })
    assert(property(anything, (value) => levelsOf(JSON.stringify(value)) === walked(value)))
  })

  it('ignores brackets within strings', () => {
    const rows = ['"[[["', '"\\\\" ', '{"\\"[":"]]"}', '["\\\\","["]'] as const
    expect(rows.map(levelsOf)).to.deep.equal([0, 0, 1, 1])
  })
})
