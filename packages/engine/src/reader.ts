import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { decodeDocument } from './bson/decode.ts'
import { encodeDocument } from './bson/encode.ts'
import { RawDocument } from './bson/values.ts'
import { setNullOverLists } from './filter/null-over-lists.ts'
import { openClusterTime } from './request/cluster-time.ts'
import { createCursorTable } from './request/cursors.ts'
import type { Engine } from './request/engine.ts'
import { openMajority } from './request/majority.ts'
import { createSessionTable } from './request/sessions.ts'
import { dispatchMessage } from './server/dispatch.ts'
import { READER_LOADED, READER_READY } from './server/reader-protocol.ts'
import type { ReaderReply, ReaderRequest, ReaderOptions } from './server/reader-protocol.ts'
import { groupCommits } from './storage/group-commits.ts'
import { openReplica } from './storage/replica.ts'
import { openStore } from './storage/store.ts'

// A process can be killed at any point. Terminating a thread inside a call of lmdb 3.5.6 crashes
// the whole process (`ThrowAsJavaScriptException` in node-addon-api).

const SWEEP_EVERY_MS = 30_000

const { directory, durable, address, nullOverLists, owner } = JSON.parse(
  process.argv[2] ?? '{}',
) as ReaderOptions
setNullOverLists(nullOverLists)
// Not by `exit`, which closes LMDB: the last process that closes a file invalidates its locks (lmdb
// 3.5.6), also for an engine that another process is opening.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
const watch = new URL(`./orphan-watch${import.meta.url.slice(-3)}`, import.meta.url)
new Worker(watch, { workerData: { owner }, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()
process.send?.(READER_LOADED)
await once(process, 'message')
const store = openStore({ directory, durable, readOnly: true })
const replica = openReplica(store)
const cursors = createCursorTable('reader')
const engine: Engine = {
  data: replica.data,
  writes: groupCommits(replica.data),
  cursors,
  sessions: createSessionTable(replica.data, cursors, {}),
  majority: openMajority(replica.data, {}),
  clusterTime: { ...openClusterTime(), hasReached: () => true }, // the engine has checked the times
  strictness: {},
  failPoints: null,
  address,
  startedAt: new Date(),
  close: () => store.close(),
}
const engines = {
  current: () => engine,
  noteRefusal: () => undefined,
  disconnected: () => undefined,
  news: () => ({ commit: NaN, changes: new Map() }),
  holdCommits: () => () => undefined,
  releaseDeadReaders: () => undefined,
  close: () => engine.close(),
}

async function answer({ body, leftMs, news }: ReaderRequest): Promise<ReaderReply> {
  replica.refresh(news)
  const bodyBytes = Buffer.from(body)
  const message = {
    requestId: 0,
    kind: 'message',
    body: decodeDocument(bodyBytes),
    bodyBytes,
    sequences: new Map<string, readonly Buffer[]>(),
    wantsReply: true,
  } as const
  const deadline = { at: leftMs === null ? Infinity : performance.now() + leftMs }
  const reply = await dispatchMessage(engines, message, {}, () => undefined, { deadline })
  const bytes = reply instanceof RawDocument ? reply.bytes : encodeDocument(reply)
  // LMDB's own timer ends the read transaction later, on a busy machine much later. The file grows
  // until then.
  store.endRead()
  return { reply: bytes, cursors: cursors.size }
}

process.on('message', (question: ReaderRequest) => {
  void answer(question).then((reply) => process.send?.(reply))
})
process.send?.(READER_READY)
setInterval(() => cursors.sweep(), SWEEP_EVERY_MS).unref()
