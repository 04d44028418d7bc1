import type { PartStorage } from '@quire/client/sync'
import { expect } from 'chai'
import * as fc from 'fast-check'

interface StoredParts {
  storeInParts(storage: PartStorage, key: string, file: Blob, partBytes: number): Promise<void>
  openStoredParts(
    storage: PartStorage,
    key: string,
    file: { readonly size: number; readonly mime: string },
    partBytes: number,
  ): { slice(start: number, end: number): Promise<Blob> }
}

const FOLDER = '../../../../packages/client/dist/src'
const PART_BYTES = 16
const KEY = 'film'

function openPartMap(): PartStorage & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>()
  const keyOf = (key: string, part: number): string => `${key} ${part}`
  return {
    texts,
    put: (key, part, text) => Promise.resolve(texts.set(keyOf(key, part), text)),
    get: (key, part) => Promise.resolve(texts.get(keyOf(key, part))),
    drop: (key) => {
      for (const each of texts.keys()) if (each.startsWith(`${key} `)) texts.delete(each)
      return Promise.resolve()
    },
  }
}

const FILE = fc.uint8Array({ maxLength: 5 * PART_BYTES }).map((bytes) => new Uint8Array(bytes))
const OFFSET = fc.nat({ max: 6 * PART_BYTES })

describe('a file in stored parts', () => {
  let parts: StoredParts

  before(async () => {
    const load = (file: string): Promise<object> =>
      import(new URL(`${FOLDER}/${file}`, import.meta.url).href)
    parts = Object.assign(
      {},
      await load('sync/store-parts.js'),
      await load('uploads/stored-parts.js'),
    ) as StoredParts
  })

  async function store(bytes: Uint8Array<ArrayBuffer>) {
    const storage = openPartMap()
    await parts.storeInParts(storage, KEY, new Blob([bytes]), PART_BYTES)
    const file = { size: bytes.length, mime: 'video/mp4' }
    return { storage, read: parts.openStoredParts(storage, KEY, file, PART_BYTES) }
  }

  it('has the same slices as the file, from and to any byte', async () => {
    await fc.assert(
      fc.asyncProperty(FILE, OFFSET, OFFSET, async (bytes, start, end) => {
        const { read } = await store(bytes)
        const slice = await read.slice(start, end)
        expect(slice.type).to.equal('video/mp4')
        const expected = start < end ? bytes.slice(start, end) : new Uint8Array()
        expect(new Uint8Array(await slice.arrayBuffer())).to.deep.equal(expected)
      }),
    )
  })

  it('has no slice with a part that is missing or cut', async () => {
    await fc.assert(
      fc.asyncProperty(FILE, fc.nat(), fc.boolean(), async (bytes, at, isCut) => {
        fc.pre(bytes.length > 0)
        const { storage, read } = await store(bytes)
        const keys = [...storage.texts.keys()]
        const lost = keys[at % keys.length] ?? ''
        if (isCut) storage.texts.set(lost, btoa('x'.repeat(PART_BYTES + 1)))
        else storage.texts.delete(lost)
        const error = await read.slice(0, bytes.length).then(
          () => null,
          (thrown: unknown) => thrown,
        )
        expect(error).to.have.property('name', 'MissingPart')
      }),
    )
  })
})
