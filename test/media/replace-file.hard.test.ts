import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import sharp from 'sharp'
import { checkMedia } from '../../src/media/check-media.ts'
import { openGridFsStorage } from '../../src/media/storage/gridfs-storage.ts'
import { openLocalStorage } from '../../src/media/storage/local-storage.ts'
import {
  type MediaFile,
  type MediaLibrary,
  openMediaLibrary,
} from '../../src/media/media-library.ts'
import type { Upload } from '../../src/media/receive-upload.ts'
import { openServedFiles, type ServedFiles } from '../../src/media/served-files.ts'
import { isPrivateName } from '../../src/media/private-names.ts'
import { storedNames } from '../../src/media/stored-names.ts'
import { openRetiredFiles, type RetiredFiles } from '../../src/media/retired-files.ts'
import { openS3Storage } from '../../src/media/storage/s3-storage.ts'
import type { MediaStorage } from '../../src/media/storage/storage.ts'
import { openImageWork } from '../../src/media/images/image-work.ts'
import { openTrashMoves } from '../../src/media/trash-moves.ts'
import { type FileRecords, openFileRecords } from '../../src/media/file-records.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { type S3Server, startS3Server } from './storage/s3-server.ts'
import { png } from './sample-images.ts'
import { useTempFolder } from './temp-folder.ts'

const CONTENT_TYPES = fileURLToPath(new URL('../../../content-types', import.meta.url))
const SOON = new Date(Date.now() + 3_600_000)

/** The process dies before a step, or after a step but before it learns of its success. */
const ENDS = ['before', 'after'] as const

for (const provider of ['local', 'gridfs', 's3'] as const) {
  describe(`a replaced file on ${provider}`, () => {
    const folder = useTempFolder()
    let test: TestDatabase
    let s3: S3Server
    let storage: MediaStorage
    let records: FileRecords
    let served: ServedFiles
    let retired: RetiredFiles
    let received = 0

    before(async () => {
      test = await openTestDatabase('replace_file')
      s3 = await startS3Server()
      const context = documentContext(test.database, await loadSchema(CONTENT_TYPES))
      records = openFileRecords(test.database, context.contentType('plugin::upload.file'), context)
      storage = await open()
      served = openServedFiles({ storage, records })
      retired = openRetiredFiles(test.database, storage, () => new Date())
    })
    after(async () => {
      await s3.close()
      await test.drop()
    })

    const open = async (): Promise<MediaStorage> => {
      if (provider === 'local') return openLocalStorage(join(folder(), 'uploads'))
      if (provider === 'gridfs') return openGridFsStorage(test.database)
      return openS3Storage(s3.options)
    }

    const receive = (content: Buffer): Upload => {
      received += 1
      const spool = join(folder(), `received-${received}`)
      mkdirSync(spool)
      const path = join(spool, 'file-0')
      writeFileSync(path, content)
      const head = content.subarray(0, 100)
      const file = { path, name: 'a.png', type: 'image/png', size: content.length, head }
      return { files: [file], fields: new Map(), ignored: new Set<string>(), folder: spool }
    }

    const images = openImageWork()

    interface Death {
      readonly steps: number
      readonly end: (typeof ENDS)[number]
    }

    /** A library whose process dies after the given number of steps. */
    const dyingLibrary = ({
      steps,
      end,
    }: Death): { library: MediaLibrary; hasDied: () => boolean } => {
      let left = steps
      const step = async <T>(work: () => Promise<T>): Promise<T> => {
        left -= 1
        if (left >= 0) return work()
        if (end === 'after' && left === -1) await work()
        throw new Error('killed')
      }
      const dying: MediaStorage = {
        ...storage,
        put: (name, path) => step(() => storage.put(name, path)),
        rename: (from, to) => step(() => storage.rename(from, to)),
        remove: (name) => step(() => storage.remove(name)),
      }
      const library = openMediaLibrary({
        trash: null,
        images,
        storage: dying,
        records: { ...records, patch: (...change) => step(() => records.patch(...change)) },
        retired: openRetiredFiles(test.database, dying, () => new Date()),
        spoolFolder: folder(),
      })
      return { library, hasDied: () => left < 0 }
    }

    /** Replaces the file. Returns whether the process died. */
    const replace = async (record: MediaFile, content: Buffer, death: Death): Promise<boolean> => {
      const { library, hasDied } = dyingLibrary(death)
      const upload = receive(content)
      const [file] = upload.files
      if (file === undefined) throw new Error('nothing was received')
      await library.replace(record, upload, file, {}).catch(() => null)
      return hasDied()
    }

    /** Checks that all files of the record exist. Returns the width in the record. */
    const widthOf = async (documentId: string): Promise<number> => {
      const record = await records.get({ documentId })
      if (record === null) throw new Error('the record is gone')
      const own = { url: record.url, width: record.width, height: record.height }
      for (const { url, width, height } of [own, ...Object.values(record.formats ?? {})]) {
        const found = await served.get(url.replace('/uploads/', ''))
        const bytes = found === null ? null : await buffer(found.file.read())
        const seen = bytes === null ? null : await sharp(bytes).metadata()
        expect([url, seen?.width, seen?.height]).to.deep.equal([url, width, height])
      }
      return record.width ?? 0
    }

    const check = async (documentId: string, width: number): Promise<void> => {
      const moves = openTrashMoves({ db: test.database, storage, records })
      const resumable = { storedNames: () => Promise.resolve([]) }
      const stores = { storage, records, moves, resumable, spoolFolder: join(folder(), 'nowhere') }
      const { faults } = await checkMedia(stores, { repair: true, before: SOON })
      expect(faults.filter(({ kind }) => kind !== 'file-without-record')).to.deep.equal([])
      expect(await widthOf(documentId)).to.equal(width)
    }

    for (const end of ENDS) {
      it(`is either the old or the new one after a crash ${end} any step`, async function () {
        this.timeout(60_000)
        const seen = new Set<number>()
        let ended = true
        for (let steps = 0; ended; steps += 1) {
          const library = openMediaLibrary({
            trash: null,
            storage,
            records,
            images,
            retired,
            spoolFolder: folder(),
          })
          const upload = receive(await png(600, 400))
          const [file] = await library.add(upload, [], () => Promise.resolve())
          if (file === undefined) throw new Error('nothing was added')
          ended = await replace(file, await png(800, 300), { steps, end })
          const width = await widthOf(file.documentId)
          seen.add(width)
          await check(file.documentId, width)
          const now = (await records.get(file)) ?? file
          expect(await replace(now, await png(700, 300), { steps: 1000, end })).to.equal(false)
          await check(file.documentId, 700)
        }
        expect([...seen]).to.deep.equal([600, 800])
      })

      it(`is public or private after a crash ${end} any step, and no old address remains`, async function () {
        this.timeout(60_000)
        const seen = new Set<boolean>()
        let ended = true
        for (let steps = 0; ended; steps += 1) {
          const { library } = dyingLibrary({ steps: 1000, end })
          const [file] = await library.add(receive(await png(600, 400)), [], () =>
            Promise.resolve(),
          )
          if (file === undefined) throw new Error('nothing was added')
          const dying = dyingLibrary({ steps, end })
          await dying.library.edit(file, { private: true }).catch(() => null)
          ended = dying.hasDied()
          await retired.finish() // as the next start does
          const now = await records.get({ documentId: file.documentId })
          if (now === null) throw new Error('the record is gone')
          const isPrivate = now.private === true
          seen.add(isPrivate)
          expect(isPrivateName(now.hash)).to.equal(isPrivate)
          await check(file.documentId, 600)
          const old = isPrivate ? storedNames(file) : []
          for (const name of old) expect([name, await served.get(name)]).to.deep.equal([name, null])
        }
        expect([...seen]).to.deep.equal([false, true])
      })
    }
  })
}
