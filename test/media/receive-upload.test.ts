import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { clearSpool, receiveUpload } from '../../src/media/receive-upload.ts'
import { useTempFolder } from './temp-folder.ts'

describe('clearSpool', () => {
  const folder = useTempFolder()

  it('removes old leftovers but keeps recent uploads', async () => {
    const [old, young] = ['upload-old', 'upload-young'].map((name) => join(folder(), name))
    if (old === undefined || young === undefined) throw new Error('there are two')
    const now = new Date('2024-05-05T12:00:00Z')
    for (const [path, time] of [
      [old, '2024-05-04T11:00:00Z'],
      [young, '2024-05-04T13:00:00Z'],
    ] as const) {
      mkdirSync(path)
      utimesSync(path, new Date(time), new Date(time))
    }
    await clearSpool(folder(), now)
    expect([existsSync(old), existsSync(young)]).to.deep.equal([false, true])
  })

  it('ignores a missing folder', async () => {
    await clearSpool(join(folder(), 'nowhere'), new Date())
  })
})

const MAX_BYTES = 1_000_000
const BOUNDARY = 'boundary-of-the-test'

describe('receiveUpload', () => {
  const folder = useTempFolder()
  let server: Server

  before(async () => {
    server = createServer((request, response) => {
      const options = { spoolFolder: folder(), maxBytes: MAX_BYTES }
      const received = receiveUpload(request, options, ({ files, fields }) =>
        Promise.resolve({
          files: files.map(({ name, size }) => [name, size]),
          fields: [...fields],
        }),
      )
      void received
        .catch((error: unknown) => ({ error: (error as Error).message }))
        .then((result) => response.end(JSON.stringify(result)))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Sends parts of the form `[head, content]`. Returns the received files and fields, or the error. */
  async function send(...parts: readonly (readonly [string, string])[]): Promise<unknown> {
    const { port } = server.address() as AddressInfo
    const texts = parts.map(([head, content]) => `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`)
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: `${texts.join('')}--${BOUNDARY}--\r\n`,
    })
    const result: unknown = await response.json()
    expect(readdirSync(folder())).to.deep.equal([])
    return result
  }

  const fileHead = (name: string, field = 'files'): string =>
    `Content-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: text/plain`

  it('keeps the order of files of different sizes', async () => {
    const sizes = Array.from({ length: 20 }, (_, n) => (n % 3 === 0 ? 100_000 : 10))
    const result = await send(
      ...sizes.map((size, n) => [fileHead(`${n}.txt`), 'x'.repeat(size)] as const),
    )
    expect(result).to.deep.equal({ files: sizes.map((size, n) => [`${n}.txt`, size]), fields: [] })
  })

  it('rejects a part with a header of 100 KB', async () => {
    const head = `${fileHead('a.txt')}\r\nX-Long: ${'y'.repeat(100_000)}`
    const error = 'The upload cannot be read: Malformed part header'
    expect(await send([head, 'x'])).to.deep.equal({ error })
  })

  it('counts the files of ignored fields', async () => {
    const other = [fileHead('b.txt', 'other'), 'x'.repeat(MAX_BYTES)] as const
    const error = 'The upload is too large'
    expect(await send([fileHead('a.txt'), 'x'], other)).to.deep.equal({ error })
  })

  it('receives a part without a file name as a field, whatever its type', async () => {
    const head = 'Content-Disposition: form-data; name="fileInfo"\r\nContent-Type: application/json'
    expect(await send([head, '{}'])).to.deep.equal({ files: [], fields: [['fileInfo', ['{}']]] })
  })

  it('receives a part with a file name as a file, also without a type', async () => {
    const head = 'Content-Disposition: form-data; name="files"; filename="a.txt"'
    expect(await send([head, 'x'])).to.deep.equal({ files: [['a.txt', 1]], fields: [] })
  })
})
