import { expect } from 'chai'
import type { SyncCaller } from '../../../src/changes/sync/settle.ts'
import { ServiceUnavailableError } from '../../../src/base/errors.ts'
import { openLiveStreams, type LiveStreams } from '../../../src/changes/live/live-streams.ts'
import type { LiveClient, Sink } from '../../../src/changes/live/live-stream.ts'
import { type CommitLog, openCommitLog } from '../../../src/mongo/commits/commit-log.ts'
import { recordBulk } from '../../../src/mongo/commits/bulk-intents.ts'
import { moveHead, readHead } from '../../../src/mongo/commits/heads.ts'
import {
  commitId,
  COMMITS,
  type PendingRow,
  rowsOf,
} from '../../../src/mongo/connection/commit-record.ts'
import { parseScope } from '../../../src/changes/sync/query/parse-scope.ts'
import { readToken, type SyncToken } from '../../../src/changes/sync/query/sync-token.ts'
import {
  carryOut,
  contextOf,
  documentIdOf,
  openWorld,
  planOf,
} from '../../mongo/commits/log-world.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'
import type { CommitItem } from '../../../src/mongo/connection/database.ts'

const SCOPE = parseScope({ types: 'tag' }, new Map([['tag', planOf('tag')]]))
const UNRULED = {
  mayRead: () => true,
  ruleOf: () => null,
  limitOf: () => null,
  operandTypes: new Set<never>(),
}
const PERMITTED: SyncCaller = { ...UNRULED, maySync: () => true }
const LOCALES = {
  defaultCode: 'en',
  all: [{ code: 'en', id: 1 }],
  has: (code: string) => code === 'en',
}
const ROLE = { type: 'plugin::users-permissions.role', documentId: 'role', locale: '' } as const

describe('streams of changes', () => {
  let test: TestDatabase
  let commitLog: CommitLog
  let streams: LiveStreams
  const faults: unknown[] = []
  const onBackgroundError = (error: unknown): void => void faults.push(error)
  const openStreams = (): LiveStreams =>
    openLiveStreams({
      database: test.database,
      commitLog,
      locales: { current: () => Promise.resolve(LOCALES) },
      max: 10,
      maxPerAddress: 6,
      times: { heartbeatMs: 40, recheckMs: 300, rightsMs: 100 },
      onBackgroundError,
    })

  beforeEach(async () => {
    test = await openTestDatabase('live_streams')
    await openWorld(test.database)
    commitLog = await openCommitLog({
      database: test.database,
      retentionDays: 1,
      historyDays: 1,
      onBackgroundError,
      lookMs: 50,
    })
    streams = openStreams()
  })
  afterEach(async () => {
    await streams.close()
    await commitLog.close()
    await test.drop()
    expect(faults.splice(0)).to.deep.equal([])
  })

  function listen(client: Partial<LiveClient> = {}) {
    let text = ''
    let isEnded = false
    const sink: Sink = {
      write: (more) => {
        text += more
      },
      isBehind: () => false,
      drained: () => Promise.resolve(),
      end: (more) => {
        text += more
        isEnded = true
      },
    }
    const opened = streams.open(
      {
        scope: SCOPE,
        token: null,
        gone: [],
        userId: null,
        address: '192.0.2.1',
        identify: () => Promise.resolve(PERMITTED),
        sink,
        ...client,
      },
      () => undefined,
    )
    return {
      opened,
      text: () => text,
      told: () => text.match(/"op"/g)?.length ?? 0,
      isEnded: () => isEnded,
      token: (): SyncToken => readToken(/id: (\S+)\n\n(?![\s\S]*id: )/.exec(text)?.[1] ?? ''),
    }
  }

  const write = (document: number, name: string): Promise<unknown> =>
    carryOut(contextOf(test.database), {
      kind: 'tag',
      document,
      locale: 'en',
      status: 'published',
      what: 'create',
      data: { name },
    })

  const item = (index: number): CommitItem => ({
    type: 'api::tag.tag',
    documentId: documentIdOf('tag', index),
    locale: '',
    status: 'published',
    op: 'put',
    revision: null,
  })

  /** Commits the items, one log row per list. */
  async function commit(commits: readonly (readonly CommitItem[])[]): Promise<void> {
    const by = { kind: 'system', id: null, name: null }
    const rows = commits.flatMap((items) =>
      rowsOf({ id: commitId(null), by, requestId: null }, items),
    )
    await test.database.collection<PendingRow>(COMMITS).insertMany([...rows])
  }

  const changeRole = (): Promise<void> =>
    recordBulk(test.database, [{ ...ROLE, status: 'published', op: 'put', revision: null }], () =>
      Promise.resolve(),
    )

  const soon = (holds: () => boolean): Promise<void> =>
    until(() => Promise.resolve(holds()), 10_000)

  it('are limited per address but not for other addresses', async () => {
    const refused = async (client: Partial<LiveClient> = {}): Promise<unknown> => {
      try {
        await listen(client).opened
      } catch (error) {
        return error
      }
      return null
    }
    const fault = new Error('nobody any more')
    for (let n = 0; n < 8; n += 1) {
      expect(await refused({ identify: () => Promise.reject(fault) })).to.equal(fault)
    }
    const own = await Promise.all(Array.from({ length: 6 }, () => listen().opened))
    expect(await refused()).to.be.instanceOf(ServiceUnavailableError)
    const other = { address: '192.0.2.2' }
    const others = await Promise.all(Array.from({ length: 4 }, () => listen(other).opened))
    expect(await refused(other)).to.be.instanceOf(ServiceUnavailableError)
    own[0]?.close()
    own[0]?.close()
    const again = await listen().opened
    expect(await refused()).to.be.instanceOf(ServiceUnavailableError)
    for (const stream of [...own, ...others, again]) stream.close()
  })

  it('send heartbeats while idle', async () => {
    const { opened, text } = listen()
    await opened
    await soon(() => (text().match(/^:$/gm)?.length ?? 0) >= 2)
  })

  it('check permissions after a commit that may change them, before the next item', async () => {
    let may = true
    const caller = (): SyncCaller => ({ ...UNRULED, maySync: () => may })
    const { opened, text, told, isEnded } = listen({ identify: () => Promise.resolve(caller()) })
    await opened
    await write(0, 'a')
    await soon(() => told() === 1)
    may = false
    await changeRole()
    await write(1, 'b')
    await soon(isEnded)
    expect(told()).to.equal(1)
    expect(text()).to.contain('event: reset\ndata: {"type":"tag","reason":"permission"}')
    expect(text()).to.contain('event: end\ndata: {"reason":"permission"}')
  })

  it('pause while permissions cannot be read and then send every missed change', async () => {
    let isDown = false
    const identify = (): Promise<SyncCaller> =>
      isDown ? Promise.reject(new ServiceUnavailableError('down')) : Promise.resolve(PERMITTED)
    const { opened, told } = listen({ identify })
    await opened
    await write(0, 'a')
    await soon(() => told() === 1)
    isDown = true
    await changeRole()
    await write(1, 'b')
    const { seq } = await commitLog.refresh()
    await soon(() => commitLog.head().seq >= seq)
    expect(told()).to.equal(1)
    isDown = false
    await soon(() => told() === 2)
  })

  it('check permissions periodically', async () => {
    let asked = 0
    const identify = (): Promise<SyncCaller> => {
      asked += 1
      return Promise.resolve(PERMITTED)
    }
    await listen({ identify }).opened
    await soon(() => asked >= 3)
  })

  it('replay a long backlog and resume within a commit', async () => {
    const first = listen()
    await first.opened
    await soon(() => first.text().includes('id: '))
    const begun = first.token()
    await commit(Array.from({ length: 600 }, () => [item(0)]))
    await soon(() => first.told() === 600)
    const again = listen({ token: begun })
    await again.opened
    await soon(() => again.told() === 600)
    expect(again.token()).to.deep.equal(first.token())
    await commit([[item(0), item(1), item(2)]])
    await soon(() => first.told() === 603)
    const end = first.token()
    const inside = listen({ token: { ...end, seq: end.seq - 1, item: 1 } })
    await inside.opened
    await soon(() => inside.told() === 2)
    expect(inside.token()).to.deep.equal(end)
  })

  it('restart if the client missed too much', async () => {
    const first = listen()
    await first.opened
    await soon(() => first.text().includes('id: '))
    const begun = first.token()
    await streams.close()
    const head = await readHead(test.database)
    await moveHead(test.database, head, { seq: begun.seq + 8_193 })
    await commitLog.refresh()
    streams = openStreams()
    const again = listen({ token: begun })
    await again.opened
    expect(again.text()).to.match(
      /^id: \S+\n\nevent: reset\ndata: \{"reason":"backlog"\}\nid: \S+\n\n/,
    )
    expect(again.token().seq).to.equal(begun.seq + 8_193)
  })

  it('advance the token past changes outside the scope', async () => {
    const { opened, token } = listen()
    await opened
    const { seq } = commitLog.head()
    await commit(Array.from({ length: 260 }, () => [{ ...item(0), type: 'api::other.other' }]))
    await soon(() => token().seq >= seq + 256)
  })
})
