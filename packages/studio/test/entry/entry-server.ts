import type { Data } from '../../src/entry/data.ts'
import { Autosave } from '../../src/entry/autosave.ts'
import type { EntryDoor, SaveAnswer } from '../../src/entry/door.ts'
import { FormStore } from '../../src/entry/form-store.ts'
import type { KeptWork } from '../../src/entry/kept-work.ts'
import type { ConflictAuthor } from '../../src/entry/merge.ts'
import { restoreWork } from '../../src/entry/unsaved.ts'
import { newValues, toFormValues } from '../../src/entry/values.ts'
import { applied, ARTICLE, COMPONENTS, reading } from './samples.ts'

const START: Data = {
  title: 'Atlas',
  views: 1,
  quotes: [{ id: 1, text: 'a', source: 's', countries: [] }],
}

export function authorNamed(name: string): ConflictAuthor {
  return { kind: 'administrator', id: name, name, at: '2026-01-02T03:04:05.000Z' }
}

/** The parts of a form that remain when it closes. */
interface StoredForm {
  readonly server: Server
  readonly clock: Clock
  readonly kept: { work: KeptWork | null }
}

interface Opening {
  readonly isAutomatic?: boolean
  readonly isNew?: boolean
  readonly before?: StoredForm
}

export type OpenedForm = ReturnType<typeof openForm>

export function openForm({ isAutomatic = true, isNew = false, before }: Opening = {}) {
  const read = reading()
  const { server, clock, kept } = before ?? startEmpty(isNew)
  const base = isNew ? newValues(ARTICLE, read) : toFormValues(ARTICLE, server.entry, read)
  const form = new FormStore(base)
  const unsaved = { form, attributes: ARTICLE, components: COMPONENTS, base }
  if (kept.work !== null) restoreWork(unsaved, kept.work)
  const saver = new Autosave({
    ...unsaved,
    reading: read,
    door: server,
    etag: isNew ? null : server.etag(),
    isNew,
    isAutomatic,
    keep: (work) => (kept.work = JSON.parse(JSON.stringify(work)) as KeptWork | null),
    now: () => clock.now,
    after: (wait, act) => clock.after(wait, act),
    newAttempt: () => `attempt ${(server.made += 1)}`,
  })
  return { form, server, saver, clock, kept, read, close: saver.start() }
}

function startEmpty(isNew: boolean): StoredForm {
  return { server: new Server(isNew), clock: new Clock(), kept: { work: null } }
}

/** A server with one entry, that obeys `If-Match` and names of attempts. */
class Server implements EntryDoor {
  entry: Data = START
  author: ConflictAuthor | null = null
  /** The author of the writes of the form, if they change the author of the entry. */
  user: ConflictAuthor | null = null
  made = 0
  attempts = 0
  isDown = false
  isGone = false
  isForbidden = false
  reads = 0
  losesAnswers = false
  refuse: Readonly<Record<string, string>> = {}
  readonly writes: Data[] = []
  readonly names: string[] = []
  readonly #isNew: boolean
  #revision = 1
  #held: Promise<void> | null = null
  #heldRead: Promise<void> | null = null
  readonly #done = new Map<string, SaveAnswer>()

  constructor(isNew: boolean) {
    this.#isNew = isNew
    if (isNew) this.entry = {}
  }

  etag(): string {
    return String(this.#revision)
  }

  hold(): () => void {
    let answer = (): void => undefined
    this.#held = new Promise((resolve) => (answer = resolve))
    return () => answer()
  }

  /** Delays the next read, which returns the entry of now. */
  holdRead(): () => void {
    let answer = (): void => undefined
    this.#heldRead = new Promise((resolve) => (answer = resolve))
    return () => answer()
  }

  elsewhere(data: Data): void {
    this.entry = applied(this.entry, data)
    this.#revision += 1
  }

  async save(data: Data, etag: string | null, name: string): Promise<SaveAnswer> {
    this.attempts += 1
    if (this.isDown) return { kind: 'unreachable' }
    this.writes.push(data)
    this.names.push(name)
    await this.#held
    const answer = this.#done.get(name) ?? this.#write(data, etag)
    if (this.#isNew) this.#done.set(name, answer)
    return this.losesAnswers ? { kind: 'unreachable' } : answer
  }

  #write(data: Data, etag: string | null): SaveAnswer {
    if (this.isForbidden) return { kind: 'refused', faults: [], message: 'forbidden' }
    if (etag !== null && etag !== String(this.#revision)) return { kind: 'stale' }
    const faults = Object.entries(this.refuse).flatMap(([path, message]) =>
      path.split('.')[0] !== undefined && (path.split('.')[0] ?? '') in data
        ? [{ path: path.split('.'), message }]
        : [],
    )
    if (faults.length > 0) return { kind: 'refused', faults, message: 'refused' }
    this.elsewhere(data)
    this.author = this.user ?? this.author
    return { kind: 'saved', entry: this.entry, etag: String(this.#revision) }
  }

  async read() {
    this.reads += 1
    if (this.isDown) return null
    if (this.isGone) return 'gone' as const
    const read = { entry: this.entry, etag: String(this.#revision) }
    const held = this.#heldRead
    this.#heldRead = null
    await held
    return read
  }

  readAuthor() {
    return Promise.resolve(this.author)
  }
}

class Clock {
  now = 0
  #waiting: { at: number; act: () => void }[] = []

  after(wait: number, act: () => void): () => void {
    const one = { at: this.now + wait, act }
    this.#waiting.push(one)
    return () => void (this.#waiting = this.#waiting.filter((other) => other !== one))
  }

  async pass(milliseconds: number): Promise<void> {
    this.now += milliseconds
    const due = this.#waiting.filter(({ at }) => at <= this.now)
    this.#waiting = this.#waiting.filter(({ at }) => at > this.now)
    for (const { act } of due) act()
    await this.settle()
  }

  /** Until nothing is under way any more: writes here are promises alone. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
  }
}
