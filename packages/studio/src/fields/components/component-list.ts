import { useCallback, useMemo } from 'react'
import type { ComponentAttribute, ZoneAttribute } from '../../api/attributes.ts'
import { outlineOf } from '../../entry/form-store.ts'
import { type ComponentValue, copyComponent, newComponentValue } from '../../entry/values.ts'
import type { Place } from '../field-props.ts'
import { addressAt, useFromValue, useOpenEntry } from '../open-entry.ts'
import { moved } from '../reorder/use-reorder.ts'

export type ListAttribute = ComponentAttribute | ZoneAttribute

export interface Outlined {
  readonly key: string
  readonly uid: string
}

/** The outline of a list. It does not change when the user types in a component. */
export function useOutline(attribute: ListAttribute, place: Place): readonly Outlined[] {
  const text = useFromValue<readonly ComponentValue[] | null, string>(place, (list) =>
    outlineOf(list ?? []),
  )
  return useMemo(
    () =>
      text === ''
        ? []
        : text.split('\n').map((line) => {
            const [key = '', uid = ''] = line.split(' ')
            return { key, uid: attribute.type === 'component' ? attribute.component : uid }
          }),
    [text, attribute],
  )
}

export interface ListActions {
  /** Adds at the end, or before another component. */
  readonly add: (uid: string, before?: string) => string
  readonly append: (made: ComponentValue) => string
  readonly get: (key: string) => ComponentValue | undefined
  readonly remove: (key: string) => () => void
  readonly duplicate: (key: string) => string
  readonly move: (key: string, to: number) => void
}

export function useListActions(attribute: ListAttribute, place: Place): ListActions {
  const { form, reading } = useOpenEntry()
  const change = useCallback(
    (to: (list: readonly ComponentValue[]) => readonly ComponentValue[]): void =>
      form.change<readonly ComponentValue[] | null>(addressAt(place), (list) => to(list ?? [])),
    [form, place],
  )
  return useMemo(() => {
    const indexIn = (list: readonly ComponentValue[], key: string): number =>
      list.findIndex(({ $key }) => $key === key)
    return {
      add: (uid, before) => {
        const made = newComponentValue(attribute, uid, reading)
        change((list) => {
          const at = before === undefined ? -1 : indexIn(list, before)
          return list.toSpliced(at === -1 ? list.length : at, 0, made)
        })
        return made.$key
      },
      append: (made) => {
        change((list) => [...list, made])
        return made.$key
      },
      get: (key) =>
        (form.get(addressAt(place)) as readonly ComponentValue[] | null)?.find(
          ({ $key }) => $key === key,
        ),
      remove: (key) => {
        const before = form.get(addressAt(place)) as readonly ComponentValue[]
        const at = indexIn(before, key)
        change((list) => list.filter(({ $key }) => $key !== key))
        return () =>
          change((list) => [...list.slice(0, at), ...before.slice(at, at + 1), ...list.slice(at)])
      },
      duplicate: (key) => {
        const list = form.get(addressAt(place)) as readonly ComponentValue[]
        const at = indexIn(list, key)
        const copies = list.slice(at, at + 1).map((one) => copyComponent(one, reading.keys))
        change((now) => [...now.slice(0, at + 1), ...copies, ...now.slice(at + 1)])
        return copies[0]?.$key ?? key
      },
      move: (key, to) => change((list) => moved(list, indexIn(list, key), to)),
    }
  }, [attribute, change, form, place, reading])
}
