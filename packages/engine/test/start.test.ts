import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { open } from 'lmdb'
import { FolderError, startEmbedded } from '../src/start-embedded.ts'
import { temporaryFolder } from './contract/targets.ts'

describe('an unusable folder of the embedded engine', () => {
  let directory: string
  beforeEach(() => (directory = temporaryFolder()))
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const inFolder = (name: string): string => join(directory, name)
  const refusal = async (folder = directory): Promise<string> => {
    const error = await startEmbedded({ directory: folder, durable: false }).catch(
      (e: unknown) => e,
    )
    expect(error).to.be.instanceOf(FolderError)
    return (error as FolderError).message
  }

  it('is refused if it is not a folder', async () => {
    writeFileSync(inFolder('file'), '')
    expect(await refusal(inFolder('file'))).to.match(/file cannot be opened: EEXIST/)
    expect(await refusal(inFolder('file/data'))).to.match(/file\/data cannot be opened: ENOTDIR/)
  })

  it('is refused if its data file is not a database', async () => {
    writeFileSync(inFolder('data.mdb'), Buffer.alloc(8192, 'x'))
    expect(await refusal()).to.contain('data.mdb is no database')
  })

  it('is refused if its owner file is not a database', async () => {
    writeFileSync(inFolder('owner.mdb'), Buffer.alloc(8192, 'x'))
    expect(await refusal()).to.contain('owner.mdb is no database')
  })

  it('is refused if a folder replaces one of its files', async () => {
    mkdirSync(inFolder('data.mdb-lock'))
    expect(await refusal()).to.match(/cannot be opened: EISDIR/)
  })

  it('is refused without access rights', async function () {
    if (process.getuid?.() === 0 || process.platform === 'win32') this.skip()
    mkdirSync(inFolder('closed'))
    chmodSync(inFolder('closed'), 0o000)
    expect(await refusal(inFolder('closed/data'))).to.match(/cannot be opened: EACCES/)
    expect(await refusal(inFolder('closed'))).to.match(/cannot be opened: EACCES/)
  })

  it('is refused and left unchanged if a newer version wrote it', async () => {
    const engine = await startEmbedded({ directory, durable: false })
    await engine.close()
    const root = open({ path: inFolder('data.mdb'), encoding: 'binary', keyEncoding: 'binary' })
    const format = root.openDB<Buffer, Buffer>({
      name: 'format',
      encoding: 'binary',
      keyEncoding: 'binary',
    })
    format.putSync(Buffer.from('format'), Buffer.from([0, 0, 0, 3]))
    await root.close()
    expect(await refusal()).to.equal(
      `${directory} cannot be opened: it was written by a newer version, in format 3; this one reads up to 2`,
    )
    expect(await refusal(), 'the second time').to.contain('newer version')
  })
})
