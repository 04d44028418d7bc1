import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import sharp from 'sharp'
import { checkMedia } from '../../src/media/check-media.ts'
import { type FileRecords, openFileRecords } from '../../src/media/file-records.ts'
import { openImageWork } from '../../src/media/images/image-work.ts'
import {
  type MediaFile,
  type MediaLibrary,
  openMediaLibrary,
} from '../../src/media/media-library.ts'
import { openRetiredFiles } from '../../src/media/retired-files.ts'
import { openServedFiles } from '../../src/media/served-files.ts'
import { openGridFsStorage } from '../../src/media/storage/gridfs-storage.ts'
import { openLocalStorage } from '../../src/media/storage/local-storage.ts'
import { openS3Storage } from '../../src/media/storage/s3-storage.ts'
import type { MediaStorage } from '../../src/media/storage/storage.ts'
import { plainName } from '../../src/media/stored-names.ts'
import { openTrashMoves } from '../../src/media/trash-moves.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { noisyPng } from './sample-images.ts'
import { type S3Server, startS3Server } from './storage/s3-server.ts'
import { useTempFolder } from './temp-folder.ts'

const CONTENT_TYPES = fileURLToPath(new URL('../../../content-types', import.meta.url))
const SOON = new Date(Date.now() + 3_600_000)
const AREA = { x: 20, y: 10, width: 200, height: 100 }
const OTHER = { x: 0, y: 0, width: 100, height: 200 }

type Step = <T>(work: () => Promise<T>) => Promise<T>

for (const provider of ['local', 'gridfs', 's3', 'a bucket with a public address']) {
  describe(`a cropped file on ${provider}`, function () {
    this.timeout(120_000)
    const folder = useTempFolder()
    const images = openImageWork()
    const isPublic = provider.endsWith('address')
    let test: TestDatabase
    let s3: S3Server
    let storage: MediaStorage
    let records: FileRecords
    let original: Buffer
    let received = 0

    before(async () => {
      test = await openTestDatabase('crop_file')
      s3 = await startS3Server()
      const context = documentContext(test.database, await loadSchema(CONTENT_TYPES))
      records = openFileRecords(test.database, context.contentType('plugin::upload.file'), context)
      storage = await open()
      original = await noisyPng(400, 300)
    })
    after(async () => {
      await s3.close()
      await test.drop()
    })

    const open = async (): Promise<MediaStorage> => {
      if (provider === 'local') return openLocalStorage(join(folder(), 'uploads'))
      if (provider === 'gridfs') return openGridFsStorage(test.database)
      const publicUrl = isPublic ? `${s3.endpoint}/${s3.options.bucket}` : null
      return openS3Storage({ ...s3.options, publicUrl })
    }

    const libraryOf = (step: Step): MediaLibrary =>
      openMediaLibrary({
        trash: null,
        images,
        storage: {
          ...storage,
          put: (name, path) => step(() => storage.put(name, path)),
          rename: (from, to) => step(() => storage.rename(from, to)),
          remove: (name) => step(() => storage.remove(name)),
        },
        records: { ...records, patch: (...change) => step(() => records.patch(...change)) },
        retired: openRetiredFiles(test.database, storage, () => new Date()),
        spoolFolder: folder(),
      })
    const living = (): MediaLibrary => libraryOf((work) => work())

    /** The process dies before a step, or after a step but before it learns of its success. */
    const dying = (steps: number, end: 'before' | 'after') => {
      let left = steps
      const library = libraryOf(async (work) => {
        left -= 1
        if (left >= 0) return work()
        if (end === 'after' && left === -1) await work()
        throw new Error('killed')
      })
      return { library, hasDied: () => left < 0 }
    }

    const add = async (): Promise<MediaFile> => {
      received += 1
      const spool = join(folder(), `received-${received}`)
      mkdirSync(spool)
      const path = join(spool, 'file-0')
      writeFileSync(path, original)
      const head = original.subarray(0, 100)
      const file = { path, name: 'a.png', type: 'image/png', size: original.length, head }
      const upload = { files: [file], fields: new Map(), ignored: new Set<string>(), folder: spool }
      const [added] = await living().add(upload, [], () => Promise.resolve())
      if (added === undefined) throw new Error('nothing was added')
      return added
    }

    const recordOf = async ({ documentId }: MediaFile): Promise<MediaFile> => {
      const record = await records.get({ documentId })
      if (record === null) throw new Error('the record is gone')
      return record
    }
    const bytesOf = async (record: MediaFile): Promise<Buffer> => {
      const found = await openServedFiles({ storage, records }).get(plainName(record))
      return found === null ? Buffer.alloc(0) : buffer(found.file.read())
    }
    const repair = async (): Promise<readonly string[]> => {
      const moves = openTrashMoves({ db: test.database, storage, records })
      const resumable = { storedNames: () => Promise.resolve([]) }
      const stores = { storage, records, moves, resumable, spoolFolder: join(folder(), 'nowhere') }
      const { faults } = await checkMedia(stores, { repair: true, before: SOON })
      return faults.map(({ kind }) => kind).filter((kind) => kind !== 'file-without-record')
    }

    const ACTIONS = [
      { name: 'a first crop', first: null, next: AREA, widths: [400, 200] },
      { name: 'another crop', first: AREA, next: OTHER, widths: [200, 100] },
      { name: 'a reset', first: AREA, next: null, widths: [200, 400] },
    ]
    for (const end of ['before', 'after'] as const) {
      for (const { name, first, next, widths } of ACTIONS) {
        it(`is old or new after a crash ${end} any step of ${name}, and can be reset`, async () => {
          const seen = new Set<number | null>()
          let hasDied = true
          for (let steps = 0; hasDied; steps += 1) {
            const file = await add()
            if (first !== null) await living().crop(file, first)
            const process = dying(steps, end)
            await process.library.crop(await recordOf(file), next).catch(() => null)
            hasDied = process.hasDied()
            expect(await repair()).to.deep.equal([])
            const record = await recordOf(file)
            seen.add(record.width)
            if (!isPublic) {
              const { width, height } = await sharp(await bytesOf(record)).metadata()
              expect([width, height]).to.deep.equal([record.width, record.height])
            }
            await living().crop(record, null)
            const restored = await recordOf(file)
            expect(restored).to.include({ width: 400, height: 300 })
            expect((await bytesOf(restored)).equals(original)).to.equal(true)
            await living().remove(restored)
          }
          expect([...seen]).to.deep.equal(widths)
          const left: string[] = []
          for await (const stored of storage.list()) left.push(stored.name)
          expect(left).to.deep.equal([])
        })
      }
    }
  })
}
