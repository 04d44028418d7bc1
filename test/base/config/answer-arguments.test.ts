import { expect } from 'chai'
import { answerArguments } from '../../../src/base/config/answer-arguments.ts'

const USAGE = 'Usage: npm start'

describe('answerArguments', () => {
  it('returns null without arguments', () => {
    expect(answerArguments([], USAGE)).to.equal(null)
  })

  for (const help of ['--help', '-h']) {
    it(`returns the usage and status 0 for ${help}`, () => {
      expect(answerArguments([help], USAGE)).to.deep.equal({ text: USAGE, exitCode: 0 })
    })
  }

  it('names an unknown argument, truncated to 200 characters, with status 2', () => {
    const answer = answerArguments(['x'.repeat(120_000)], USAGE)
    expect(answer).to.deep.equal({
      text: `unknown argument "${'x'.repeat(200)}"\n\n${USAGE}`,
      exitCode: 2,
    })
  })
})
