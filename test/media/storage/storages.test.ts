import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { openGridFsStorage } from '../../../src/media/storage/gridfs-storage.ts'
import { openLocalStorage } from '../../../src/media/storage/local-storage.ts'
import type { MediaStorage } from '../../../src/media/storage/storage.ts'
import { openS3Storage } from '../../../src/media/storage/s3-storage.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { type S3Server, startS3Server } from './s3-server.ts'
import { useTempFolder } from '../temp-folder.ts'

describe('media storage', () => {
  const folder = useTempFolder()
  let test: TestDatabase
  let s3: S3Server

  before(async () => {
    test = await openTestDatabase('storages')
    s3 = await startS3Server()
  })
  after(async () => {
    await test.drop()
    await s3.close()
  })

  /** The common behavior of all storages. */
  const STORAGES: readonly (readonly [string, () => Promise<MediaStorage>])[] = [
    ['local', () => openLocalStorage(join(folder(), 'uploads'))],
    ['gridfs', () => Promise.resolve(openGridFsStorage(test.database))],
    ['s3', () => openS3Storage({ ...s3.options, keyPrefix: 'some/where/' })],
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

      it('returns its provider name', () => {
        expect(storage.provider).to.equal(provider)
      })

      it('returns a stored file', async () => {
        await put('one.txt', 'content of one')
        const file = await storage.get('one.txt')
        expect(file?.size).to.equal(14)
        expect(file?.etag).to.match(/^"[\w-]+"$/)
        expect(file?.modifiedAt).to.be.instanceOf(Date)
        expect(await contentOf('one.txt')).to.equal('content of one')
      })

      it('returns a byte range including both ends', async () => {
        await put('part.txt', '0123456789')
        expect(await partOf('part.txt', 2, 4)).to.equal('234')
        expect(await partOf('part.txt', 9, 9)).to.equal('9')
      })

      it('replaces a file and changes its ETag', async () => {
        await put('again.txt', 'before')
        const before = await storage.get('again.txt')
        await put('again.txt', 'behind')
        expect(await contentOf('again.txt')).to.equal('behind')
        expect((await storage.get('again.txt'))?.etag).to.not.equal(before?.etag)
      })

      it('stores files larger than a chunk', async () => {
        const content = 'abcdefghij'.repeat(100_000)
        await put('large.txt', content)
        expect(await contentOf('large.txt')).to.equal(content)
        expect(await partOf('large.txt', 261_115, 261_130)).to.equal(
          content.slice(261_115, 261_131),
        )
      })

      it('stores files of several parts', async () => {
        const content = 'abcdefghij'.repeat(1_200_000)
        await put('parts.txt', content)
        const file = await storage.get('parts.txt')
        expect(file?.size).to.equal(12_000_000)
        expect(file?.etag).to.match(/^"[\w-]+"$/)
        expect(await partOf('parts.txt', 5_242_878, 5_242_882)).to.equal('ijabc')
        expect(await contentOf('parts.txt')).to.equal(content)
      })

      it('lists its files', async () => {
        await put('listed.txt', 'x')
        const listed = new Map<string, Date>()
        for await (const { name, modifiedAt } of storage.list()) listed.set(name, modifiedAt)
        const file = await storage.get('listed.txt')
        expect(Math.abs(Number(listed.get('listed.txt')) - Number(file?.modifiedAt))).to.be.below(
          1_000,
        )
        await storage.remove('listed.txt')
        for await (const { name } of storage.list()) expect(name).to.not.equal('listed.txt')
      })

      it('stores no part of a file that cannot be read', async () => {
        const failed: unknown = await storage
          .put('unread.txt', join(folder(), 'nowhere'))
          .catch((error: unknown) => error)
        expect(failed).to.be.instanceOf(Error)
        expect(await storage.get('unread.txt')).to.equal(null)
      })

      it('closes a file that is only partly read', async () => {
        await put('dropped.txt', 'abcdefghij'.repeat(1_000_000))
        const bytes = (await storage.get('dropped.txt'))?.read()
        for await (const chunk of bytes ?? []) {
          expect(chunk).to.have.property('length').above(0)
          break
        }
        expect(bytes?.destroyed).to.equal(true)
      })

      it('returns the URL path of a file', () => {
        expect(storage.urlOf('one.txt')).to.equal('/uploads/one.txt')
      })

      it('renames a file and ignores a missing one', async () => {
        await put('old.txt', 'the same')
        await storage.rename('old.txt', 'new-1.txt')
        expect([await contentOf('old.txt'), await contentOf('new-1.txt')]).to.deep.equal([
          null,
          'the same',
        ])
        await storage.rename('old.txt', 'new-1.txt')
        expect(await contentOf('new-1.txt')).to.equal('the same')
      })

      it('removes a file and ignores a missing one', async () => {
        await put('gone.txt', 'x')
        await storage.remove('gone.txt')
        expect(await storage.get('gone.txt')).to.equal(null)
        await storage.remove('gone.txt')
      })

      it('returns null for names that are paths', async () => {
        for (const name of ['../one.txt', '/etc/passwd', '.', '..', 'a/b', 'one.txt\0']) {
          expect(await storage.get(name), name).to.equal(null)
        }
      })

      it('refuses to store under a path', async () => {
        await put('inside.txt', 'x')
        const attempts = [
          () => put('../out.txt', 'x'),
          async () => storage.rename('inside.txt', '../out.txt'),
        ]
        for (const attempt of attempts) {
          const failed: unknown = await attempt().catch((error: unknown) => error)
          expect(String(failed)).to.match(/is not the name of a stored file/)
        }
      })
    })
  }
})
