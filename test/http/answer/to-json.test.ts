import { expect } from 'chai'
import * as fc from 'fast-check'
import { toJson } from '../../../src/http/answer/to-json.ts'
import { measureAnswer } from '../../../src/query/answer-size.ts'

/** The measured size of a response that is too large to serialize in one step. */
function large(maxBytes = 1_000_000_000): ReturnType<typeof measureAnswer> {
  const answer = measureAnswer({ maxEntries: 1_000_000, maxBytes })
  answer.show('links', 100_000)
  return answer
}

describe('toJson', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(130_000)))
  const leaf = fc.oneof(
    text,
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, new Date(0)),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('tree'), { maxLength: 5 }),
      fc.dictionary(fc.string(), tie('tree'), { maxKeys: 5 }),
    ),
  }))

  it('returns the same text as JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (value) => {
        const body = { data: [value, value], meta: {} }
        expect(await toJson(body, large())).to.equal(JSON.stringify(body))
      }),
      { numRuns: 60 },
    )
  })

  it('yields to the event loop', async () => {
    let turns = 0
    const body = { data: Array.from({ length: 200_000 }, (_, id) => ({ id, name: `entry ${id}` })) }
    const counting = setInterval(() => (turns += 1), 0)
    await toJson(body, large())
    clearInterval(counting)
    expect(turns).to.be.above(1)
  })

  it('rejects if the response exceeds its size limit', async () => {
    const body = { data: Array.from({ length: 5_000 }, () => 'x'.repeat(100)) }
    const error = await toJson(body, large(65_536)).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).to.include({ status: 400, name: 'ValidationError' })
  })
})
