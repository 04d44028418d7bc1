import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { checkMedia } from '../../src/media/check-media.ts'
import { type FileRecord, type FileRecords, openFileRecords } from '../../src/media/file-records.ts'
import { type FileTrash, openFileTrash } from '../../src/media/file-trash.ts'
import { openGridFsStorage } from '../../src/media/storage/gridfs-storage.ts'
import { openLocalStorage } from '../../src/media/storage/local-storage.ts'
import { openS3Storage } from '../../src/media/storage/s3-storage.ts'
import type { MediaStorage } from '../../src/media/storage/storage.ts'
import { openTrashMoves } from '../../src/media/trash-moves.ts'
import { newDocumentId } from '../../src/mongo/versions/document-id.ts'
import { deletionsIn, ensureTrash } from '../../src/mongo/trash/trash-rows.ts'
import type { ContentTypePlan } from '../../src/schema/plan.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { type S3Server, startS3Server } from './storage/s3-server.ts'
import { useTempFolder } from './temp-folder.ts'

const CONTENT_TYPES = fileURLToPath(new URL('../../../content-types', import.meta.url))
const FUTURE = new Date(Date.now() + 86_400_000)
const ENDS = ['before', 'after'] as const
const seeAll = (): void => undefined

type Step = <T>(work: () => Promise<T>) => Promise<T>

for (const provider of ['local', 'gridfs', 's3']) {
  describe(`the trash of files on ${provider}`, () => {
    const folder = useTempFolder()
    let test: TestDatabase
    let s3: S3Server | null = null
    let storage: MediaStorage
    let records: FileRecords
    let plan: ContentTypePlan

    before(async () => {
      test = await openTestDatabase('file_trash', {}, { trashDays: 30 })
      await ensureTrash(test.database)
      s3 = provider === 's3' ? await startS3Server() : null
      const context = documentContext(test.database, await loadSchema(CONTENT_TYPES))
      storage =
        s3 !== null
          ? await openS3Storage(s3.options)
          : provider === 'local'
            ? await openLocalStorage(join(folder(), test.name))
            : openGridFsStorage(test.database)
      plan = context.contentType('plugin::upload.file')
      records = openFileRecords(test.database, plan, context)
    })
    after(async () => {
      await test.drop()
      await s3?.close()
    })

    const open = (step: Step = (work) => work()): FileTrash => {
      const stepping: MediaStorage = {
        ...storage,
        rename: (from, to) => step(() => storage.rename(from, to)),
        remove: (name) => step(() => storage.remove(name)),
      }
      const moves = openTrashMoves({ db: test.database, storage: stepping, records })
      const now = (): Date => new Date()
      return openFileTrash({ database: test.database, plan, storage: stepping, moves, now })
    }

    const put = async (name: string, content: string): Promise<void> => {
      const path = join(folder(), 'source')
      writeFileSync(path, content)
      await storage.put(name, path)
    }

    let added = 0

    const add = async (): Promise<FileRecord> => {
      added += 1
      const hash = `f${added}`
      await put(`${hash}.png`, hash)
      await put(`small_${hash}.png`, `small ${hash}`)
      const [record] = await records.add([newFile(hash, storage.provider)])
      if (record === undefined) throw new Error('nothing was added')
      return record
    }

    const contentOf = async (name: string): Promise<string | null> => {
      const file = await storage.get(name)
      return file === null ? null : text(file.read())
    }
    const served = ({ hash }: FileRecord): Promise<readonly (string | null)[]> =>
      Promise.all([`${hash}.png`, `small_${hash}.png`].map(contentOf))
    const storedNames = async (): Promise<readonly string[]> => {
      const names: string[] = []
      for await (const { name } of storage.list()) names.push(name)
      return names
    }
    const checked = async (): Promise<readonly object[]> => {
      const moves = openTrashMoves({ db: test.database, storage, records })
      const resumable = { storedNames: () => Promise.resolve([]) }
      const stores = { storage, records, moves, resumable, spoolFolder: join(folder(), 'nowhere') }
      return (await checkMedia(stores, { repair: true, before: FUTURE })).faults
    }
    const rowsOf = async ({ documentId }: FileRecord): Promise<number> =>
      deletionsIn(test.database).countDocuments({ documentId })

    /** Lets this many moves happen, and fails before or after the next one, and at all later ones. */
    const dying = (steps: number, end: 'before' | 'after') => {
      let left = steps
      const step: Step = async (work) => {
        left -= 1
        if (left >= 0) return work()
        if (end === 'after' && left === -1) await work()
        throw new Error('killed')
      }
      return { trash: open(step), hasDied: () => left < 0 }
    }

    for (const end of ENDS) {
      it(`hides the bytes after a crash ${end} any move, and the next start completes it`, async () => {
        let ended = true
        for (let steps = 0; ended; steps += 1) {
          const file = await add()
          const { trash, hasDied } = dying(steps, end)
          expect(await trash.remove(file.documentId)).to.equal(true)
          ended = hasDied()
          await open().finish()
          expect(await records.get({ documentId: file.documentId })).to.equal(null)
          expect(await served(file), String(steps)).to.deep.equal([null, null])
          expect(await checked()).to.deep.equal([])

          const back = dying(steps, end)
          const restored = await back.trash.restore(named(file), seeAll).catch((error: unknown) => {
            if (!back.hasDied()) throw error
            return records.get({ documentId: file.documentId })
          })
          expect(restored).to.include({ id: file.id, documentId: file.documentId })
          ended = ended || back.hasDied()
          // A check during the move must not delete the record.
          expect(await checked()).to.deep.equal([])
          await open().finish()
          expect(await served(file)).to.deep.equal([file.hash, `small ${file.hash}`])

          await open().remove(file.documentId)
          const last = dying(steps, end)
          await last.trash.end(named(file), seeAll)
          ended = ended || last.hasDied()
          await open().finish()
          expect((await storedNames()).filter((name) => name.startsWith('trash_'))).to.deep.equal(
            [],
          )
          expect(await served(file)).to.deep.equal([null, null])
        }
      })
    }

    it('restores bytes whose move to the trash is incomplete', async () => {
      const file = await add()
      await dying(1, 'before').trash.remove(file.documentId)
      await open().restore(named(file), seeAll)
      expect(await served(file)).to.deep.equal([file.hash, `small ${file.hash}`])
      await open().remove(file.documentId)
      await open().end(named(file), seeAll)
    })

    it('serves a file that was restored while another process moved its bytes to the trash', async () => {
      const file = await add()
      let isFirst = true
      const slow = open(async (work) => {
        if (isFirst) {
          isFirst = false
          await open().finish()
          await open().restore(named(file), seeAll)
        }
        return work()
      })
      await slow.remove(file.documentId)
      expect(await served(file)).to.deep.equal([file.hash, `small ${file.hash}`])
      expect(await checked()).to.deep.equal([])
    })

    it('keeps a file that is restored while the sweep runs', async () => {
      const files = [await add(), await add(), await add()]
      for (const file of files) await open().remove(file.documentId)
      const restored: string[] = []
      const sweep = open(async (work) => {
        const [next] = await deletionsIn(test.database).find().limit(1).toArray()
        if (restored.length === 0 && next !== undefined) {
          restored.push(next.documentId)
          await open().restore({ documentId: next.documentId, deletion: null }, seeAll)
        }
        return work()
      })
      await sweep.sweep(FUTURE)
      expect(restored).to.have.length(1)
      for (const file of files) {
        const isRestored = restored.includes(file.documentId)
        const bytes = isRestored ? [file.hash, `small ${file.hash}`] : [null, null]
        expect(await served(file)).to.deep.equal(bytes)
        expect((await records.get({ documentId: file.documentId })) !== null).to.equal(isRestored)
        expect(await rowsOf(file)).to.equal(0)
      }
      expect(await checked()).to.deep.equal([])
    })

    it('sweeps files with their bytes, and keeps later ones', async () => {
      const before = await storedNames()
      const file = await add()
      await open().remove(file.documentId)
      expect(await open().sweep(new Date(0))).to.equal(0)
      expect(await rowsOf(file)).to.equal(1)
      expect(await open().sweep(FUTURE)).to.equal(1)
      expect(await rowsOf(file)).to.equal(0)
      expect((await storedNames()).toSorted()).to.deep.equal(before.toSorted())
      expect(
        await test.database.table('quire_trash_moves').countDocuments({ place: 'gone' }),
      ).to.equal(0)
    })

    it('restores no file whose bytes are missing, or which exists again', async () => {
      const file = await add()
      await open().remove(file.documentId)
      for (const name of await storedNames()) {
        if (name.startsWith('trash_')) await storage.remove(name)
      }
      expect(await open().restore(named(file), seeAll).catch(String)).to.match(/bytes .* missing/)
      expect(await rowsOf(file)).to.equal(1)
      await records.add([{ ...newFile(file.hash, storage.provider), documentId: file.documentId }])
      expect(await open().restore(named(file), seeAll).catch(String)).to.match(/exists already/)
      await records.remove(file.documentId)
      await open().end(named(file), seeAll)
    })

    it('keeps the bytes of a record that an import has brought back', async () => {
      const file = await add()
      await dying(0, 'before').trash.remove(file.documentId)
      await records.add([{ ...newFile(file.hash, storage.provider), documentId: file.documentId }])
      await open().finish()
      await open().end(named(file), seeAll)
      expect(await served(file)).to.deep.equal([file.hash, `small ${file.hash}`])
    })
  })
}

function named({ documentId }: FileRecord) {
  return { documentId, deletion: null }
}

function newFile(hash: string, provider: string) {
  const about = { ext: '.png', url: `/uploads/${hash}.png`, hash, mime: 'image/png', size: 1 }
  const small = { ...about, hash: `small_${hash}`, url: `/uploads/small_${hash}.png` }
  const shape = { width: 10, height: 10 }
  return {
    ...about,
    ...shape,
    documentId: newDocumentId(),
    name: `${hash}.png`,
    alternativeText: null,
    caption: null,
    focalPoint: null,
    formats: { small: { ...small, ...shape, name: 'small', path: null, sizeInBytes: 1 } },
    thumbhash: null,
    previewUrl: null,
    provider,
    provider_metadata: null,
  }
}
