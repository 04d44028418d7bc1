import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { openGridFsStorage } from '../../src/media/gridfs-storage.ts'
import { openLocalStorage } from '../../src/media/local-storage.ts'
import type { MediaStorage } from '../../src/media/storage.ts'
import { openTestDatabase, type TestDatabase } from '../test-database.ts'
import { useTempFolder } from './temp-folder.ts'

describe('storages', () => {
  const folder = useTempFolder()
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('storages')
  })
  after(() => test.drop())

  /** What every storage does, whatever keeps its bytes. */
  const STORAGES: readonly (readonly [string, () => Promise<MediaStorage>])[] = [
    ['local', () => openLocalStorage(join(folder(), 'uploads'))],
    ['gridfs', () => Promise.resolve(openGridFsStorage(test.database))],
  ]

  for (const [provider, open] of STORAGES) {
    describe(provider, () => {
      let storage: MediaStorage

      before(async () => {
        storage = await open()
      })

      const put = async (name: string, content: string): Promise<void> => {
        const path = join(folder(), `${provider}-source`)
        writeFileSync(path, content)
        await storage.put(name, path)
      }

      const partOf = async (name: string, start: number, end: number): Promise<string | null> => {
        const file = await storage.get(name)
        return file === null ? null : text(file.read({ start, end }))
      }

      const contentOf = async (name: string): Promise<string | null> => {
        const file = await storage.get(name)
        return file === null ? null : text(file.read())
      }

      it('names itself', () => {
        expect(storage.provider).to.equal(provider)
      })

      it('gives back what was put', async () => {
        await put('one.txt', 'content of one')
        const file = await storage.get('one.txt')
        expect(file?.size).to.equal(14)
        expect(file?.etag).to.match(/^"[\w-]+"$/)
        expect(file?.modifiedAt).to.be.instanceOf(Date)
        expect(await contentOf('one.txt')).to.equal('content of one')
      })

      it('gives back a part, both ends included', async () => {
        await put('part.txt', '0123456789')
        expect(await partOf('part.txt', 2, 4)).to.equal('234')
        expect(await partOf('part.txt', 9, 9)).to.equal('9')
      })

      it('replaces what a name held, and its etag', async () => {
        await put('again.txt', 'before')
        const before = await storage.get('again.txt')
        await put('again.txt', 'behind')
        expect(await contentOf('again.txt')).to.equal('behind')
        expect((await storage.get('again.txt'))?.etag).to.not.equal(before?.etag)
      })

      it('keeps files beyond the size of a chunk', async () => {
        const content = 'abcdefghij'.repeat(100_000)
        await put('large.txt', content)
        expect(await contentOf('large.txt')).to.equal(content)
        expect(await partOf('large.txt', 261_115, 261_130)).to.equal(
          content.slice(261_115, 261_131),
        )
      })

      it('removes, and removes what is gone', async () => {
        await put('gone.txt', 'x')
        await storage.remove('gone.txt')
        expect(await storage.get('gone.txt')).to.equal(null)
        await storage.remove('gone.txt')
      })

      it('knows nothing of names that are paths', async () => {
        for (const name of ['../one.txt', '/etc/passwd', '.', '..', 'a/b', 'one.txt\0']) {
          expect(await storage.get(name), name).to.equal(null)
        }
      })

      it('puts nothing under a path', async () => {
        const failed = await put('../out.txt', 'x').then(
          () => null,
          (error: unknown) => error,
        )
        expect(String(failed)).to.match(/is no name of a stored file/)
      })
    })
  }
})
