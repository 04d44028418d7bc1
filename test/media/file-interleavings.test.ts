import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import sharp from 'sharp'
import { ConflictError, NotFoundError } from '../../src/base/errors.ts'
import { type FileRecord, type FileRecords, openFileRecords } from '../../src/media/file-records.ts'
import { type FileTrash, openFileTrash } from '../../src/media/file-trash.ts'
import { type ImageWork, openImageWork } from '../../src/media/images/image-work.ts'
import { type MediaLibrary, openMediaLibrary } from '../../src/media/media-library.ts'
import type { ReceivedFile, Upload } from '../../src/media/receive-upload.ts'
import { openRetiredFiles, type RetiredFiles } from '../../src/media/retired-files.ts'
import { openGridFsStorage } from '../../src/media/storage/gridfs-storage.ts'
import { openLocalStorage } from '../../src/media/storage/local-storage.ts'
import { openS3Storage } from '../../src/media/storage/s3-storage.ts'
import type { MediaStorage } from '../../src/media/storage/storage.ts'
import { plainName, possibleNames, storedNames } from '../../src/media/stored-names.ts'
import { openTrashMoves } from '../../src/media/trash-moves.ts'
import { newDocumentId } from '../../src/mongo/versions/document-id.ts'
import { ensureTrash } from '../../src/mongo/trash/trash-rows.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { modelRuns } from '../support/model-runs.ts'
import { png } from './sample-images.ts'
import { type S3Server, startS3Server } from './storage/s3-server.ts'
import { useTempFolder } from './temp-folder.ts'

const CONTENT_TYPES = fileURLToPath(new URL('../../../content-types', import.meta.url))
const AREA = { x: 20, y: 10, width: 260, height: 170 }
const OTHER = { x: 0, y: 0, width: 250, height: 180 }
const HOUR = 3_600_000

type Step = <T>(work: () => Promise<T>) => Promise<T>

/** A process with its own image work, so that neither request waits for a turn of the other. */
interface Process {
  readonly library: MediaLibrary
  readonly trash: FileTrash
  readonly retired: RetiredFiles
}

type Action = (process: Process, documentId: string) => Promise<unknown>

const seeAll = (): void => undefined
const named = (documentId: string) => ({ documentId, deletion: null })

for (const provider of ['local', 'gridfs', 's3']) {
  describe(`two requests for one file on ${provider}`, function () {
    this.timeout(600_000)
    this.slow(20_000)
    const isLocal = provider === 'local'
    const folder = useTempFolder()
    const images = [openImageWork(), openImageWork()] as const
    let test: TestDatabase
    let s3: S3Server | null = null
    let storage: MediaStorage
    let records: FileRecords
    let context: ReturnType<typeof documentContext>
    let pictures: readonly Buffer[]
    let received = 0

    before(async () => {
      test = await openTestDatabase('file_interleavings', {}, { trashDays: 30 })
      await ensureTrash(test.database)
      s3 = provider === 's3' ? await startS3Server() : null
      context = documentContext(test.database, await loadSchema(CONTENT_TYPES))
      storage =
        s3 !== null
          ? await openS3Storage(s3.options)
          : provider === 'local'
            ? await openLocalStorage(join(folder(), test.name))
            : openGridFsStorage(test.database)
      records = openFileRecords(test.database, context.contentType('plugin::upload.file'), context)
      pictures = await Promise.all([png(300, 200), png(320, 210)])
    })
    after(async () => {
      await test.drop()
      await s3?.close()
    })

    const start = (
      own: ImageWork,
      step: Step = (work) => work(),
      now = (): Date => new Date(),
    ): Process => {
      const { database } = test
      const stepping: MediaStorage = {
        ...storage,
        put: (name, path) => step(() => storage.put(name, path)),
        rename: (from, to) => step(() => storage.rename(from, to)),
        remove: (name) => step(() => storage.remove(name)),
        get: async (name) => {
          const file = await step(() => storage.get(name))
          return step(() => Promise.resolve(file))
        },
      }
      const patch: FileRecords['patch'] = (...change) => step(() => records.patch(...change))
      const shared = { storage: stepping, records: { ...records, patch } }
      const moves = openTrashMoves({ db: database, ...shared })
      const plan = context.contentType('plugin::upload.file')
      const trash = openFileTrash({ database, plan, storage: stepping, moves, now })
      const retired = openRetiredFiles(database, stepping, now)
      const library = openMediaLibrary({
        ...shared,
        trash,
        retired,
        images: own,
        spoolFolder: folder(),
      })
      return { library, trash, retired }
    }
    const calm = (): Process => start(images[1])

    const receive = (picture: number): { upload: Upload; file: ReceivedFile } => {
      received += 1
      const spool = join(folder(), `received-${received}`)
      mkdirSync(spool)
      const path = join(spool, 'file-0')
      const content = pictures[picture] ?? Buffer.alloc(0)
      writeFileSync(path, content)
      const head = content.subarray(0, 100)
      const file = { path, name: 'a.png', type: 'image/png', size: content.length, head }
      const upload = { files: [file], fields: new Map(), ignored: new Set<string>(), folder: spool }
      return { upload, file }
    }

    const onRecord =
      (work: (library: MediaLibrary, record: FileRecord) => Promise<unknown>): Action =>
      async ({ library }, documentId) => {
        const record = await library.get(documentId)
        return record === null ? null : work(library, record)
      }
    const remove = onRecord((library, record) => library.remove(record))
    const restore: Action = ({ trash }, documentId) => trash.restore(named(documentId), seeAll)
    const end: Action = ({ trash }, documentId) => trash.end(named(documentId), seeAll)
    const change: Record<string, Action> = {
      crop: onRecord((library, record) => library.crop(record, AREA)),
      uncrop: onRecord((library, record) => library.crop(record, null)),
      replace: onRecord((library, record) => {
        const { upload, file } = receive(1)
        return library.replace(record, upload, file, {})
      }),
      privacy: onRecord((library, record) =>
        library.edit(record, { private: record.private !== true }),
      ),
    }
    const first: Record<string, Action> = { ...change, delete: remove, restore, end }
    const other: Record<string, Action> = {
      ...first,
      'delete and end': async (process, documentId) => {
        await remove(process, documentId)
        await end(process, documentId)
      },
      'delete and restore': async (process, documentId) => {
        await remove(process, documentId)
        await restore(process, documentId)
      },
    }

    const STATES: Record<string, Action> = {
      'a new picture': () => Promise.resolve(),
      'a cropped picture': onRecord((library, record) => library.crop(record, OTHER)),
      'a deleted picture': async (process, documentId) => {
        await STATES['a cropped picture']?.(process, documentId)
        await remove(process, documentId)
      },
    }

    /** Conflicts and missing files are honest outcomes, lost bytes and a broken disk are not. */
    const honest = async (work: Promise<unknown>): Promise<void> => {
      try {
        await work
      } catch (error) {
        const isHonest =
          (error instanceof ConflictError && error.errorCode !== 'request_under_way') ||
          (error instanceof NotFoundError && error.message === 'This is not in the trash')
        if (!isHonest) throw error
      }
    }

    /** Returns the number of steps of the first request. The other one runs before step `at`. */
    const interleave = async (
      [state, one, two]: readonly [Action, Action, Action],
      at: number,
    ): Promise<number> => {
      const { upload } = receive(0)
      const [added] = await calm().library.add(upload, [], () => Promise.resolve())
      const documentId = added?.documentId ?? ''
      await state(calm(), documentId)
      let steps = 0
      const held = start(images[0], async (work) => {
        steps += 1
        if (steps === at) await honest(two(calm(), documentId))
        return work()
      })
      await honest(one(held, documentId))
      await assertWhole(documentId)
      await purge(documentId)
      return steps
    }

    const listed = async (): Promise<readonly string[]> => {
      const names: string[] = []
      for await (const { name } of storage.list()) names.push(name)
      return names
    }

    const assertWhole = async (documentId: string): Promise<void> => {
      const record = await records.get({ documentId })
      if (record === null) return
      const names = await listed()
      const known = storedNames(record)
      expect(names.filter((name) => !known.includes(name))).to.deep.equal([])
      const { original, formats, generation } = record
      for (const part of [record, ...Object.values(formats ?? {})]) {
        const name = possibleNames(part, generation).find((one) => names.includes(one))
        const file = await storage.get(name ?? '')
        expect(file, plainName(part)).to.not.equal(null)
        if (file === null) continue
        const { width, height } = await sharp(await buffer(file.read())).metadata()
        expect([width, height]).to.deep.equal([part.width, part.height])
      }
      if (original) expect(names).to.include(plainName(original))
    }

    const unfinished = async (): Promise<number> => {
      const tables = ['quire_retired_files', 'quire_announced_files']
      const counts = tables.map((name) => test.database.table(name).countDocuments({}))
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    }

    const purge = async (documentId: string): Promise<void> => {
      await remove(calm(), documentId)
      await honest(end(calm(), documentId))
      expect(await listed()).to.deep.equal([])
      expect(await unfinished()).to.equal(0)
    }

    const isPossible = (state: string, name: string): boolean => {
      if (state === 'a deleted picture') return ['restore', 'end'].includes(name)
      if (name === 'uncrop') return state === 'a cropped picture'
      return !['restore', 'end'].includes(name)
    }

    for (const [state, prepare] of Object.entries(STATES)) {
      for (const [name, one] of Object.entries(first)) {
        if (!isPossible(state, name)) continue
        it(`leave ${state} whole, and no bytes after its end, at each step of ${name}`, async () => {
          let most = 0
          for (const [otherName, two] of Object.entries(other)) {
            const step = modelRuns('FILE_INTERLEAVINGS', isLocal ? 12 : 30, isLocal ? 1 : 3)
            for (let at = 1, steps = 1; at <= steps; at += step) {
              steps = await interleave([prepare, one, two], at).catch((error: unknown) => {
                throw new Error(`${otherName} at step ${at}: ${String(error)}`, { cause: error })
              })
              most = Math.max(most, steps)
            }
          }
          expect(most).to.be.above(2)
        })
      }
    }

    it('refuse a retry of an upload whose file is stored and deleted at any of its steps', async () => {
      let reached = 0
      for (let at = 1; reached === at - 1; at += 1) {
        const documentId = newDocumentId()
        const [early, late] = [receive(0), receive(0)]
        const store = ({ library }: Process, { upload }: typeof early) =>
          library.add(upload, [], () => Promise.resolve(), {
            documentIds: [documentId],
            refusesTrashed: true,
          })
        let steps = 0
        const held = start(images[0], async (work) => {
          steps += 1
          if (steps !== at) return work()
          reached = at
          await store(calm(), early)
          await remove(calm(), documentId)
          return work()
        })
        const outcome = await store(held, late).catch((error: unknown) => error)
        if (reached === at) {
          expect(outcome, `step ${at}`).to.be.instanceOf(ConflictError)
          await restore(calm(), documentId)
        }
        await assertWhole(documentId)
        await purge(documentId)
      }
      expect(reached).to.be.above(1)
    })

    it('leave no bytes of a crop whose process is killed', async () => {
      const { upload } = receive(0)
      const [added] = await calm().library.add(upload, [], () => Promise.resolve())
      const documentId = added?.documentId ?? ''
      let stopped = (): void => undefined
      const dead = new Promise<void>((resolve) => {
        stopped = resolve
      })
      const never = new Promise<never>(() => undefined)
      let puts = 0
      const dying = start(images[0], async (work) => {
        const done = await work()
        if (!(await listed()).some((name) => name.startsWith('original_'))) return done
        puts += 1
        if (puts < 2) return done
        stopped()
        return never
      })
      void change['crop']?.(dying, documentId)
      await dead
      await remove(calm(), documentId)
      await end(calm(), documentId)
      expect(await listed()).to.have.length.above(1)
      await calm().retired.finish()
      expect(await listed(), 'of a running request').to.have.length.above(1)
      const later = (): Date => new Date(Date.now() + HOUR + 1)
      await start(images[1], (work) => work(), later).retired.finish()
      expect(await listed()).to.deep.equal([])
    })
  })
}
