import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { codeBlocksOf, PAGES } from '../support/pages.ts'

const ANALYZE = 'systemd-analyze'

describe('the systemd units of the pages', () => {
  const units = PAGES.flatMap((page) => codeBlocksOf(page)).filter(({ text }) =>
    /^ *\[Service\]$/m.test(text),
  )
  let folder = ''

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-units-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Returns the complaints of `systemd-analyze verify` about the unit itself. */
  function complaintsOf(text: string): readonly string[] {
    const file = join(folder, 'cms.service')
    // The executable of the example may be elsewhere on this machine.
    writeFileSync(file, text.replace(/^( *ExecStart=)\S+/m, `$1${process.execPath}`))
    const { stderr } = spawnSync(ANALYZE, ['verify', '--man=no', file], { encoding: 'utf8' })
    return stderr.split('\n').filter((line) => line.includes('cms.service'))
  }

  it('are found', () => {
    expect(units.map(({ page }) => page)).to.include('docs/operating.md')
  })

  it('are accepted by systemd', function () {
    if (spawnSync(ANALYZE, ['--version']).status !== 0) this.skip()
    expect(complaintsOf('[Service]\nExecStart=/usr/bin/node\nRestrat=always\n')).to.have.length(1)
    for (const { text, page } of units) expect(complaintsOf(text), page).to.deep.equal([])
  })
})
