import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { examineServer } from '../../../src/cli/doctor/examine-server.ts'
import {
  describeDatabase,
  readServerNote,
  writeServerNote,
} from '../../../src/server/deployment/server-note.ts'

const NOBODY = 65_534
const isRoot = process.geteuid?.() === 0

/** Simulates a read-only disk. Root ignores permissions, so the user changes as well. */
async function whileReadOnly(folder: string, work: () => Promise<void>): Promise<void> {
  chmodSync(folder, 0o555)
  if (isRoot) process.seteuid?.(NOBODY)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(folder, 0o755)
  }
}

const URI = 'mongodb://ada:hunter2@db.example:27017/?replicaSet=rs0'

describe('the note of a server', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-note-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it('names hosts and database without credentials', () => {
    expect(describeDatabase({ uri: URI }, 'shop')).to.equal('db.example:27017/shop')
  })

  it('is readable while the server runs and is removed afterwards', async () => {
    const remove = await writeServerNote(folder, 'db.example/shop')
    const note = { pid: process.pid, database: 'db.example/shop' }
    expect(await readServerNote(folder)).to.deep.equal(note)
    await remove()
    expect(existsSync(join(folder, 'server.json'))).to.equal(false)
    expect(await readServerNote(folder)).to.equal(null)
  })

  it('keeps the note of a server that started later', async () => {
    const remove = await writeServerNote(folder, 'db.example/shop')
    writeFileSync(join(folder, 'server.json'), '{"pid":1,"database":"db.example/other"}')
    await remove()
    expect(existsSync(join(folder, 'server.json'))).to.equal(true)
  })

  it('remains silently if it cannot be removed', async () => {
    const remove = await writeServerNote(folder, 'db.example/shop')
    await whileReadOnly(folder, async () => {
      await remove()
      expect(existsSync(join(folder, 'server.json'))).to.equal(true)
    })
  })

  it('is omitted silently if the folder cannot be written', async () => {
    await whileReadOnly(folder, async () => {
      for (const place of [folder, join(folder, 'data')]) {
        const remove = await writeServerNote(place, 'db.example/shop')
        await remove()
        expect(await readServerNote(place)).to.equal(null)
      }
    })
  })

  it('ignores a deleted folder', async () => {
    const remove = await writeServerNote(folder, 'db.example/shop')
    rmSync(folder, { recursive: true })
    await remove()
    expect(existsSync(folder)).to.equal(false)
  })

  for (const text of ['', '{', 'null', '{"pid":"1"}', '{"pid":2147483646,"database":"x"}']) {
    it(`counts as missing if it contains ${JSON.stringify(text)}`, async () => {
      writeFileSync(join(folder, 'server.json'), text)
      expect(await readServerNote(folder)).to.equal(null)
    })
  }

  it('lets quire doctor warn of a different database only', async () => {
    await writeServerNote(folder, 'db.example:27017/shop')
    const examine = (name: string) =>
      examineServer({ dataDir: folder, database: { name } }, { uri: URI })
    expect(await examine('shop')).to.deep.equal([])
    const [finding] = await examine('other')
    expect(finding?.level).to.equal('warning')
    expect(finding?.what)
      .to.include(`process ${process.pid}`)
      .and.include('db.example:27017/shop')
      .and.include('this command db.example:27017/other')
      .and.not.include('hunter2')
  })
})
