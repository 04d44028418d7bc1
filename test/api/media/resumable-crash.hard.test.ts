import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../../support/server-process.ts'

const KILLS = Number(process.env['QUIRE_MEDIA_KILLS'] ?? 2)
const STORAGES = (process.env['QUIRE_MEDIA_STORAGES'] ?? 'local,gridfs,s3').split(',')
const LENGTH = 6_000_000
const PIECE = 400_000
const WAIT_MS = 60_000
const HEADERS = { authorization: `Bearer ${ROOT_TOKEN}`, 'tus-resumable': '1.0.0' }
const NOTE = {
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: { title: { type: 'string' } },
}

for (const storage of STORAGES) {
  describe(`a server that is killed while it receives parts in ${storage}`, () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'quire-resumable-crash-'))
    const types = writeContentTypes({ note: NOTE })
    let s3: S3Server | null = null
    let env: Readonly<Record<string, string>>

    before(async () => {
      s3 = storage === 's3' ? await startS3Server() : null
      const uri = process.env['MONGODB_URI']
      env = {
        ...(uri === undefined ? { QUIRE_DATABASE: 'embedded' } : { MONGODB_URI: uri }),
        ...(s3?.environment ?? { UPLOAD_STORAGE: storage }),
        MONGODB_DATABASE: `quire_test_resumable_${randomBytes(4).toString('hex')}`,
        QUIRE_DATA_DIR: directory,
        CONTENT_TYPES_DIR: types,
        LOG_LEVEL: 'info',
      }
    })
    after(async () => {
      await s3?.close()
      rmSync(directory, { recursive: true, force: true })
      rmSync(types, { recursive: true, force: true })
    })

    it(`keeps acknowledged bytes and stores each file once, with ${KILLS} kills`, async function () {
      this.timeout(600_000)
      let server = await startServerProcess(env)
      const contents: Buffer[] = []
      for (let round = 0; round < KILLS; round += 1) {
        const content = randomBytes(LENGTH)
        contents.push(content)
        const upload = await begin(server)
        const killAt = randomInt(Math.floor(LENGTH / PIECE) + 1)
        let acknowledged = 0
        for (let sent = 0; ; sent += 1) {
          const sending = sendPiece(server, upload, acknowledged, content)
          if (sent === killAt) {
            await Promise.race([sending.catch(() => null), untilLater(randomInt(40))])
            await server.kill()
            await sending.catch(() => null)
            server = await startServerProcess(env)
            break
          }
          acknowledged = Math.min((await sending).offset, LENGTH)
        }
        const offset = await offsetOf(server, upload)
        expect(offset).to.be.at.least(Math.min(acknowledged, LENGTH - 1))
        const file = await finish(server, upload, content)
        const bytes = Buffer.from(await (await fetch(`${server.base}${file.url}`)).arrayBuffer())
        expect(bytes.equals(content)).to.equal(true)
      }
      const files = await fetch(`${server.base}/api/upload/files`, { headers: HEADERS })
      expect(await files.json()).to.have.length(contents.length)
      await server.stop()
    })
  })
}

interface StoredFile {
  readonly url: string
}

interface Sent {
  readonly status: number
  readonly offset: number
  readonly files: readonly StoredFile[] | null
}

async function begin({ base: url }: ServerProcess): Promise<string> {
  const headers = { ...HEADERS, 'upload-length': String(LENGTH) }
  const answer = await fetch(`${url}/api/upload/resumable`, { method: 'POST', headers })
  expect(answer.status).to.equal(201)
  return answer.headers.get('location') ?? ''
}

async function sendPiece(
  { base: url }: ServerProcess,
  upload: string,
  offset: number,
  content: Buffer,
): Promise<Sent> {
  const answer = await fetch(url + upload, {
    method: 'PATCH',
    headers: {
      ...HEADERS,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
    },
    body: new Uint8Array(content.subarray(offset, offset + PIECE)),
  })
  const files = answer.status === 200 ? ((await answer.json()) as readonly StoredFile[]) : null
  if (files === null) await answer.arrayBuffer()
  return { status: answer.status, offset: Number(answer.headers.get('upload-offset')), files }
}

/** Waits for the lease of the killed process. */
async function offsetOf({ base: url }: ServerProcess, upload: string): Promise<number> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const answer = await fetch(url + upload, { method: 'HEAD', headers: HEADERS })
    if (answer.status === 200) return Number(answer.headers.get('upload-offset'))
    expect(answer.status).to.equal(423)
    expect(performance.now()).to.be.below(deadline)
  }
}

async function finish(server: ServerProcess, upload: string, content: Buffer): Promise<StoredFile> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const offset = await offsetOf(server, upload)
    const { status, files } = await sendPiece(server, upload, offset, content)
    if (files !== null) return files[0] as StoredFile
    expect([204, 409, 423]).to.include(status)
    expect(performance.now()).to.be.below(deadline)
  }
}

function untilLater(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms))
}
