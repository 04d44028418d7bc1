import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import sharp from 'sharp'

// `node dist/tools/bench/src/bench-uploads.js --megabytes 1024 --images 200`: measures the
// memory of a server during one large upload and during many image uploads. The environment
// configures storage and database. For s3 the bucket must exist. Runs on Linux only, because it
// reads /proc.

const MAIN = fileURLToPath(new URL('../../../src/server/main.js', import.meta.url))
const TOKEN = 'a-root-token-for-the-bench-of-uploads'
const BOUNDARY = 'boundary-of-the-bench'
const MEGABYTE = 1_048_576
const SAMPLE_MS = 20

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '1024' },
    images: { type: 'string', default: '200' },
  },
})
const directory = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const server = spawn(process.execPath, [MAIN], {
  env: {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
    ROOT_API_TOKEN: TOKEN,
    QUIRE_DATA_DIR: directory,
    MONGODB_DATABASE: `quire_bench_${randomBytes(4).toString('hex')}`,
    MAX_UPLOAD_BYTES: String((Number(values.megabytes) + 1) * MEGABYTE),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const exited = once(server, 'exit')
try {
  const base = await addressOf(server)
  await post(base, 'warm.bin', chunksOf(1)) // code that is loaded lazily is not growth
  await measure(`one upload of ${values.megabytes} MiB`, () =>
    post(base, 'large.bin', chunksOf(Number(values.megabytes))),
  )
  const picture = await noise(2000, 1500)
  await post(base, 'warm.jpg', [picture])
  await measure(`${values.images} images of 3 megapixels at once`, () =>
    Promise.all(
      Array.from({ length: Number(values.images) }, () => post(base, 'image.jpg', [picture])),
    ),
  )
} finally {
  server.kill('SIGTERM')
  await exited
  rmSync(directory, { recursive: true, force: true })
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no standard output')
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /listens on (http:\/\/[^;\s"]+)/.exec(line)?.[1]
    if (address === undefined) continue
    child.stdout.resume()
    return address
  }
  throw new Error('the server ended before it listened')
}

/** `total` includes mapped files, `own` is anonymous memory. */
function memory(): { readonly total: number; readonly own: number } {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const of = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  return { total: of('VmRSS'), own: of('RssAnon') }
}

async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const before = memory()
  const peak = { ...before }
  const timer = setInterval(() => {
    const now = memory()
    peak.total = Math.max(peak.total, now.total)
    peak.own = Math.max(peak.own, now.own)
  }, SAMPLE_MS)
  const started = performance.now()
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  const seconds = (performance.now() - started) / 1000
  const grown = (name: 'total' | 'own'): string =>
    `${before[name].toFixed(0)} → ${peak[name].toFixed(0)} MB (+${(peak[name] - before[name]).toFixed(0)})`
  console.log(
    `${what}: ${seconds.toFixed(1)} s, resident ${grown('total')}, anonymous ${grown('own')}`,
  )
}

/** Distinct bytes, so that storage cannot deduplicate them. */
function* chunksOf(megabytes: number): Generator<Buffer> {
  const chunk = randomBytes(MEGABYTE)
  for (let index = 0; index < megabytes; index += 1) {
    const next = Buffer.from(chunk)
    next.writeUInt32BE(index)
    yield next
  }
}

async function post(base: string, name: string, chunks: Iterable<Buffer>): Promise<void> {
  const outgoing = request(`${base}/api/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
  })
  const answered = once(outgoing, 'response') as Promise<[NodeJS.ReadableStream & Answered]>
  const part = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`
  const body = function* (): Generator<Buffer> {
    yield Buffer.from(part)
    yield* chunks
    yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  }
  const [[answer]] = await Promise.all([answered, pipeline(Readable.from(body()), outgoing)])
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 201) throw new Error(`${name} was answered with ${answer.statusCode}`)
}

interface Answered {
  readonly statusCode?: number
}

function noise(width: number, height: number): Promise<Buffer> {
  const raw = randomBytes(width * height * 3)
  return sharp(raw, { raw: { width, height, channels: 3 } })
    .jpeg()
    .toBuffer()
}
