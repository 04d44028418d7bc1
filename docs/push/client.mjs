// A client for `POST /api/_push` in plain JavaScript: docs/push.md in code. It needs `fetch` and `crypto` and nothing else.
//
//   const store = openStore({ url: 'https://cms.example.org', token, user, types: 'note', storage: memoryStorage() })
//   await store.sync()                                   // sends pending changes, then reads the changes of others
//   const id = await store.create('note', { title: 'a' }) // shown at once, also without a network
//   await store.update('note', id, { title: { set: 'b' } })
//   await store.rows()                                   // the copy, with pending changes
//   await store.conflicts()                              // refused and clashing changes, until `resolve(n)`
//
// `user` is the documentId of the signed-in user. `storage` keeps one value: each `write` is one transaction.

const MAX_MUTATIONS = 100
const MAX_BYTES = 1_000_000

/** A storage in memory. One on a disk has the same two members. */
export function memoryStorage() {
  let held = null
  return {
    read: async () => structuredClone(held),
    write: async (state) => void (held = structuredClone(state)),
  }
}

async function errorOf(response) {
  const body = await response.json().catch(() => null) // a proxy may respond with a page of its own
  const { message = `status ${response.status}`, details = {} } = body?.error ?? {}
  const code = response.headers.get('error-code')
  return Object.assign(new Error(message), { status: response.status, code, details })
}

const COUNTS = { log: null, n: 0, sent: 0, ack: 0, token: null }
/** Another storage, or the same one after its loss, must have another client id. */
const newState = () => ({
  client: crypto.randomUUID(),
  ...COUNTS,
  rows: {},
  queue: [],
  conflicts: [],
})

const keyOf = ({ type, documentId, locale = null }) => `${type} ${documentId} ${locale ?? ''}`

/** The documentId of a creation: 23 digits of a digest in base 36. */
async function createdId(user, client, n) {
  const bytes = new TextEncoder().encode(`push:${user}:${client}:${n}`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const number = digest.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return `p${number.toString(36).padStart(23, '0').slice(0, 23)}`
}

/** The key of an element of a list: of a relation, a component or a zone. */
function elementKey(element) {
  if (typeof element !== 'object' || element === null) return element
  return element.__component === undefined ? element.id : `${element.__component}:${element.id}`
}

/** The value after an operation, as the user sees it while the mutation is pending. */
function valueAfter(value, operation) {
  if ('set' in operation) return operation.set
  if ('inc' in operation) return (value ?? 0) + operation.inc
  const { connect = [], disconnect = [], remove = [], move = [], append = [] } = operation
  const place = (list, element, after) => {
    const others = list.filter((one) => elementKey(one) !== elementKey(element))
    const at = others.findIndex((one) => elementKey(one) === after)
    const index = after === null ? 0 : at === -1 ? others.length : at + 1
    return others.toSpliced(index, 0, element)
  }
  const gone = [...disconnect, ...remove]
  let list = (value ?? []).filter((one) => !gone.includes(elementKey(one)))
  for (const { documentId, after } of connect) list = place(list, documentId, after)
  for (const { key, after } of move) {
    for (const one of list.filter((each) => elementKey(each) === key))
      list = place(list, one, after)
  }
  return [...list, ...append]
}

/** Rows by key: the copy, and on top of it the mutations that are not in it yet. */
function shownRows({ rows, queue }) {
  const shown = { ...rows }
  for (const mutation of queue) {
    const { op, type, documentId, locale = null, patch = {} } = mutation.line
    const key = keyOf(mutation.line)
    if (op === 'delete') delete shown[key]
    if (op !== 'create' && op !== 'update') continue
    const row = shown[key] ?? { type, documentId, locale, revision: null, data: { documentId } }
    const data = { ...row.data }
    for (const [name, one] of Object.entries(patch)) data[name] = valueAfter(data[name], one)
    shown[key] = { ...row, data }
  }
  return shown
}

function withoutReset(rows, { type, locale }) {
  const isReset = (row) => row.type === type && (locale === undefined || row.locale === locale)
  return Object.fromEntries(Object.entries(rows).filter(([, row]) => !isReset(row)))
}

export function openStore({ status = 'published', fetch = globalThis.fetch, ...options }) {
  const { url, token, user, types, storage } = options
  let running = Promise.resolve()
  /** Changes the stored state. One change after the other. */
  const change = (work) => {
    const done = running.then(async () => {
      const state = (await storage.read()) ?? newState()
      const result = await work(state)
      await storage.write(state)
      return result
    })
    running = done.catch(() => undefined)
    return done
  }
  const read = () => change((state) => structuredClone(state))

  const request = async (path, { body, headers = {} }) => {
    const response = await fetch(`${url}/api/${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { method: 'POST', body }),
    })
    if (response.status !== 200) throw await errorOf(response)
    return response.text()
  }

  const add = (state, line) => {
    state.n += 1
    state.queue.push({ line: { n: state.n, ...line }, outcome: null })
  }
  /** The result of an earlier mutation, or the revision of the row. */
  const baseOf = ({ queue, rows }, place) => {
    const earlier = queue.findLast(({ line }) => keyOf(line) === keyOf(place))
    if (earlier === undefined) return rows[keyOf(place)]?.revision ?? null
    const { outcome, line } = earlier
    return outcome?.revision && !outcome.rebased ? outcome.revision : { n: line.n }
  }
  const write = (op, type, documentId, { locale, more = () => ({}) }) =>
    change((state) => {
      const place = { type, documentId, ...(locale !== undefined && { locale }) }
      add(state, { op, ...place, base: baseOf(state, place), ...more(state, place) })
    })
  const create = (type, values, { locale } = {}) =>
    change(async (state) => {
      const documentId = await createdId(user, state.client, state.n + 1)
      const patch = Object.fromEntries(Object.entries(values).map(([name, set]) => [name, { set }]))
      add(state, { op: 'create', type, documentId, ...(locale !== undefined && { locale }), patch })
      return documentId
    })
  const update = (type, documentId, patch, { locale } = {}) => {
    const more = (state, place) => {
      const data = shownRows(state)[keyOf(place)]?.data ?? {}
      const seen = Object.keys(patch).map((name) => [name, data[name] ?? null])
      return { patch, seen: Object.fromEntries(seen) }
    }
    return write('update', type, documentId, { locale, more })
  }
  const remove = (type, documentId, { locale } = {}) =>
    write('delete', type, documentId, { locale })

  /** Mutations without an outcome, in order, as many as fit into a request. */
  const nextBatch = ({ queue }) => {
    let bytes = 0
    const unsent = queue.filter(({ outcome }) => outcome === null).slice(0, MAX_MUTATIONS)
    return unsent.filter(({ line }, index) => {
      bytes += 3 * JSON.stringify(line).length
      return index === 0 || bytes <= MAX_BYTES
    })
  }

  /** Moves a mutation to the conflicts. The number stays in the queue as `skip` while the server has no outcome. */
  const fail = (state, entry, outcome, isUnsent = false) => {
    const { line } = entry
    if (line.op !== 'skip') state.conflicts.push({ line, outcome })
    if (isUnsent) entry.line = { n: line.n, op: 'skip' }
    else state.queue = state.queue.filter((one) => one !== entry)
  }
  const failSent = (state, last) => {
    const open = state.queue.filter(({ line, outcome }) => outcome === null && line.n <= last)
    for (const entry of open) {
      fail(state, entry, { n: entry.line.n, outcome: 'conflict', code: 'unknown_outcome' })
    }
  }

  const settle = (state, outcome) => {
    const entry = state.queue.find(({ line }) => line.n === outcome.n)
    state.ack = Math.max(state.ack, outcome.n)
    if (entry === undefined) return
    const isFailed = outcome.outcome === 'conflict' || outcome.outcome === 'refused'
    if (isFailed) return fail(state, entry, outcome)
    const stored = state.rows[keyOf(entry.line)]?.revision ?? null
    entry.outcome = outcome
    // Nothing was written, or the row has the change already: no page will bring it.
    const isDone =
      entry.line.op === 'skip' || outcome.changed === false || stored === outcome.revision
    if (isDone) state.queue = state.queue.filter((one) => one !== entry)
  }

  /** What to do after a request that the server refused as a whole. False: nothing but a retry helps. */
  const recover = (state, batch, error, sentBefore) => {
    if (error.code === 'push_log_changed') {
      failSent(state, sentBefore)
      Object.assign(state, { log: null, ack: sentBefore, sent: sentBefore })
      return true
    }
    if (error.code === 'push_gap' && error.details.last >= batch[0].line.n) {
      const { last } = error.details
      failSent(state, last)
      Object.assign(state, { ack: last, n: Math.max(state.n, last) })
      return true
    }
    // The path begins with the line of the body. The first line describes the client.
    const refused = error.status === 400 && batch[Number(error.details.errors?.[0]?.path[0]) - 2]
    const entry = refused && state.queue.find(({ line }) => line.n === refused.line.n)
    if (!entry || entry.line.op === 'skip') return false
    const { message, code } = error
    fail(state, entry, { n: entry.line.n, outcome: 'refused', code, error: { message } }, true)
    return true
  }

  /** Sends one batch. True if there may be more. */
  const pushBatch = async () => {
    const { head, batch, sentBefore } = await change((state) => {
      const unsent = structuredClone(nextBatch(state))
      const { client, log, ack, sent } = state
      state.sent = Math.max(sent, unsent.at(-1)?.line.n ?? 0)
      const known = log === null ? { start: ack } : { ack }
      return { head: { client, log, status, ...known }, batch: unsent, sentBefore: sent }
    })
    if (batch.length === 0) return false
    const lines = [head, ...batch.map(({ line }) => line)]
    const body = lines.map((line) => JSON.stringify(line)).join('\n')
    try {
      const headers = { 'content-type': 'application/x-ndjson' }
      const text = await request('_push', { body, headers })
      const [{ log }, ...answers] = JSON.parse(`[${text.trim().replaceAll('\n', ',')}]`)
      const end = answers.findIndex(({ outcome }) => outcome === 'retry')
      const final = end === -1 ? answers : answers.slice(0, end)
      await change((state) => {
        state.log = log
        for (const outcome of final) settle(state, outcome)
      })
      return final.length > 0
    } catch (error) {
      if (!(await change((state) => recover(state, batch, error, sentBefore)))) throw error
      return true
    }
  }
  const push = async () => {
    while (await pushBatch());
  }

  /** Applies a page together with its token, and drops the mutations that its rows contain. */
  const applyPage = (state, { items, next, pushed }) => {
    const changed = new Set()
    for (const item of items) {
      if (item.op === 'put') state.rows[keyOf(item)] = item
      if (item.op === 'delete') delete state.rows[keyOf(item)]
      if (item.op === 'reset') state.rows = withoutReset(state.rows, item)
      else changed.add(keyOf(item))
    }
    state.token = next
    const { rows = 0, copy = 0 } = pushed ?? {}
    state.queue = state.queue.filter(({ line, outcome }) => {
      const isIn = line.n <= copy || (changed.has(keyOf(line)) && line.n <= rows)
      return outcome === null || !isIn
    })
  }
  const pull = async () => {
    for (let more = true; more;) {
      const state = await read()
      const parameters = state.token === null ? { types, status } : { token: state.token }
      const headers = state.sent > 0 ? { 'quire-client': state.client } : {}
      try {
        const text = await request(`_sync?${new URLSearchParams(parameters)}`, { headers })
        const page = JSON.parse(text)
        await change((current) => applyPage(current, page))
        more = page.more
      } catch (error) {
        if (error.status !== 410 || state.token === null) throw error
        await change((current) => Object.assign(current, { token: null, rows: {} }))
      }
    }
  }

  return {
    create,
    update,
    remove,
    push,
    pull,
    sync: () => push().then(pull),
    rows: async () => Object.values(shownRows(await read())),
    pending: async () => (await read()).queue.map(({ line }) => line),
    conflicts: async () => (await read()).conflicts,
    /** The user has decided about a conflict. */
    resolve: (n) =>
      change(
        (state) => void (state.conflicts = state.conflicts.filter(({ line }) => line.n !== n)),
      ),
  }
}
