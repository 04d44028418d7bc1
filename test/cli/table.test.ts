import { expect } from 'chai'
import { formatTable, formatTime } from '../../src/cli/table.ts'

describe('cli/table', () => {
  it('makes columns as wide as their widest cell', () => {
    expect(
      formatTable(
        ['A', 'B', 'C'],
        [
          ['long', '', 'x'],
          ['é', 'yy', ''],
        ],
      ),
    ).to.equal(['A     B   C', 'long      x', 'é     yy'].join('\n'))
  })

  it('shows the headings alone when there is nothing', () => {
    expect(formatTable(['A', 'B'], [])).to.equal('A  B')
  })

  it('shows a time to the minute, or what stands for none', () => {
    expect(formatTime(new Date(Date.UTC(2026, 0, 2, 3, 4, 5)), 'never')).to.equal(
      '2026-01-02 03:04Z',
    )
    expect(formatTime(null, 'never')).to.equal('never')
  })
})
