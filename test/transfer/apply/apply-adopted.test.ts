import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { ObjectId } from 'mongodb'
import { pino } from 'pino'
import { readConfig } from '../../../src/base/config/config.ts'
import { documentContext } from '../../../src/server/services/document-context.ts'
import { openServices, type Services } from '../../../src/server/services/open-services.ts'
import { applyFiles, type ApplyReport } from '../../../src/transfer/apply/apply-files.ts'
import { openFileStore } from '../../../src/transfer/file-store.ts'
import {
  type ForeignDatabase,
  hasStreams,
  openForeignDatabase,
} from '../../support/foreign-database.ts'
import { testUri } from '../../support/test-database.ts'

const [FIRST, SECOND] = [new ObjectId(), new ObjectId()]

describe('applyFiles on an adopted type', () => {
  let foreign: ForeignDatabase
  let services: Services | null = null
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-apply-adopted-'))
  const content = path.join(folder, 'content')

  before(async function () {
    foreign = await openForeignDatabase('apply_adopted', {
      orders: [
        { _id: FIRST, number: 'A-1', kept: 1 },
        { _id: SECOND, number: 'A-2', kept: 2 },
      ],
    })
    if (!(await hasStreams(foreign))) return this.skip()
    const types = path.join(folder, 'types')
    mkdirSync(types)
    mkdirSync(content)
    const order = {
      info: { singularName: 'order' },
      adopt: { collection: 'orders', write: true },
      attributes: { number: { type: 'string' } },
    }
    writeFileSync(path.join(types, 'order.json'), JSON.stringify(order))
    const line = JSON.stringify({ documentId: String(FIRST), number: 'B-1' })
    writeFileSync(path.join(content, 'order.jsonl'), line)
    services = await openServices({
      config: readConfig({
        CONTENT_TYPES_DIR: types,
        QUIRE_DATA_DIR: folder,
        MONGODB_DATABASE: foreign.name,
        MONITOR_COMMANDS: 'off',
      }),
      deployment: { uri: await testUri() },
      log: pino({ level: 'silent' }),
    })
  })
  after(async () => {
    await services?.close()
    await foreign.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function apply(prune: boolean): Promise<ApplyReport> {
    if (services === null) throw new Error('the suite is skipped')
    const { database, schema, locales, media, spoolFolder } = services
    const given = {
      documents: documentContext(database, schema),
      schema,
      locales: await locales.current(),
      store: openFileStore(media.library, spoolFolder),
      maxFileBytes: 1_000_000,
    }
    return applyFiles(given, {
      path: content,
      key: null,
      prune,
      dryRun: false,
      input: Readable.from([]),
      confirm: () => Promise.resolve(true),
      onProgress: () => undefined,
    })
  }

  const stored = () => foreign.db.collection('orders').find().sort({ _id: 1 }).toArray()

  it('refuses to prune before it writes', async () => {
    const before = await stored()
    const refused = await apply(true).then(
      () => null,
      (error: unknown) => error,
    )
    expect(refused).to.be.instanceOf(Error).with.property('message').that.includes('--prune')
    expect(await stored()).to.deep.equal(before)
  })

  it('sets the attributes of lines and keeps other documents', async () => {
    const { files } = await apply(false)
    expect(files['order.jsonl']).to.include({ updated: 1, failed: 0 })
    expect(await stored()).to.deep.equal([
      { _id: FIRST, number: 'B-1', kept: 1 },
      { _id: SECOND, number: 'A-2', kept: 2 },
    ])
  })
})
