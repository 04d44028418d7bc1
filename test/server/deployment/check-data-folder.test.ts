import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkDataFolder } from '../../../src/server/deployment/check-data-folder.ts'
import { ConfigError } from '../../../src/base/errors.ts'

const messageOf = (folder: string): Promise<string> =>
  checkDataFolder(folder).then(
    () => 'accepted',
    (error: unknown) => {
      expect(error).to.be.instanceOf(ConfigError)
      return (error as ConfigError).message
    },
  )

describe('checkDataFolder', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-data-folder-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it('accepts an existing folder', async () => {
    expect(await messageOf(folder)).to.equal('accepted')
  })

  it('accepts a missing folder and does not create it', async () => {
    expect(await messageOf(join(folder, 'a/b/c'))).to.equal('accepted')
    expect(existsSync(join(folder, 'a'))).to.equal(false)
  })

  it('names a path below a file', async () => {
    writeFileSync(join(folder, 'file'), '')
    expect(await messageOf(join(folder, 'file/data'))).to.include('QUIRE_DATA_DIR: ')
  })

  it('names a path where no folder can be created, such as /proc', async function () {
    if (process.platform !== 'linux') this.skip()
    expect(await messageOf('/proc/quire/data')).to.match(
      /QUIRE_DATA_DIR: \/proc\/quire\/data cannot/,
    )
  })
})
