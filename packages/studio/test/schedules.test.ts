import { expect } from 'chai'
import {
  type NewSchedule,
  replaceSchedules,
  schedulesRefreshMs,
  type Schedule,
} from '../src/api/schedules.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')

function dueIn(seconds: number, state: Schedule['state'] = 'waiting'): Schedule {
  return {
    id: String(seconds),
    kind: 'document',
    title: 'Spring',
    at: new Date(NOW + seconds * 1_000).toISOString(),
    state,
    nextAttemptAt: null,
    failure: null,
    by: { kind: 'administrator', name: 'Ada' },
  }
}

describe('lookAgainMs', () => {
  for (const [situation, schedules, wanted] of [
    ['no response yet', undefined, 15_000],
    ['no schedules', [], 15_000],
    ['a schedule for tomorrow', [dueIn(86_400)], 15_000],
    ['two schedules, the next in 4 s', [dueIn(60), dueIn(4)], 5_000],
    ['an overdue schedule', [dueIn(-5)], 1_000],
    ['a long overdue schedule, because clocks differ', [dueIn(-60)], 15_000],
    ['failed schedules', [dueIn(-5, 'failed'), dueIn(3, 'failed')], 15_000],
  ] as const) {
    it(`returns ${wanted} ms for ${situation}`, () => {
      expect(schedulesRefreshMs(schedules, NOW)).to.equal(wanted)
    })
  }
})

describe('replaceSchedules', () => {
  const { fetch } = globalThis
  afterEach(() => {
    globalThis.fetch = fetch
  })

  /** A server with the old schedules `old-1` and `old-2`. `failing` is a request, as `DELETE old-1`. */
  function serve(failing: string, status: number): ReadonlySet<string> {
    const stored = new Set(['old-1', 'old-2'])
    globalThis.fetch = (target, { method = '' } = {}) => {
      const path = typeof target === 'string' ? target : ''
      const id =
        method === 'POST' ? `new-${path.split('locale=')[1]}` : (path.split('/').at(-1) ?? '')
      if (`${method} ${id}` === failing) {
        return status === 0 ? Promise.reject(new TypeError()) : answer(status, { error: {} })
      }
      if (method === 'POST') stored.add(id)
      else stored.delete(id)
      return method === 'POST' ? answer(202, { data: { id } }) : answer(204, null)
    }
    return stored
  }

  const answer = (status: number, body: object | null): Promise<Response> =>
    Promise.resolve(new Response(body && JSON.stringify(body), { status }))

  const schedules: readonly NewSchedule[] = ['en', 'de'].map((locale) => ({
    uid: 'api::article.article',
    documentId: 'a',
    locale,
    action: 'publish',
    at: '2027-01-01T00:00:00.000Z',
  }))

  const OLD = ['old-1', 'old-2']
  const NEW = ['new-en', 'new-de']
  for (const [situation, failing, status, left] of [
    ['no failure', '', 0, NEW],
    ['a new one is refused', 'POST new-de', 403, OLD],
    ['the old one was carried out', 'DELETE old-1', 404, OLD],
    ['only the second old one was carried out', 'DELETE old-2', 404, ['old-2', ...NEW]],
    ['the cancellation has no response', 'DELETE old-1', 0, [...OLD, ...NEW]],
  ] as const) {
    it(`leaves ${left.join(' and ')} after ${situation}`, async () => {
      const stored = serve(failing, status)
      const outcome = await replaceSchedules(OLD, schedules).catch((error: unknown) => error)
      expect([...stored]).to.have.members(left)
      expect(outcome instanceof Error).to.equal(failing !== '')
    })
  }
})
