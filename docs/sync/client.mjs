// A client for `GET /api/_sync` in plain JavaScript: docs/sync.md in code. It needs `fetch` and nothing else.
//
//   const copy = openCopy({ url: 'https://cms.example.org', token, scope: { types: 'article,tag' }, store })
//   await copy.pull()            // everything at first, then what has changed
//   await copy.pull({ wait: 25 }) // answers when something has changed, or after 25 seconds
//   await copy.follow(signal)    // for ever, with pauses where the server cannot be reached
//
// `store` keeps rows and one token, both or neither: `apply` is one transaction.

/** A store in memory. One on a disk has the same five members. */
export function memoryStore() {
  const rows = new Map()
  let token = null
  return {
    rows,
    /** The token that the rows are of; null where there are none. */
    getToken: () => Promise.resolve(token),
    /** Puts and removes rows, and keeps the token, all or nothing. */
    apply: (changes, next) => {
      for (const change of changes) {
        if (change.kind === 'put') rows.set(change.key, change.row)
        else if (change.kind === 'delete') rows.delete(change.key)
        else for (const [key, row] of rows) if (change.matches(row)) rows.delete(key)
      }
      token = next
      return Promise.resolve()
    },
    /** Forgets everything. */
    clear: () => {
      rows.clear()
      token = null
      return Promise.resolve()
    },
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** What one row is known by: a document has one in each locale. */
const keyOf = ({ type, documentId, locale }) => `${type} ${documentId} ${locale ?? ''}`

function changeOf(item) {
  switch (item.op) {
    case 'put':
      return { kind: 'put', key: keyOf(item), row: item }
    case 'delete':
      return { kind: 'delete', key: keyOf(item) }
    case 'reset':
      return {
        kind: 'reset',
        matches: ({ type, locale }) =>
          type === item.type && (item.locale === undefined || item.locale === locale),
      }
    default:
      throw new Error(`an operation that this client does not know: ${item.op}`)
  }
}

export class SyncError extends Error {
  constructor(status, body) {
    super(body?.error?.message ?? `status ${status}`)
    this.status = status
    this.details = body?.error?.details ?? {}
  }
}

export function openCopy({ url, token: credential, scope, store, fetch = globalThis.fetch }) {
  const get = async (parameters, signal) => {
    const query = new URLSearchParams(parameters).toString()
    const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` }
    const response = await fetch(`${url}/api/_sync?${query}`, { headers, signal })
    const body = await response.json().catch(() => null)
    if (response.status !== 200) throw new SyncError(response.status, body)
    return body
  }

  /** One page, stored with its token before the next is asked for. */
  const pullPage = async ({ wait = 0, signal }) => {
    const held = await store.getToken()
    const parameters =
      held === null ? scope : wait > 0 ? { token: held, wait: String(wait) } : { token: held }
    const { items, next, more } = await get(parameters, signal)
    await store.apply(items.map(changeOf), next)
    return { changed: items.length > 0, more }
  }

  /** Pages until there are no more. True where something has changed. */
  const pull = async ({ wait = 0, signal } = {}) => {
    let changed = false
    let beganAgain = false
    for (let isFirst = true; ; isFirst = false) {
      let page
      try {
        page = await pullPage({ wait: isFirst ? wait : 0, signal })
      } catch (error) {
        if (!(error instanceof SyncError) || error.status !== 410) throw error
        await store.clear() // the log does not go back so far: everything once more
        if (beganAgain) throw error // a cache has the first page from before: later, then
        changed = beganAgain = true
        continue
      }
      changed ||= page.changed
      if (!page.more) return changed
    }
  }

  /** Pulls again and again until the signal; tells after each change, and waits ever longer where it fails. */
  const follow = async (signal, onChange = () => undefined) => {
    let pauseMs = 1_000
    while (!signal.aborted) {
      try {
        const asked = Date.now()
        if (await pull({ wait: 25, signal })) onChange()
        else if (Date.now() - asked < 1_000) await pause(1_000) // a cache has answered at once
        pauseMs = 1_000
      } catch (error) {
        const isRefused =
          error instanceof SyncError && ![410, 429].includes(error.status) && error.status < 500
        signal.throwIfAborted() // whatever a fetch that is aborted within its answer throws
        if (isRefused) throw error
        await pause(pauseMs * (0.5 + Math.random()))
        pauseMs = Math.min(2 * pauseMs, 60_000)
      }
    }
  }
  return { pull, follow }
}
