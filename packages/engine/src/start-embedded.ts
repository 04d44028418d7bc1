import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { claimFolder } from './ownership.ts'
import type { FolderClaim } from './ownership.ts'
import type { ListenAddress } from './server/server.ts'
import type { Strictness } from './request/strictness.ts'
import type { WorkerOptions } from './worker.ts'

export interface EmbeddedOptions {
  /** The data folder. Created if it does not exist. */
  readonly directory: string
  /** False skips the sync to disk before a write is acknowledged, for tests. @default true */
  readonly durable?: boolean
  /** For tests of code that must also run on a MongoDB cluster. Ignored for guests. */
  readonly strictness?: Strictness
}

export interface EmbeddedEngine {
  readonly uri: string
  /** A guest uses the engine that another process runs on the same folder. */
  readonly role: 'owner' | 'guest'
  /** Stops the engine with its last user in this process. A guest leaves the engine running. */
  close(): Promise<void>
}

export class FolderError extends Error {
  override readonly name = 'FolderError'
}

interface Shared {
  readonly engine: Promise<EmbeddedEngine>
  users: number
}

const running = new Map<string, Shared>()
const ending = new Map<string, Promise<void>>()

const GUEST_TIMEOUT_MS = 15_000
const GUEST_INTERVAL_MS = 20
const MAX_SOCKET_PATH_BYTES = 100

/** A folder that only this user may enter. Socket paths are limited to about 100 bytes. */
function privateFolder(directory: string): string {
  const folder = join(
    tmpdir(),
    `embedded-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`,
  )
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
    throw new FolderError(`${folder} belongs to someone else, or others may enter it`)
  return folder
}

function listenAt(directory: string): ListenAddress {
  if (process.platform === 'win32') return { host: '127.0.0.1', port: 0 }
  const path = join(directory, 'engine.sock')
  return {
    path:
      Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES
        ? join(privateFolder(directory), 'engine.sock')
        : path,
  }
}

/**
 * While a slow disk syncs, the engine cannot answer `hello` for seconds. A shorter timeout would
 * interrupt writes. If the engine's process ends, the connection closes at once.
 */
const SILENT_MS = 60_000

function uriOf(listen: ListenAddress, port: number | null): string {
  const host = 'path' in listen ? encodeURIComponent(listen.path) : `${listen.host}:${port}`
  return `mongodb://${host}/?directConnection=true&connectTimeoutMS=${SILENT_MS}`
}

type WorkerMessage =
  { readonly kind: 'listening'; readonly port: number | null } | { readonly kind: 'closed' }

function heard<K extends WorkerMessage['kind']>(
  worker: Worker,
  kind: K,
): Promise<Extract<WorkerMessage, { kind: K }>> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the embedded engine ended unexpectedly')))
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === kind) resolve(message as Extract<WorkerMessage, { kind: K }>)
    })
  })
}

type OpenOptions = Required<Omit<EmbeddedOptions, 'directory'>>

async function runOwned(
  directory: string,
  { durable, strictness }: OpenOptions,
  claim: FolderClaim & { role: 'owner' },
): Promise<EmbeddedEngine> {
  const listen = listenAt(directory)
  if ('path' in listen) rmSync(listen.path, { force: true })
  const workerData: WorkerOptions = { directory, durable, strictness, listen }
  const worker = new Worker(new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url), {
    workerData,
  })
  const { port } = await heard(worker, 'listening').catch(async (error: unknown) => {
    await claim.release()
    throw error
  })
  worker.on('error', () => undefined)
  const uri = uriOf(listen, port)
  await claim.announce(uri)
  // Lets a program exit that forgot to close the engine.
  worker.unref()
  return {
    uri,
    role: 'owner',
    async close() {
      const closed = heard(worker, 'closed')
      worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
      worker.postMessage('close')
      await closed
      await worker.terminate()
      await leave(listen, claim)
    },
  }
}

// If the disk fails, the remains look like those of a dead process, which is harmless.
async function leave(listen: ListenAddress, claim: FolderClaim & { role: 'owner' }): Promise<void> {
  try {
    if ('path' in listen) rmSync(listen.path, { force: true })
    await claim.release()
  } catch {
    return
  }
}

function socketOf(uri: string): { path: string } | { host: string; port: number } {
  const host = /^mongodb:\/\/([^/]+)\//.exec(uri)?.[1] ?? ''
  const path = decodeURIComponent(host)
  if (path.startsWith('/')) return { path }
  const { hostname, port } = new URL(`tcp://${host}`)
  return { host: hostname, port: Number(port) }
}

function isReachable(uri: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketOf(uri))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** If the owner ends in the meantime, this process may become the owner. */
async function openFolder(directory: string, options: OpenOptions): Promise<EmbeddedEngine> {
  const end = performance.now() + GUEST_TIMEOUT_MS
  for (;;) {
    const claim = await claimFolder(directory)
    if (claim.role === 'owner') return runOwned(directory, options, claim)
    const { uri, pid } = claim
    if (uri !== null && (await isReachable(uri)))
      return { uri, role: 'guest', close: () => Promise.resolve() }
    if (performance.now() > end)
      throw new FolderError(`${directory} is in use by process ${pid}, which does not answer`)
    await wait(GUEST_INTERVAL_MS)
  }
}

/**
 * Runs the engine on a folder, or joins a running one. @throws FolderError if the folder cannot be
 * read and written, has a newer format, or belongs to a living process that does not answer
 */
export async function startEmbedded({
  directory,
  durable = true,
  strictness = {},
}: EmbeddedOptions): Promise<EmbeddedEngine> {
  const folder = await orFolderError(directory, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return realpathSync(directory)
  })
  await ending.get(folder)
  let shared = running.get(folder)
  if (!shared) {
    const engine = orFolderError(folder, () => openFolder(folder, { durable, strictness }))
    running.set(folder, (shared = { engine, users: 0 }))
  }
  const mine = shared
  mine.users++
  try {
    const { uri, role } = await mine.engine
    return { uri, role, close: closer(folder, mine) }
  } catch (error) {
    running.delete(folder)
    throw error
  }
}

async function orFolderError<T>(directory: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isOfSystem(error)) throw error
    throw new FolderError(`${directory} cannot be opened: ${error.message}`, { cause: error })
  }
}

/** Errors of the system, LMDB and the engine have a code. A worker message loses the class. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && ('code' in error || error.name === 'CommandError')
}

function closer(folder: string, shared: Shared): () => Promise<void> {
  let closing: Promise<void> | null = null
  const close = async (): Promise<void> => {
    if (--shared.users > 0) return
    running.delete(folder)
    const engine = await shared.engine
    const ended = engine.close().finally(() => ending.delete(folder))
    ending.set(folder, ended)
    await ended
  }
  return () => (closing ??= close())
}
