import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'chai'
import { findMongod } from '../../../src/server/deployment/find-mongod.ts'

describe('findMongod', () => {
  let folder: string
  before(function () {
    if (process.platform === 'win32') this.skip()
    folder = mkdtempSync(join(tmpdir(), 'quire-mongod-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Creates a folder with a mongod that prints this text. */
  function folderWith(name: string, text: string): string {
    const bin = join(folder, name)
    mkdirSync(bin)
    writeFileSync(join(bin, 'mongod'), `#!/bin/sh\necho '${text}'\n`)
    chmodSync(join(bin, 'mongod'), 0o755)
    return bin
  }

  it('skips unsupported versions and other programs', async () => {
    const old = folderWith('old', 'db version v4.4.29')
    const odd = folderWith('odd', 'hello')
    const good = folderWith('good', 'db version v7.0.14')
    const env = { PATH: [old, odd, good].join(delimiter) }
    expect(await findMongod(env)).to.deep.equal({
      path: join(good, 'mongod'),
      place: 'on the PATH',
    })
  })

  it('uses the mongod of MONGOMS_SYSTEM_BINARY even if its version is unsupported', async () => {
    const named = join(folderWith('named', 'db version v4.4.29'), 'mongod')
    expect(await findMongod({ MONGOMS_SYSTEM_BINARY: named, PATH: '' })).to.include({ path: named })
  })
})
