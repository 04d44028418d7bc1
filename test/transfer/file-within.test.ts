import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { addFiles } from '../../src/transfer/add-files.ts'
import { findFileWithin } from '../../src/transfer/file-within.ts'

describe('findFileWithin', () => {
  let base: string
  let folder: string
  before(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'quire-within-')))
    folder = join(base, 'files')
    await mkdir(join(folder, 'example.org', 'uploads'), { recursive: true })
    await writeFile(join(base, 'outside.txt'), 'secret')
    await mkdir(join(base, 'files-beside'))
    await writeFile(join(base, 'files-beside', 'a.txt'), 'secret')
    await writeFile(join(folder, 'example.org', 'uploads', 'a.txt'), 'inside')
    await symlink(join(base, 'outside.txt'), join(folder, 'link.txt'))
    await symlink(base, join(folder, 'up'))
    await symlink(join(folder, 'example.org'), join(folder, 'alias'))
  })
  after(() => rm(base, { recursive: true, force: true }))

  it('finds files by path parts, through links that stay inside', async () => {
    const file = join(folder, 'example.org', 'uploads', 'a.txt')
    expect(await findFileWithin(folder, ['example.org', 'uploads', 'a.txt'])).to.equal(file)
    expect(await findFileWithin(folder, ['alias', 'uploads', 'a.txt'])).to.equal(file)
    expect(await findFileWithin(folder, ['nothing.txt'])).to.equal(null)
  })

  const leadingOut: readonly (readonly string[])[] = [
    [],
    ['..', 'outside.txt'],
    ['..', 'files-beside', 'a.txt'],
    ['.'],
    [''],
    ['', 'etc', 'passwd'],
    ['example.org', '..', '..', 'outside.txt'],
    ['../outside.txt'],
    ['..\\outside.txt'],
    ['/etc/passwd'],
    ['a\0b'],
    ['link.txt'],
    ['up', 'outside.txt'],
    ['up', 'files', 'example.org', '..', '..', 'outside.txt'],
  ]
  for (const parts of leadingOut) {
    it(`refuses ${JSON.stringify(parts)}`, async () => {
      const refused = await findFileWithin(folder, parts).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(Error)
      expect((refused as Error).message).to.include('is no path of a file')
    })
  }

  /** Returns the bytes that `quire media add --folder` stores for a URL, or null. */
  const storedOf = async (url: string): Promise<string | null> => {
    const list = join(base, 'media.ndjson')
    const line = { documentId: 'a'.repeat(24), name: 'a.txt', url, mime: 'text/plain' }
    await writeFile(list, `${JSON.stringify(line)}\n`)
    let stored: string | null = null
    await addFiles({
      path: list,
      folder,
      filesFrom: null,
      files: {
        has: () => Promise.resolve(false),
        add: (_record, bytes) => {
          stored = bytes.toString('utf8')
          return Promise.resolve()
        },
      },
      maxFileBytes: 1_000,
      onProgress: () => undefined,
    })
    return stored
  }

  it('provides the files of `media add --folder`', async () => {
    expect(await storedOf('https://example.org/uploads/a.txt')).to.equal('inside')
    expect(await storedOf('http://elsewhere.org/example.org/uploads/a.txt')).to.equal('inside')
  })

  for (const url of [
    'http://../outside.txt',
    'http://..:80/outside.txt',
    'http://%2e%2e/outside.txt',
    'https://example.org/%2e%2e%2foutside.txt',
    'https://example.org/..%5coutside.txt',
    'https://example.org/uploads/..%2f..%2f..%2foutside.txt',
    'https://up/outside.txt',
    'https://example.org/link.txt',
    'foo://../outside.txt',
    'file:///outside.txt',
    'file://../outside.txt',
    'ftp://example.org/uploads/a.txt',
    'data:text/plain,secret',
    'example.org/uploads/a.txt',
    'https://example.org/',
    'https://./outside.txt',
  ]) {
    it(`stores no file for ${url}`, async () => {
      expect(await storedOf(url)).to.equal(null)
    })
  }
})
