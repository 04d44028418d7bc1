import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { checkMedia, type MediaStores } from '../../src/media/check-media.ts'
import { openGridFsStorage } from '../../src/media/storage/gridfs-storage.ts'
import { openLocalStorage } from '../../src/media/storage/local-storage.ts'
import { openResumableUploads } from '../../src/media/resumable/resumable-uploads.ts'
import { openTrashMoves } from '../../src/media/trash-moves.ts'
import { newDocumentId } from '../../src/mongo/versions/document-id.ts'
import { type NewFile, openFileRecords } from '../../src/media/file-records.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { useTempFolder } from './temp-folder.ts'

const CONTENT_TYPES = fileURLToPath(new URL('../../../content-types', import.meta.url))
const SOON = new Date(Date.now() + 3_600_000)
const LONG_AGO = new Date(0)

for (const provider of ['local', 'gridfs']) {
  describe(`checkMedia on ${provider}`, () => {
    const folder = useTempFolder()
    let test: TestDatabase
    let stores: MediaStores

    beforeEach(async () => {
      test = await openTestDatabase('check_media')
      const context = documentContext(test.database, await loadSchema(CONTENT_TYPES))
      const storage =
        provider === 'local'
          ? await openLocalStorage(join(folder(), test.name))
          : openGridFsStorage(test.database)
      const plan = context.contentType('plugin::upload.file')
      const records = openFileRecords(test.database, plan, context)
      const moves = openTrashMoves({ db: test.database, storage, records })
      const spoolFolder = join(folder(), `${test.name}-incoming`)
      const { database } = test
      const resumable = await openResumableUploads({ ...context, database, storage, spoolFolder })
      stores = { storage, records, moves, resumable, spoolFolder }
    })
    afterEach(() => test.drop())

    const put = async (name: string): Promise<void> => {
      const path = join(folder(), 'source')
      writeFileSync(path, 'x')
      await stores.storage.put(name, path)
    }

    const record = async (hash: string, formats: readonly string[] = []): Promise<string> => {
      const [added] = await stores.records.add([newFile(hash, formats, provider)])
      return added?.documentId ?? ''
    }

    const faults = async (repair: boolean, before = SOON): Promise<readonly string[]> =>
      (await checkMedia(stores, { repair, before })).faults.map(({ kind }) => kind)

    it('reports no faults for consistent media', async () => {
      for (const name of ['a.png', 'small_a.png']) await put(name)
      await record('a', ['small'])
      expect(await checkMedia(stores, { repair: false, before: SOON })).to.deep.equal({
        records: 1,
        files: 2,
        faults: [],
        repaired: false,
        young: 0,
        foreign: 0,
        unchecked: [],
      })
    })

    it('reports and repairs a record without its file and a format without its file', async () => {
      for (const name of ['a.png', 'small_a.png']) await put(name)
      const kept = await record('a', ['small', 'large'])
      const lost = await record('b')
      const expected = ['format-without-file', 'record-without-file']
      expect((await faults(false)).toSorted()).to.deep.equal(expected)
      expect((await faults(true)).toSorted()).to.deep.equal(expected)
      expect(await stores.records.get({ documentId: lost })).to.equal(null)
      const { formats } = (await stores.records.get({ documentId: kept })) ?? {}
      expect(Object.keys(formats ?? {})).to.deep.equal(['small'])
      expect(await faults(false)).to.deep.equal([])
    })

    it('keeps the original of a cropped picture, and forgets one that is lost', async () => {
      const original = {
        hash: `original_private_${'0'.repeat(32)}`,
        ext: '.png',
        mime: 'image/png',
        size: 1,
        width: 20,
        height: 20,
        crop: { x: 0, y: 0, width: 16, height: 16 },
      }
      const name = `${original.hash}.png`
      for (const stored of ['a.png', name]) await put(stored)
      const documentId = await record('a')
      await stores.records.patch(documentId, { original })
      expect(await faults(true)).to.deep.equal([])
      expect(await stores.storage.get(name)).to.not.equal(null)
      await stores.storage.remove(name)
      expect(await faults(true)).to.deep.equal(['original-without-file'])
      expect((await stores.records.get({ documentId }))?.original).to.equal(null)
      expect(await faults(false)).to.deep.equal([])
    })

    it('reports and removes an old file without a record', async () => {
      await put('stray.png')
      expect(await faults(true, LONG_AGO)).to.deep.equal([])
      expect(await stores.storage.get('stray.png')).to.not.equal(null)
      expect(await faults(true)).to.deep.equal(['file-without-record'])
      expect(await stores.storage.get('stray.png')).to.equal(null)
    })

    it('reports and removes old leftovers of uploads', async () => {
      const left = join(stores.spoolFolder, 'upload-left')
      mkdirSync(left, { recursive: true })
      writeFileSync(join(left, 'file-0'), 'x')
      if (provider === 'local') writeFileSync(join(folder(), test.name, 'a.png.part~'), 'x')
      else await cutShort(test)
      expect(await faults(true, LONG_AGO)).to.deep.equal([])
      expect(existsSync(left)).to.equal(true)
      expect(await faults(true)).to.deep.equal(['leftover', 'leftover'])
      expect([existsSync(left), await faults(false)]).to.deep.equal([false, []])
    })

    it('keeps a record that changed after it was checked', async () => {
      await put('other.png')
      const documentId = await record('a')
      const { records } = stores
      const changing = {
        ...records,
        remove: async (...removal: Parameters<typeof records.remove>) => {
          await records.patch(documentId, { caption: 'replaced meanwhile' })
          return records.remove(...removal)
        },
      }
      await checkMedia({ ...stores, records: changing }, { repair: true, before: LONG_AGO })
      expect(await records.get({ documentId })).to.include({ caption: 'replaced meanwhile' })
    })

    it('refuses to repair if the storage is empty', async () => {
      const documentId = await record('a')
      const error: unknown = await faults(true).catch((thrown: unknown) => thrown)
      expect(String(error)).to.match(/is this the right storage/)
      expect(await stores.records.get({ documentId })).to.not.equal(null)
    })

    it('ignores records of another storage', async () => {
      await stores.records.add([newFile('a', [], 'elsewhere')])
      const report = await checkMedia(stores, { repair: true, before: SOON })
      expect([report.faults, report.foreign]).to.deep.equal([[], 1])
    })
  })
}

/** Inserts chunks of a file that was never completed. */
async function cutShort({ database }: TestDatabase): Promise<void> {
  const upload = database.bucket('quire_uploads').openUploadStream('half.png')
  await new Promise<void>((resolve, reject) => {
    upload.write(Buffer.alloc(300_000), (error) => {
      if (error === null || error === undefined) resolve()
      else reject(error)
    })
  })
}

function newFile(hash: string, formats: readonly string[], provider: string): NewFile {
  const shared = { ext: '.png', mime: 'image/png', name: 'a.png', size: 0, width: 1, height: 1 }
  const entries = formats.map((format) => {
    const own = `${format}_${hash}`
    const values = { ...shared, hash: own, url: `/uploads/${own}.png`, path: null, sizeInBytes: 1 }
    return [format, values] as const
  })
  return {
    ...shared,
    documentId: newDocumentId(),
    hash,
    provider,
    url: `/uploads/${hash}.png`,
    formats: Object.fromEntries(entries),
    alternativeText: null,
    caption: null,
    focalPoint: null,
    thumbhash: null,
    previewUrl: null,
    provider_metadata: null,
  }
}
