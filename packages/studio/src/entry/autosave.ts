import type { Data } from './data.ts'
import type { Attributes, Components } from '../api/attributes.ts'
import { adoptAnswer, readAnswer } from './adopt-answer.ts'
import { toAddress, serializeAddress } from './address.ts'
import type { FormStore } from './form-store.ts'
import { mergeForm } from './merge.ts'
import { isDeepEqual } from './deep-equal.ts'
import type { EntryDoor, ReadEntry, SaveAnswer, SentFault } from './door.ts'
import { keepEqualParts } from './keep-equal-parts.ts'
import type { KeptWork } from './kept-work.ts'
import {
  heldChanges,
  isDirty,
  sendableAttributes,
  sendableData,
  type Unsaved,
  workToKeep,
} from './unsaved.ts'
import { type Reading, toFormValues, type FormValues } from './values.ts'

export type SaveState =
  | { readonly kind: 'saved'; readonly at: number | null }
  | { readonly kind: 'unsaved' | 'saving' | 'unreachable' | 'gone' }
  /** Attributes with a problem or a conflict are held back. All others are saved. */
  | { readonly kind: 'held'; readonly attributes: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string }

export interface AutosaveOptions {
  readonly attributes: Attributes
  readonly components: Components
  readonly reading: Reading
  readonly door: EntryDoor
  readonly form: FormStore
  readonly base: FormValues
  readonly etag: string | null
  readonly isNew: boolean
  /** False if a write is public immediately. Then only `saveNow` writes. */
  readonly isAutomatic: boolean
  readonly keep: (work: KeptWork | null) => void
  readonly now: () => number
  readonly after: (milliseconds: number, act: () => void) => () => void
  readonly newAttempt: () => string
}

const SAVE_DELAY_MS = 800
/** Delay in ms before a change is stored in the browser. */
const STORE_DELAY_MS = 200
export const MIN_RETRY_MS = 2_000
export const MAX_RETRY_MS = 30_000

interface WriteAttempt {
  readonly name: string
  readonly sent: FormValues
  readonly data: Data
}

/**
 * Saves the changes of a form. It sends one write at a time, with the changed attributes only,
 * under `If-Match`. Changes that cannot be written stay in the form and in the browser, and the
 * state names them.
 */
export class Autosave {
  readonly #options: AutosaveOptions
  readonly #listeners = new Set<() => void>()
  #state: SaveState = { kind: 'saved', at: null }
  #savedAt: number | null = null
  #base: FormValues
  #etag: string | null
  #isNew: boolean
  #underWay: Promise<void> | null = null
  #cancel: () => void = () => undefined
  #cancelKeeping: () => void = () => undefined
  #retry = MIN_RETRY_MS
  /**
   * A creation without a response. It is sent again under the same name, so that it creates only
   * once.
   */
  #unanswered: WriteAttempt | null = null
  /** The data of the last write that was refused as a whole. */
  #refusedData: Data = {}

  constructor(options: AutosaveOptions) {
    this.#options = options
    this.#base = options.base
    this.#etag = options.etag
    this.#isNew = options.isNew
  }

  state(): SaveState {
    return this.#state
  }

  base(): FormValues {
    return this.#base
  }

  isAutomatic(): boolean {
    return this.#options.isAutomatic
  }

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

  start(): () => void {
    const stop = this.#options.form.onEdit(() => this.#edited())
    if (isDirty(this.#unsaved())) this.#edited()
    void this.#nameConflicts()
    return () => {
      stop()
      this.#cancel()
      this.#cancelKeeping()
      this.keep()
    }
  }

  async saveNow(): Promise<boolean> {
    this.#cancel()
    for (let turn = 0; turn < 10; turn += 1) {
      await this.#underWay
      if (!isDirty(this.#unsaved())) break
      const before = this.#state
      await this.#save()
      if (!this.#mayGoOn(before)) break
    }
    if (!isDirty(this.#unsaved())) this.#settle()
    return this.#state.kind === 'saved'
  }

  /** Until no write is under way. */
  async settled(): Promise<void> {
    await this.#underWay
  }

  /** Reads the entry and merges it. Returns false if the read failed. */
  async refresh(): Promise<boolean> {
    const read = await this.#readNewest()
    if (read === 'gone') {
      this.keep()
      this.#setState({ kind: 'gone' })
      return true
    }
    if (read !== null) this.#merge(read)
    await this.#nameConflicts()
    this.#settleRefresh()
    return read !== null
  }

  #settleRefresh(): void {
    const { kind } = this.#state
    if (kind === 'refused' && isDeepEqual(sendableData(this.#unsaved()), this.#refusedData)) {
      return this.keep()
    }
    this.#settle()
    const isPending = kind === 'unsaved' || kind === 'unreachable'
    if (this.#state.kind === 'unsaved' && !isPending) this.#edited()
  }

  /** Repeats reads that a write or another read overtook, because they can return an older entry. */
  async #readNewest(): Promise<ReadEntry | 'gone' | null> {
    for (;;) {
      await this.#underWay
      const before = this.#etag
      const read = await this.#options.door.read()
      if (this.#underWay === null && this.#etag === before) return read
    }
  }

  #mayGoOn(before: SaveState): boolean {
    const { kind } = this.#state
    return kind === 'unsaved' || (kind === 'held' && before.kind !== 'held')
  }

  #edited(): void {
    const { isAutomatic, after } = this.#options
    this.#cancelKeeping()
    this.#cancelKeeping = after(STORE_DELAY_MS, () => this.keep())
    if (this.#underWay !== null || this.#state.kind === 'gone') return
    if (this.#state.kind !== 'unreachable') this.#setState({ kind: 'unsaved' })
    this.#cancel()
    if (isAutomatic) this.#cancel = after(SAVE_DELAY_MS, () => void this.#save())
    else this.#cancel = after(STORE_DELAY_MS, () => this.#settle())
  }

  async #save(): Promise<void> {
    if (this.#underWay !== null) return this.#underWay
    this.#underWay = this.#write().finally(() => (this.#underWay = null))
    await this.#underWay
    if (this.#state.kind === 'unsaved' && this.#options.isAutomatic) this.#edited()
  }

  async #write(): Promise<void> {
    const { door, newAttempt, form } = this.#options
    const data = sendableData(this.#unsaved())
    const attempt = this.#unanswered ?? { name: newAttempt(), sent: form.values(), data }
    if (Object.keys(attempt.data).length === 0) return this.#settle()
    this.#setState({ kind: 'saving' })
    const answer = await door.save(attempt.data, this.#etag, attempt.name)
    this.#unanswered = answer.kind === 'unreachable' && this.#isNew ? attempt : null
    await this.#take(answer, attempt)
  }

  async #take(answer: SaveAnswer, attempt: WriteAttempt): Promise<void> {
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
        return this.#setState({ kind: 'gone' })
    }
  }

  #saved({ entry, etag }: ReadEntry, { sent }: WriteAttempt): void {
    const { attributes, components, reading, form, now } = this.#options
    const base = readAnswer(attributes, sent, entry, reading)
    const current = form.values()
    this.#base = base
    this.#etag = etag
    this.#isNew = false
    this.#retry = MIN_RETRY_MS
    // The response lacks the attributes that the write left out. They keep their values.
    const written = sendableAttributes(this.#unsaved())
    form.replace(adoptAnswer(written, { current, sent, base }, components))
    form.nameConflicts(null) // from now on, the last author of the entry is the user
    this.#savedAt = now()
    this.#settle()
  }

  async #stale(): Promise<void> {
    const read = await this.#options.door.read()
    if (read === null) return this.#wait()
    if (read === 'gone') return this.#setState({ kind: 'gone' })
    this.#merge(read)
    await this.#nameConflicts()
    this.#setState({ kind: 'unsaved' })
    this.#settle()
  }

  #merge({ entry, etag }: ReadEntry): void {
    const { attributes, components, reading, form } = this.#options
    const mine = form.values()
    // Editors replace their content if the reference of their value changes.
    const theirs = keepEqualParts(mine, toFormValues(attributes, entry, reading))
    const sides = { base: this.#base, mine, theirs }
    const { values, conflicts } = mergeForm(attributes, sides, components, form.conflicts())
    this.#base = theirs
    this.#etag = etag
    form.replace(values)
    form.setConflicts(conflicts)
  }

  /** Must precede the next write, which replaces the author. */
  async #nameConflicts(): Promise<void> {
    const { form, door } = this.#options
    if (form.conflicts().every(({ by }) => by !== undefined)) return
    const author = await door.readAuthor()
    if (author !== null) form.nameConflicts(author)
  }

  #refused(faults: readonly SentFault[], message: string, { sent, data }: WriteAttempt): void {
    const { form } = this.#options
    const problems = new Map<string, readonly string[]>()
    for (const fault of faults.filter(({ path }) => path.length > 0)) {
      const key = serializeAddress(toAddress(sent, fault.path))
      problems.set(key, [...(problems.get(key) ?? []), fault.message])
    }
    form.setRefused(problems)
    this.keep()
    this.#refusedData = data
    if (problems.size === 0) return this.#setState({ kind: 'refused', message })
    this.#settle()
  }

  #settle(): void {
    this.keep()
    const unsaved = this.#unsaved()
    const rest = Object.keys(sendableData(unsaved))
    const held = heldChanges(unsaved)
    if (rest.length > 0) return this.#setState({ kind: 'unsaved' })
    if (held.length > 0) return this.#setState({ kind: 'held', attributes: held })
    this.#setState({ kind: 'saved', at: this.#savedAt })
  }

  #setState(state: SaveState): void {
    if (isDeepEqual(this.#state, state)) return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }

  #wait(): void {
    this.keep()
    this.#setState({ kind: 'unreachable' })
    this.#cancel()
    this.#cancel = this.#options.after(this.#retry, () => void this.#save())
    this.#retry = Math.min(this.#retry * 2, MAX_RETRY_MS)
  }

  keep(): void {
    this.#options.keep(workToKeep(this.#unsaved()))
  }

  #unsaved(): Unsaved {
    const { form, attributes, components } = this.#options
    return { form, attributes, components, base: this.#base }
  }
}
