import { expect } from 'chai'
import { changedSince } from '../../src/screens/entry/changed-since.ts'

const row = (hour: number, ...changed: readonly string[]) => ({
  at: `2026-01-01T${String(hour).padStart(2, '0')}:00:00.000Z`,
  changed,
})
const created = (hour: number) => ({ at: row(hour).at })

describe('the changes of another language', () => {
  it('are those after the last change of the same attribute', () => {
    const own = [row(12, 'title'), created(8)]
    const other = [row(14, 'title'), row(11, 'title', 'body'), row(7, 'teaser'), created(6)]
    expect([...changedSince(own, other)]).to.deep.equal([
      ['title', row(14).at],
      ['body', row(11).at],
    ])
  })

  it('end with a change here', () => {
    expect(changedSince([row(15, 'title'), created(8)], [row(14, 'title')]).size).to.equal(0)
  })

  it('include none without a history', () => {
    expect(changedSince([], [row(14, 'title')]).size).to.equal(0)
    expect(changedSince([created(8)], []).size).to.equal(0)
  })
})
