import type { Data } from './data.ts'
import type { Attributes, Components } from '../api/attributes.ts'
import type { FormStore } from './form-store.ts'
import type { KeptWork } from './kept-work.ts'
import { mergeForm } from './merge.ts'
import { changedData } from './payload.ts'
import type { FormValues } from './values.ts'

/** An open form and its base, the values on the server. */
export interface Unsaved {
  readonly form: FormStore
  readonly attributes: Attributes
  readonly components: Components
  readonly base: FormValues
}

export function isDirty({ form, attributes, components, base }: Unsaved): boolean {
  const changed = changedData(attributes, base, form.values(), components)
  return Object.keys(changed).length > 0 || form.unreadable().size > 0
}

export function sendableData(unsaved: Unsaved): Data {
  const { form, components, base } = unsaved
  return changedData(sendableAttributes(unsaved), base, form.values(), components)
}

export function sendableAttributes({ form, attributes }: Unsaved): Attributes {
  const held = heldNames(form)
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !held.has(name)))
}

export function heldChanges({ form, attributes, components, base }: Unsaved): readonly string[] {
  const changed = changedData(attributes, base, form.values(), components)
  const unreadable = form.unreadable()
  return [...heldNames(form)].filter((name) => name in changed || unreadable.has(name))
}

export function workToKeep({ form, attributes, components, base }: Unsaved): KeptWork | null {
  const mine = form.values()
  const changed = Object.keys(changedData(attributes, base, mine, components)).filter(
    (name) => attributes[name]?.type !== 'password',
  )
  if (changed.length === 0) return null
  const pick = (values: FormValues): FormValues =>
    Object.fromEntries(changed.map((name) => [name, values[name]]))
  const conflicts = form.conflicts().filter(({ address: [name = ''] }) => changed.includes(name))
  return { base: pick(base), mine: pick(mine), ...(conflicts.length > 0 && { conflicts }) }
}

/** Merges the stored changes of a closed form into a form that has the values of its base. */
export function restoreWork({ form, attributes, components, base }: Unsaved, kept: KeptWork): void {
  const sides = { base: { ...base, ...kept.base }, mine: { ...base, ...kept.mine }, theirs: base }
  const { values, conflicts } = mergeForm(attributes, sides, components, kept.conflicts ?? [])
  form.replace(values)
  form.setConflicts(conflicts)
}

function heldNames(form: FormStore): ReadonlySet<string> {
  const wrong = [...form.problems().keys()].map((key) => key.split('/')[0] ?? '')
  const inConflict = form.conflicts().map(({ address }) => address[0] ?? '')
  return new Set([...wrong, ...inConflict])
}
