import { type Address, serializeAddress, valueAt, withValueAt } from './address.ts'
import type { Conflict, ConflictAuthor } from './merge.ts'
import { PendingUploads } from './pending-uploads.ts'
import type { ComponentValue, FormValues } from './values.ts'

type Listener = () => void

export type Problems = ReadonlyMap<string, readonly string[]>

/**
 * The values of an open entry. A field subscribes to its root attribute and reads its own value, so
 * that a keystroke renders only one field.
 */
export class FormStore {
  readonly uploads = new PendingUploads()
  #values: FormValues
  /**
   * Input that cannot be parsed, such as letters in a number. It stays in its input and is not
   * sent.
   */
  #unreadable: Problems = new Map()
  #refused: Problems = new Map()
  /** Problems that prevent publishing but not saving a draft. */
  #unfit: Problems = new Map()
  #conflicts: readonly Conflict[] = []
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #edited = new Set<Listener>()

  constructor(values: FormValues) {
    this.#values = values
  }

  values(): FormValues {
    return this.#values
  }

  get(address: Address): unknown {
    return valueAt(this.#values, address)
  }

  /** An edit by the user. */
  set(address: Address, value: unknown): void {
    if (Object.is(this.get(address), value)) return
    this.#values = withValueAt(this.#values, address, value)
    this.#refused = without(this.#refused, address)
    this.#unfit = without(this.#unfit, address)
    this.#tell(address[0])
    for (const listener of this.#edited) listener()
  }

  /** Derives the new value from the current one. */
  change<Value>(address: Address, to: (value: Value) => Value): void {
    this.set(address, to(this.get(address) as Value))
  }

  /** Values from elsewhere; not an edit. */
  replace(values: FormValues): void {
    if (values === this.#values) return
    const names = new Set([...Object.keys(values), ...Object.keys(this.#values)])
    const changed = [...names].filter((name) => values[name] !== this.#values[name])
    this.#values = values
    for (const name of changed) this.#tell(name)
  }

  onEdit(listener: Listener): () => void {
    this.#edited.add(listener)
    return () => void this.#edited.delete(listener)
  }

  subscribe(attribute: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(attribute) ?? new Set()
    this.#listeners.set(attribute, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  #tell(attribute: string | undefined): void {
    for (const listener of this.#listeners.get(attribute ?? '') ?? []) listener()
  }

  setUnreadable(address: Address, problem: string | null): void {
    const key = serializeAddress(address)
    if (this.#unreadable.get(key)?.[0] === (problem ?? undefined)) return
    const next = new Map(this.#unreadable)
    if (problem === null) next.delete(key)
    else next.set(key, [problem])
    this.#unreadable = next
    this.#tell(address[0])
    for (const listener of this.#edited) listener()
  }

  setRefused(problems: Problems): void {
    const before = this.#refused
    this.#refused = problems
    for (const name of attributesOf(before, problems)) this.#tell(name)
  }

  setUnfit(problems: Problems): void {
    const before = this.#unfit
    this.#unfit = problems
    for (const name of attributesOf(before, problems)) this.#tell(name)
  }

  /** Returns the same list as long as the problems are the same. */
  problemsAt(address: Address): readonly string[] | undefined {
    const key = serializeAddress(address)
    return this.#unreadable.get(key) ?? this.#refused.get(key) ?? this.#unfit.get(key)
  }

  isWrongWithin(place: string): boolean {
    return [this.#refused, this.#unreadable, this.#unfit].some(
      (problems) =>
        problems.size > 0 && [...problems.keys()].some((key) => key.startsWith(`${place}/`)),
    )
  }

  problems(): Problems {
    return new Map([...this.#refused, ...this.#unreadable])
  }

  unreadable(): ReadonlySet<string> {
    return attributesOf(this.#unreadable)
  }

  setConflicts(conflicts: readonly Conflict[]): void {
    const touched = new Set([...this.#conflicts, ...conflicts].map(({ address }) => address[0]))
    this.#conflicts = conflicts
    for (const name of touched) this.#tell(name)
  }

  /** Names the author in all conflicts without one; null if the author cannot be known any more. */
  nameConflicts(by: ConflictAuthor | null): void {
    this.setConflicts(this.#conflicts.map((conflict) => ({ by, ...conflict })))
  }

  conflicts(): readonly Conflict[] {
    return this.#conflicts
  }

  conflictAt(address: Address): Conflict | undefined {
    const key = serializeAddress(address)
    return this.#conflicts.find((conflict) => serializeAddress(conflict.address) === key)
  }

  settle(address: Address, value: unknown): void {
    const key = serializeAddress(address)
    this.setConflicts(
      this.#conflicts.filter((conflict) => serializeAddress(conflict.address) !== key),
    )
    this.#values = withValueAt(this.#values, address, value)
    this.#tell(address[0])
    for (const listener of this.#edited) listener()
  }
}

export function outlineOf(elements: readonly ComponentValue[]): string {
  return elements.map(({ $key, __component = '' }) => `${$key} ${__component}`).join('\n')
}

/** Removes the problems at an address, within it, and of every value that contains it. */
function without(problems: Problems, address: Address): Problems {
  const key = serializeAddress(address)
  const isTouched = (one: string): boolean =>
    `${one}/`.startsWith(`${key}/`) || `${key}/`.startsWith(`${one}/`)
  if (![...problems.keys()].some(isTouched)) return problems
  return new Map([...problems].filter(([one]) => !isTouched(one)))
}

function attributesOf(...all: readonly Problems[]): ReadonlySet<string> {
  return new Set(
    all.flatMap((problems) => [...problems.keys()].map((key) => key.split('/')[0] ?? '')),
  )
}
