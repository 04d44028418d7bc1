import {
  type ComponentType,
  createContext,
  use,
  useCallback,
  useMemo,
  useSyncExternalStore,
} from 'react'
import type { FieldProps, Place } from './field-props.ts'
import type { Address } from '../entry/address.ts'
import type { FormStore } from '../entry/form-store.ts'
import type { Conflict } from '../entry/merge.ts'
import type { Link, Reading } from '../entry/values.ts'

/** The entry that a form is about, for its fields. */
export interface OpenEntry {
  /** The field of any attribute, for the fields that hold others. */
  readonly Field: ComponentType<FieldProps>
  readonly form: FormStore
  readonly reading: Reading
  readonly uid: string
  /** Null as long as it is not at the server. */
  readonly documentId: () => string | null
  readonly locale: string | null
  /** Whether the content-type has locales: then a field says when all of them share its value. */
  readonly isLocalized: boolean
  /** Nobody writes here: the person may not, or the entry is gone. */
  readonly isReadOnly: boolean
  /** Whether the slug at a place still follows its title: its language was begun in this form and never published. */
  readonly followsTitle: (place: Place) => boolean
  /** Begins an entry of another type beside this one; absent where there is no room for it. */
  readonly createLinked?: (uid: string, title: string, onCreated: (link: Link) => void) => void
}

export const OpenEntryContext = createContext<OpenEntry | null>(null)

export function useOpenEntry(): OpenEntry {
  const open = use(OpenEntryContext)
  if (open === null) throw new Error('A field stands outside of an entry')
  return open
}

export function addressAt(place: Place): Address {
  return place.split('/')
}

/** What `select` makes of the form, again whenever something under the attribute at `place` changes it. */
function useForm<Selected>(
  place: Place,
  select: (form: FormStore, address: Address) => Selected,
): Selected {
  const { form } = useOpenEntry()
  const address = useMemo(() => addressAt(place), [place])
  const subscribe = useCallback(
    (listener: () => void) => form.subscribe(address[0] ?? '', listener),
    [form, address],
  )
  return useSyncExternalStore(subscribe, () => select(form, address))
}

// The type is what `toFormValues` makes of the attribute.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function useValue<Value>(place: Place): Value {
  return useForm(place, (form, address) => form.get(address)) as Value
}

/** What follows from the value, as long as it is a text, a number or the like: else every look is another. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function useFromValue<Value, Selected extends string | number | boolean>(
  place: Place,
  select: (value: Value) => Selected,
): Selected {
  return useForm(place, (form, address) => select(form.get(address) as Value))
}

/** The sentences that stand beside a field. */
export function useProblems(place: Place): readonly string[] | undefined {
  return useForm(place, (form, address) => form.problemsAt(address))
}

export function useConflict(place: Place): Conflict | undefined {
  return useForm(place, (form, address) => form.conflictAt(address))
}

/** Writes the value at a place. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function useSetValue<Value>(place: Place): (value: Value) => void {
  const { form } = useOpenEntry()
  return useCallback((value: Value) => form.set(addressAt(place), value), [form, place])
}
