import { expect } from 'chai'
import { formatTable, formatTime } from '../../src/cli/table.ts'

describe('tables of the CLI', () => {
  it('pads each column to its widest cell', () => {
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

  it('prints only the headings for an empty table', () => {
    expect(formatTable(['A', 'B'], [])).to.equal('A  B')
  })

  it('formats a time to the minute, or the placeholder for a missing time', () => {
    expect(formatTime(new Date(Date.UTC(2026, 0, 2, 3, 4, 5)), 'never')).to.equal(
      '2026-01-02 03:04Z',
    )
    expect(formatTime(null, 'never')).to.equal('never')
  })
})
