import type { Attributes, Components, Data } from './declaration.ts'
import { adoptAnswer, readAnswer } from './adopt-answer.ts'
import { addressOf, textOf } from './address.ts'
import type { FormStore } from './form-store.ts'
import { mergeEntries } from './merge.ts'
import { isDeepEqual } from './deep-equal.ts'
import { changedData } from './payload.ts'
import { type Reading, toFormValues, type Values } from './values.ts'

/** A fault of a payload, as the API lists it. */
export interface SentFault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

export type SaveAnswer =
  | { readonly kind: 'saved'; readonly entry: Data; readonly etag: string | null }
  /** Somebody else wrote in between. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'refused'; readonly faults: readonly SentFault[]; readonly message: string }
  | { readonly kind: 'unreachable' | 'gone' }

export interface ReadEntry {
  readonly entry: Data
  readonly etag: string | null
}

/** How an entry is read and written. */
export interface EntryDoor {
  /** `attempt` is the same when a write whose answer was lost is sent again. */
  save(data: Data, etag: string | null, attempt: string): Promise<SaveAnswer>
  /** Null when it could not be read. */
  read(): Promise<ReadEntry | null>
}

/** What a person is told about the state of what was typed. */
export type SaveState =
  /** `at` is null as long as nothing was written. */
  | { readonly kind: 'saved'; readonly at: number | null }
  | { readonly kind: 'unsaved' | 'saving' | 'unreachable' | 'gone' }
  /** The rest is saved: these attributes are not, for what stands beside them. */
  | { readonly kind: 'held'; readonly attributes: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string }

/** What is kept in the browser until it is at the server. */
export interface KeptWork {
  readonly base: Values
  readonly mine: Values
}

export interface AutosaveOptions {
  readonly attributes: Attributes
  readonly components: Components
  readonly reading: Reading
  readonly door: EntryDoor
  readonly form: FormStore
  readonly base: Values
  readonly etag: string | null
  /** Whether the entry is at the server. */
  readonly isNew: boolean
  /** False: it is written only when somebody says so, as what is written is seen by everybody at once. */
  readonly isAutomatic: boolean
  readonly keep: (work: KeptWork | null) => void
  readonly now: () => number
  readonly after: (milliseconds: number, act: () => void) => () => void
  readonly newAttempt: () => string
}

const TYPING_PAUSE = 800
/** So long what is typed may be nowhere but in the form. */
const KEEPING_PAUSE = 200
const FIRST_RETRY = 2_000
const LAST_RETRY = 30_000

interface Attempt {
  readonly name: string
  readonly sent: Values
  readonly data: Data
}

/**
 * Brings what is typed to the server: one write at a time, of what changed alone, on the condition that nobody else wrote.
 * What cannot be written stays in the form and in the browser, and is told.
 */
export class Autosave {
  readonly #options: AutosaveOptions
  readonly #listeners = new Set<() => void>()
  #state: SaveState = { kind: 'saved', at: null }
  #savedAt: number | null = null
  #base: Values
  #etag: string | null
  #isNew: boolean
  #underWay: Promise<void> | null = null
  #cancel: () => void = () => undefined
  #cancelKeeping: () => void = () => undefined
  #retry = FIRST_RETRY
  /** One whose answer was lost. */
  #unanswered: Attempt | null = null
  constructor(options: AutosaveOptions) {
    this.#options = options
    this.#base = options.base
    this.#etag = options.etag
    this.#isNew = options.isNew
  }

  state(): SaveState {
    return this.#state
  }

  base(): Values {
    return this.#base
  }

  isAutomatic(): boolean {
    return this.#options.isAutomatic
  }

  /** When it was last written; null before the first time. */
  savedAt(): number | null {
    return this.#savedAt
  }

  etag(): string | null {
    return this.#etag
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Begins to save; what the form holds already, because it was kept in the browser, as well. */
  start(): () => void {
    const stop = this.#options.form.onEdit(() => this.#edited())
    if (this.#isDirty()) this.#edited()
    return () => {
      stop()
      this.#cancel()
      this.#cancelKeeping()
      this.keep()
    }
  }

  /** Writes now. True when everything that the form holds is at the server. */
  async saveNow(): Promise<boolean> {
    this.#cancel()
    for (let turn = 0; turn < 10; turn += 1) {
      await this.#underWay
      if (!this.#isDirty()) break
      const before = this.#state
      await this.#save()
      if (!this.#mayGoOn(before)) break
    }
    if (!this.#isDirty()) this.#settle()
    return this.#state.kind === 'saved'
  }

  /** Takes what the server holds now, after something other than this form wrote it. */
  async refresh(): Promise<void> {
    await this.#underWay
    const read = await this.#options.door.read()
    if (read !== null) this.#merge(read)
    this.#settle()
  }

  #mayGoOn(before: SaveState): boolean {
    const { kind } = this.#state
    return kind === 'unsaved' || (kind === 'held' && before.kind !== 'held')
  }

  #edited(): void {
    const { isAutomatic, after } = this.#options
    this.#cancelKeeping()
    this.#cancelKeeping = after(KEEPING_PAUSE, () => this.keep())
    if (this.#underWay !== null || this.#state.kind === 'gone') return
    if (this.#state.kind !== 'unreachable') this.#tell({ kind: 'unsaved' })
    this.#cancel()
    if (isAutomatic) this.#cancel = after(TYPING_PAUSE, () => void this.#save())
    else this.#cancel = after(KEEPING_PAUSE, () => this.#settle())
  }

  async #save(): Promise<void> {
    if (this.#underWay !== null) return this.#underWay
    this.#underWay = this.#write().finally(() => (this.#underWay = null))
    await this.#underWay
    if (this.#state.kind === 'unsaved' && this.#options.isAutomatic) this.#edited()
  }

  async #write(): Promise<void> {
    const { door, newAttempt, form } = this.#options
    const sent = form.values()
    const attempt = this.#unanswered ?? { name: newAttempt(), sent, data: this.#dataOf(sent) }
    if (Object.keys(attempt.data).length === 0) return this.#settle()
    this.#tell({ kind: 'saving' })
    const answer = await door.save(attempt.data, this.#etag, attempt.name)
    this.#unanswered = answer.kind === 'unreachable' && this.#isNew ? attempt : null
    await this.#take(answer, attempt)
  }

  async #take(answer: SaveAnswer, attempt: Attempt): Promise<void> {
    switch (answer.kind) {
      case 'saved':
        return this.#saved(answer, attempt)
      case 'stale':
        return this.#stale()
      case 'refused':
        return this.#refused(answer.faults, answer.message, attempt)
      case 'unreachable':
        return this.#wait()
      case 'gone':
        return this.#tell({ kind: 'gone' })
    }
  }

  #saved({ entry, etag }: ReadEntry, { sent }: Attempt): void {
    const { attributes, components, reading, form, now } = this.#options
    const base = readAnswer(attributes, sent, entry, reading)
    const current = form.values()
    this.#base = base
    this.#etag = etag
    this.#isNew = false
    this.#retry = FIRST_RETRY
    form.replace(this.#adopted({ current, sent, base, components, attributes }))
    this.#savedAt = now()
    this.#settle()
  }

  /** What was held back of the write is not in its answer, and stays in the form. */
  #adopted(
    of: Parameters<typeof adoptAnswer>[1] & { attributes: Attributes; components: Components },
  ): Values {
    const held = this.#held()
    const free = Object.entries(of.attributes).filter(([name]) => !held.has(name))
    return adoptAnswer(Object.fromEntries(free), of, of.components)
  }

  async #stale(): Promise<void> {
    const read = await this.#options.door.read()
    if (read === null) return this.#wait()
    this.#merge(read)
    this.#tell({ kind: 'unsaved' })
    this.#settle()
  }

  #merge({ entry, etag }: ReadEntry): void {
    const { attributes, components, reading, form } = this.#options
    const theirs = toFormValues(attributes, entry, reading)
    const sides = { base: this.#base, mine: form.values(), theirs }
    const { values, conflicts } = mergeEntries(attributes, sides, components)
    this.#base = theirs
    this.#etag = etag
    form.replace(values)
    form.setConflicts(conflicts)
  }

  #refused(faults: readonly SentFault[], message: string, { sent }: Attempt): void {
    const { form } = this.#options
    const problems = new Map<string, readonly string[]>()
    for (const fault of faults.filter(({ path }) => path.length > 0)) {
      const key = textOf(addressOf(sent, fault.path))
      problems.set(key, [...(problems.get(key) ?? []), fault.message])
    }
    form.setRefused(problems)
    this.keep()
    if (problems.size === 0) return this.#tell({ kind: 'refused', message })
    this.#settle()
  }

  /** The state that follows from what is held back and what differs from the server. */
  #settle(): void {
    const { form } = this.#options
    this.keep()
    const rest = Object.keys(this.#dataOf(form.values()))
    const held = this.#heldChanges()
    if (rest.length > 0) return this.#tell({ kind: 'unsaved' })
    if (held.length > 0) return this.#tell({ kind: 'held', attributes: held })
    this.#tell({ kind: 'saved', at: this.#savedAt })
  }

  #tell(state: SaveState): void {
    if (isDeepEqual(this.#state, state)) return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }

  #wait(): void {
    this.keep()
    this.#tell({ kind: 'unreachable' })
    this.#cancel()
    this.#cancel = this.#options.after(this.#retry, () => void this.#save())
    this.#retry = Math.min(this.#retry * 2, LAST_RETRY)
  }

  #dataOf(mine: Values): Data {
    const { components } = this.#options
    return changedData(this.#free(), this.#base, mine, components)
  }

  /** The attributes that may be sent. */
  #free(): Attributes {
    const held = this.#held()
    const all = Object.entries(this.#options.attributes)
    return Object.fromEntries(all.filter(([name]) => !held.has(name)))
  }

  #held(): ReadonlySet<string> {
    const { form } = this.#options
    const wrong = [...form.problems().keys()].map((key) => key.split('/')[0] ?? '')
    const inConflict = form.conflicts().map(({ address }) => address[0] ?? '')
    return new Set([...wrong, ...inConflict])
  }

  #heldChanges(): readonly string[] {
    const { form, attributes, components } = this.#options
    const changed = changedData(attributes, this.#base, form.values(), components)
    const unreadable = form.unreadable()
    return [...this.#held()].filter((name) => name in changed || unreadable.has(name))
  }

  #isDirty(): boolean {
    const { form, attributes, components } = this.#options
    const changed = changedData(attributes, this.#base, form.values(), components)
    return Object.keys(changed).length > 0 || form.unreadable().size > 0
  }

  /** Keeps in the browser what is not at the server; never a password. */
  keep(): void {
    const { form, attributes, components, keep } = this.#options
    const mine = form.values()
    const changed = Object.keys(changedData(attributes, this.#base, mine, components)).filter(
      (name) => attributes[name]?.type !== 'password',
    )
    if (changed.length === 0) return keep(null)
    const pick = (values: Values): Values =>
      Object.fromEntries(changed.map((name) => [name, values[name]]))
    keep({ base: pick(this.#base), mine: pick(mine) })
  }
}
