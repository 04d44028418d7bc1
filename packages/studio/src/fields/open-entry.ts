import {
  type ComponentType,
  createContext,
  use,
  useCallback,
  useMemo,
  useSyncExternalStore,
} from 'react'
import type { Attributes } from '../api/attributes.ts'
import type { FieldProps, Place } from './field-props.ts'
import type { Address } from '../entry/address.ts'
import type { FormStore } from '../entry/form-store.ts'
import type { Conflict } from '../entry/merge.ts'
import type { FileValue, Link, Reading } from '../entry/values.ts'

export interface OpenEntry {
  /**
   * Fields that contain other fields render them with this component, which avoids an import cycle.
   */
  readonly Field: ComponentType<FieldProps>
  readonly form: FormStore
  readonly reading: Reading
  readonly uid: string
  readonly documentId: () => string | null
  readonly locale: string | null
  /** Whether the content type is localized. Then a field shows if all locales share its value. */
  readonly isLocalized: boolean
  readonly isReadOnly: boolean
  /**
   * Whether a slug follows its title: only in a locale that was created in this form and never
   * published.
   */
  readonly followsTitle: (place: Place) => boolean
  /** Opens a drawer with a new entry of another type; absent inside a drawer. */
  readonly createLinked?: (uid: string, title: string, onCreated: (link: Link) => void) => void
  /** Opens a drawer with the details of a file; absent inside a drawer. */
  readonly openFile?: (file: FileValue) => void
}

export const OpenEntryContext = createContext<OpenEntry | null>(null)

/** The attributes of the entry or component that contains the field. */
export const SiblingsContext = createContext<Attributes>({})

export function useOpenEntry(): OpenEntry {
  const open = use(OpenEntryContext)
  if (open === null) throw new Error('A field stands outside of an entry')
  return open
}

export function addressAt(place: Place): Address {
  return place.split('/')
}

/** Runs `select` again whenever a value of the root attribute of `place` changes. */
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

// The type is the result of `toFormValues` for the attribute.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function useValue<Value>(place: Place): Value {
  return useForm(place, (form, address) => form.get(address)) as Value
}

/**
 * Derives a primitive from the value. An object would be a new one at each call and render each
 * time.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function useFromValue<Value, Selected extends string | number | boolean>(
  place: Place,
  select: (value: Value) => Selected,
): Selected {
  return useForm(place, (form, address) => select(form.get(address) as Value))
}

export function useProblems(place: Place): readonly string[] | undefined {
  return useForm(place, (form, address) => form.problemsAt(address))
}

export function useConflict(place: Place): Conflict | undefined {
  return useForm(place, (form, address) => form.conflictAt(address))
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function useSetValue<Value>(place: Place): (value: Value) => void {
  const { form } = useOpenEntry()
  return useCallback((value: Value) => form.set(addressAt(place), value), [form, place])
}
