import { skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { factsKey, type LocaleState } from '../../api/entry-facts.ts'
import { changedHistoryQuery, type PastVersion } from '../../api/history.ts'
import { notify } from '../../design/toasts.tsx'
import type { EntrySession } from '../../entry/entry-session.ts'
import { isDeepEqual } from '../../entry/deep-equal.ts'
import { copyValue, type FormValues, isPartlyRead, toFormValues } from '../../entry/values.ts'
import type { Beside } from '../../fields/beside/beside.ts'
import { isEmptyValue } from '../../fields/condition.ts'
import { useTexts } from '../../texts/texts.ts'
import { changedSince } from './changed-since.ts'
import { findEntry } from './load-form.ts'

/** Stored per browser, so that it stays while the editor goes from language to language. */
const STORAGE_KEY = 'quire beside'

export interface ShownLanguage {
  /** The languages that can be shown. */
  readonly codes: readonly string[]
  readonly code: string | null
  readonly show: (code: string | null) => void
  /** Null until it is loaded. */
  readonly beside: Beside | null
  /** Null if nothing can be copied. */
  readonly copyAll: (() => void) | null
}

/** Another language next to the form. */
export function useShownLanguage(
  session: EntrySession,
  states: readonly LocaleState[] | undefined,
  isReadOnly: boolean,
): ShownLanguage {
  const { form, plan } = session
  const { t, locale: nameOf } = useTexts()
  const [wanted, want] = useState(() => localStorage.getItem(STORAGE_KEY))
  const codes = (states ?? []).flatMap(({ locale }) =>
    locale === null || locale === plan.locale ? [] : [locale],
  )
  const code = wanted !== null && codes.includes(wanted) ? wanted : null
  const values = useValuesIn(session, states, code)
  const changes = useChangedSince(session, code)
  const show = (next: string | null): void => {
    if (next === null) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, next)
    want(next)
  }
  if (code === null || values === undefined) {
    return { codes, code, show, beside: null, copyAll: null }
  }
  const language = nameOf(code)
  const mayCopy = (name: string): boolean =>
    !isReadOnly &&
    plan.attributes[name]?.type !== 'uid' &&
    !isEmptyValue(values[name]) &&
    !isPartlyRead(values[name]) &&
    !isPartlyRead(form.get([name]))
  const copy = (names: readonly string[]): void => {
    const before = form.values()
    const copied = names.filter((name) => !isDeepEqual(values[name], before[name]))
    for (const name of copied) form.set([name], copyValue(values[name], plan.reading.keys))
    const undo = (): void => {
      for (const name of copied) form.set([name], before[name])
    }
    const text = t('beside.copied', { count: copied.length, name: language })
    notify(text, copied.length > 0 ? undo : undefined)
  }
  const beside: Beside = {
    language,
    values,
    changedAt: (name) => changes.get(name),
    mayCopy,
    copy: (name) => copy([name]),
  }
  const copyAll = (): void => copy(Object.keys(values).filter(mayCopy))
  return { codes, code, show, beside, copyAll: isReadOnly ? null : copyAll }
}

/** The localized values of the draft in another language. */
function useValuesIn(
  { plan, door }: EntrySession,
  states: readonly LocaleState[] | undefined,
  code: string | null,
): FormValues | undefined {
  const documentId = door.documentId()
  const writtenAt = states?.find(({ locale }) => locale === code)?.updatedAt
  const { data } = useQuery({
    queryKey: [...factsKey(plan.type.uid, documentId ?? ''), 'beside', code, writtenAt],
    queryFn:
      code === null || documentId === null
        ? skipToken
        : async ({ signal }) => {
            const source = { ...plan, query: { ...plan.query, locale: code } }
            return (await findEntry(source, documentId, signal))?.entry ?? null
          },
    placeholderData: (before) => before,
  })
  return useMemo(() => {
    if (code === null || data === null || data === undefined) return undefined
    const localized = Object.entries(plan.attributes).filter(
      ([, { localized: isOwn, type }]) => isOwn !== false && type !== 'password',
    )
    return toFormValues(Object.fromEntries(localized), data, plan.reading)
  }, [code, data, plan])
}

function useChangedSince(
  { plan, door }: EntrySession,
  code: string | null,
): ReadonlyMap<string, string> {
  const documentId = door.documentId()
  const entry = { uid: plan.type.uid, documentId: documentId ?? '' }
  const enabled = code !== null && documentId !== null
  const own = useInfiniteQuery({
    ...changedHistoryQuery({ ...entry, locale: plan.locale }),
    enabled,
  })
  const other = useInfiniteQuery({ ...changedHistoryQuery({ ...entry, locale: code }), enabled })
  return useMemo(
    () => changedSince(rowsOf(own.data?.pages), rowsOf(other.data?.pages)),
    [own.data, other.data],
  )
}

function rowsOf(
  pages: readonly { readonly data: readonly PastVersion[] }[] | undefined,
): readonly PastVersion[] {
  return (pages ?? []).flatMap(({ data }) => data)
}
