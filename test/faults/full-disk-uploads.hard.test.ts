import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import sharp from 'sharp'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'
import { MULTIPART, multipart } from '../support/uploads.ts'
import { FILLER, smallDisks } from './small-disk.ts'
import { openWorld, type World } from './world.ts'

const HEADERS = { authorization: `Bearer ${ROOT_TOKEN}` }
const KILOBYTE = 1024
const CLIENTS = 8

interface StoredFile {
  readonly id: number
  readonly url: string
  readonly size: number
  readonly formats: Readonly<Record<string, { readonly url: string }>> | null
}

interface Reply {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

/**
 * Random black and white points: a small file that becomes large when scaled down to shades of
 * grey.
 */
async function pointillism(): Promise<Buffer> {
  const [width, height] = [900, 900]
  const raw = randomBytes(width * height).map((byte) => (byte < 128 ? 0 : 255))
  return sharp(raw, { raw: { width, height, channels: 1 } })
    .png({ palette: true, colours: 2 })
    .toBuffer()
}

describe('uploads to a full disk', function () {
  this.slow(20_000)
  const disks = smallDisks()
  if (disks.length === 0) it.skip('needs Linux and either a mount namespace or prlimit')

  const places = disks.flatMap((disk) => [
    { label: disk.label, disk, place: '' },
    // Files are then copied to the folder, not renamed.
    ...(disk.mounts ? [{ label: `${disk.label} for uploads only`, disk, place: 'uploads' }] : []),
  ])
  for (const { label, disk, place } of places) {
    describe(`by ${label}`, () => {
      const kept: StoredFile[] = []
      let world: World
      let server: ServerProcess
      let small: string
      let picture: Buffer

      before(async () => {
        picture = await pointillism()
        world = await openWorld('full_disk')
        small = path.join(world.folder, place)
        mkdirSync(small, { recursive: true })
        server = await world.start({}, { within: disk.within(small) })
      })

      after(() => world.remove())

      const leave = (bytes: number): void => disk.leave(server.pid, small, bytes)

      function lying(name: string): readonly string[] {
        return readdirSync(path.join(disk.seenFrom(server.pid, world.folder), name))
          .filter((file) => file !== FILLER)
          .toSorted()
      }

      async function send(method: string, target: string, body?: Buffer): Promise<Reply> {
        const answer = await fetch(`${server.base}${target}`, {
          method,
          headers: body === undefined ? HEADERS : { ...HEADERS, ...MULTIPART },
          ...(body !== undefined && { body: new Uint8Array(body) }),
          signal: AbortSignal.timeout(30_000),
        })
        const text = await answer.text()
        return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text }
      }

      const upload = (name: string, content: Buffer, target = '/api/upload'): Promise<Reply> =>
        send('POST', target, multipart({ files: [{ name, content }] }))

      async function store(name: string, content: Buffer): Promise<void> {
        const { status, text } = await upload(name, content)
        expect(status, text).to.equal(201)
        kept.push(...(JSON.parse(text) as readonly StoredFile[]))
      }

      function expectRefusal({ status, retryAfter, text }: Reply): void {
        expect(status, text.slice(0, 500)).to.equal(503)
        expect(JSON.parse(text)).to.deep.equal({
          data: null,
          error: {
            status: 503,
            name: 'ServiceUnavailableError',
            message: 'There is no space left to store this',
            details: {},
          },
        })
        expect(retryAfter).to.equal('1')
      }

      /** Every record has its files, every file has its record, and there are no other files. */
      async function expectWhole(): Promise<void> {
        const { status, text } = await send('GET', '/api/upload/files')
        expect(status, text).to.equal(200)
        const records = JSON.parse(text) as readonly StoredFile[]
        expect(records.map(({ id }) => id)).to.have.members(kept.map(({ id }) => id))
        const urls = records.flatMap(({ url, formats }) => [
          url,
          ...Object.values(formats ?? {}).map((format) => format.url),
        ])
        expect(lying('uploads')).to.deep.equal(urls.map((url) => path.basename(url)).toSorted())
        expect(lying('incoming')).to.deep.equal([])
        for (const url of urls) {
          const answer = await send('GET', url)
          expect(answer.status, url).to.equal(200)
        }
      }

      it('stores files while there is space', async () => {
        await store('small.txt', randomBytes(KILOBYTE))
        await store('picture.png', picture)
        expect(kept[1]?.formats).to.have.all.keys('thumbnail', 'small', 'medium')
        await expectWhole()
      })

      it('responds with 503, and stores no part of the upload', async () => {
        leave(64 * KILOBYTE)
        const large = randomBytes(2048 * KILOBYTE)
        const replies = await Promise.all(
          Array.from({ length: CLIENTS }, (_, index) => upload(`${index}.bin`, large)),
        )
        for (const reply of replies) expectRefusal(reply)
        await expectWhole()
      })

      it('stores no picture if its smaller formats do not fit', async () => {
        leave(picture.length + 32 * KILOBYTE)
        expectRefusal(await upload('again.png', picture))
        await expectWhole()
      })

      it('keeps the old bytes of a file if the new ones do not fit', async () => {
        const [text] = kept
        const before = await send('GET', text?.url ?? '')
        leave(64 * KILOBYTE)
        const large = randomBytes(2048 * KILOBYTE)
        expectRefusal(await upload('new.bin', large, `/api/upload?id=${text?.id}`))
        expect(await send('GET', text?.url ?? '')).to.deep.equal(before)
        leave(900 * KILOBYTE) // room for the picture and one of its formats
        expectRefusal(await upload('new.png', picture, `/api/upload?id=${text?.id}`))
        expect(await send('GET', text?.url ?? '')).to.deep.equal(before)
        await expectWhole()
      })

      it('refuses a variant of a picture that does not fit', async () => {
        leave(0)
        expectRefusal(await send('GET', `${kept[1]?.url ?? ''}?width=640`))
        await expectWhole()
      })

      it('stores files again once there is space, without an error in the log', async () => {
        leave(Infinity)
        await store('later.png', picture)
        await expectWhole()
        expect(server.complaints).to.deep.equal([])
        expect(await server.stop()).to.equal(0)
      })
    })
  }
})
