import { spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import sharp from 'sharp'
import type { MediaReport } from '../../../src/media/check-media.ts'
import { png } from '../../media/sample-images.ts'
import { type S3Server, startS3Server } from '../../media/storage/s3-server.ts'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../../support/server-process.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const CLI = fileURLToPath(new URL('../../../src/cli/cli.js', import.meta.url))

const KILLS = Number(process.env['QUIRE_MEDIA_KILLS'] ?? 2)
const UPLOADS = Number(process.env['QUIRE_MEDIA_UPLOADS'] ?? 40)
const STORAGES = (process.env['QUIRE_MEDIA_STORAGES'] ?? 'local,gridfs,s3').split(',')
const CLIENTS = 4

const TYPES = {
  note: {
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    attributes: { picture: { type: 'media' } },
  },
}

const HEADERS = { authorization: `Bearer ${ROOT_TOKEN}` }

interface StoredPicture {
  readonly url: string
  readonly width: number
  readonly height: number
}

interface StoredFile extends StoredPicture {
  readonly id: number
  readonly formats: Readonly<Record<string, StoredPicture>> | null
}

for (const storage of STORAGES) {
  describe(`a server that is killed while it stores in ${storage}`, () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'quire-media-crash-'))
    const types = writeContentTypes(TYPES)
    let s3: S3Server | null = null
    let env: Readonly<Record<string, string>>

    before(async () => {
      s3 = storage === 's3' ? await startS3Server() : null
      const uri = process.env['MONGODB_URI']
      env = {
        ...(uri === undefined ? { QUIRE_DATABASE: 'embedded' } : { MONGODB_URI: uri }),
        ...(s3?.environment ?? { UPLOAD_STORAGE: storage }),
        MONGODB_DATABASE: `quire_test_media_${randomBytes(4).toString('hex')}`,
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

    it(`has intact media after a check, ${UPLOADS} uploads and ${KILLS} kills`, async function () {
      this.timeout(900_000)
      const picture = await png(600, 400)
      const kept = new Map<number, StoredFile>()
      let found = 0
      for (let round = 0; round < KILLS; round += 1) {
        const server = await startServerProcess(env)
        await storeUntilKilled(server, Math.ceil(UPLOADS / KILLS), picture, kept)
        const report = await check(env, '--repair')
        found += report.faults.length
        expect(report.repaired).to.equal(true)
      }
      const { faults, young, records } = await check(env)
      expect([faults, young]).to.deep.equal([[], 0])
      expect(records).to.be.at.least(kept.size)
      const server = await startServerProcess(env)
      for (const id of kept.keys()) {
        const file = await send<StoredFile>(server, 'GET', `/api/upload/files/${id}`)
        if (file === null) throw new Error('the server is gone')
        for (const { url, width, height } of [file, ...Object.values(file.formats ?? {})]) {
          const answer = await fetch(`${server.base}${url}`)
          expect(answer.status, url).to.equal(200)
          const seen = await sharp(await answer.arrayBuffer()).metadata()
          expect([seen.width, seen.height], url).to.deep.equal([width, height])
        }
      }
      expect(await server.stop()).to.equal(0)
      const figures = `${records} records, ${kept.size} acknowledged, ${found} faults repaired`
      if (process.env['QUIRE_MEDIA_KILLS'] !== undefined) process.stdout.write(`${figures}\n`)
    })
  })
}

/**
 * Uploads pictures from several clients, deletes every third and replaces the next one. Kills the
 * server in between.
 */
async function storeUntilKilled(
  server: ServerProcess,
  uploads: number,
  picture: Buffer,
  kept: Map<number, StoredFile>,
): Promise<void> {
  const killAt = randomInt(Math.floor(uploads / 2), uploads)
  const body = multipart({ files: [{ name: 'a.png', content: picture, type: 'image/png' }] })
  const wide = await png(900, 200)
  const other = multipart({ files: [{ name: 'b.png', content: wide, type: 'image/png' }] })
  let next = 0
  const end = { killed: undefined as Promise<void> | undefined }
  const kill = (): void => {
    end.killed ??= server.kill()
  }
  const work = async (): Promise<void> => {
    while (next < uploads && end.killed === undefined) {
      next += 1
      if (next === killAt) setTimeout(kill, randomInt(0, 60))
      const file = await send<readonly StoredFile[]>(server, 'POST', '/api/upload', body)
      if (file?.[0] === undefined) return
      kept.set(file[0].id, file[0])
      if (next % 3 === 0) {
        kept.delete(file[0].id) // it may still exist: a deletion without a response is no loss
        await send(server, 'DELETE', `/api/upload/files/${file[0].id}`)
      } else if (next % 3 === 1) await send(server, 'POST', `/api/upload?id=${file[0].id}`, other)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, work))
  kill()
  await end.killed
}

/** Null if the connection was lost before the response. */
async function send<T>(
  { base }: ServerProcess,
  method: string,
  target: string,
  body?: Buffer,
): Promise<T | null> {
  try {
    const headers = body === undefined ? HEADERS : { ...HEADERS, ...MULTIPART }
    const answer = await fetch(`${base}${target}`, {
      method,
      headers,
      ...(body !== undefined && { body: new Uint8Array(body) }),
    })
    expect(answer.status).to.be.oneOf([200, 201])
    return (await answer.json()) as T
  } catch (error) {
    if (error instanceof TypeError) return null // fetch throws this for a lost connection
    throw error
  }
}

/** Runs the command in its own process. No server runs, so no file counts as too recent. */
async function check(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<MediaReport> {
  const args = [CLI, 'media', 'check', '--json', '--grace', '0', ...words]
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'] ?? '', ...env } })
  const exited = once(child, 'exit')
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await exited
  if (out === '') throw new Error(`quire media check said nothing: ${error}`)
  const report = JSON.parse(out) as MediaReport
  expect(status).to.equal(report.faults.length > 0 && !report.repaired ? 1 : 0)
  return report
}
