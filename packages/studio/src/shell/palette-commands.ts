import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import {
  apiNameOf,
  declarationQuery,
  entryNameOf,
  listTitleOf,
  type TypeSummary,
} from '../api/content-types.ts'
import { entriesQuery, titleOf } from '../api/entries.ts'
import { useLocales } from '../api/locales.ts'
import { useMay } from '../api/session.ts'
import type { Command } from '../design/commands.ts'
import { useTexts } from '../texts/texts.ts'
import { SECTIONS } from '../screens/settings/sections.ts'
import { useReadableTypes } from './readable-types.ts'
import { useSignOut } from './use-sign-out.ts'

/** The screens. */
export function usePlaces(): readonly Command[] {
  const { t } = useTexts()
  const may = useMay()
  const navigate = useNavigate()
  const sections = SECTIONS.filter(({ action }) => action === null || may(action))
  return [
    { id: 'home', text: t('nav.home'), run: () => void navigate({ to: '/' }) },
    ...(may('plugin::upload.content-api.find')
      ? [{ id: 'media', text: t('nav.media'), run: () => void navigate({ to: '/media' }) }]
      : []),
    { id: 'calendar', text: t('nav.calendar'), run: () => void navigate({ to: '/calendar' }) },
    ...(may('admin::releases.read')
      ? [{ id: 'releases', text: t('nav.releases'), run: () => void navigate({ to: '/releases' }) }]
      : []),
    { id: 'trash', text: t('nav.trash'), run: () => void navigate({ to: '/trash' }) },
    ...useReadableTypes().map((type) => ({
      id: type.uid,
      text: listTitleOf(type),
      run: () => void navigate({ to: '/content/$type', params: { type: apiNameOf(type) } }),
    })),
    ...sections.map(({ id, title }) => ({
      id: `settings ${id}`,
      text: t(title),
      note: t('settings.title'),
      run: () => void navigate({ to: '/settings/$section', params: { section: id } }),
    })),
  ]
}

/** A new entry of each type that the person may create. */
export function useCreations(): readonly Command[] {
  const { t } = useTexts()
  const may = useMay()
  const open = useOpenEntry()
  return useReadableTypes()
    .filter(({ uid, kind }) => kind === 'collectionType' && may(`${uid}.create`))
    .map((type) => ({
      id: `new ${type.uid}`,
      text: t('palette.new', { name: entryNameOf(type) }),
      run: () => open(type, 'new'),
    }))
}

/** What can be done anywhere. */
export function useGeneralActions(onHelp: () => void): readonly Command[] {
  const { t } = useTexts()
  const leave = useSignOut()
  return [
    { id: 'keys', text: t('keys.title'), run: onHelp },
    { id: 'sign out', text: t('signOut'), run: () => void leave() },
  ]
}

const SEARCHED_TYPES = 6
const FOUND_OF_EACH = 4
const SHORTEST = 2
const PATIENCE_MS = 150

/** Entries with a text in them, in whatever language: of a few types, so that a keystroke costs little. */
export function useFoundEntries(text: string): readonly Command[] {
  const open = useOpenEntry()
  const may = useMay()
  const { locale: nameOf } = useTexts()
  const codes = useLocales().map(({ code }) => code)
  const wanted = useSettled(text)
  const types = useReadableTypes()
    .filter(({ kind }) => kind === 'collectionType')
    .slice(0, SEARCHED_TYPES)
  const isSearching = wanted.length >= SHORTEST
  const declarations = useQueries({
    queries: types.map(({ uid }) => ({ ...declarationQuery(uid), enabled: isSearching })),
  }).map(({ data }) => data)
  const found = useQueries({
    queries: types.map((type, at) => ({
      ...entriesQuery(type.uid, {
        _q: wanted,
        ...(type.localized && { locale: codes.filter((code) => may(`${type.uid}.find`, code)) }),
        fields: [
          declarations[at]?.titleField ?? 'documentId',
          ...(type.localized ? ['locale'] : []),
        ],
        pagination: { pageSize: FOUND_OF_EACH, withCount: false },
      }),
      enabled: isSearching && declarations[at] !== undefined,
    })),
  })
  if (!isSearching) return []
  return types.flatMap((type, at) =>
    (found[at]?.data?.data ?? []).map((entry) => {
      const { documentId, locale = null } = entry
      const isDefault = locale === null || locale === codes[0]
      return {
        id: `${documentId} ${locale ?? ''}`,
        text: titleOf(entry, declarations[at]?.titleField ?? null),
        note: isDefault ? listTitleOf(type) : `${listTitleOf(type)} · ${nameOf(locale)}`,
        run: () => open(type, documentId, isDefault ? undefined : locale),
      }
    }),
  )
}

function useOpenEntry(): (type: TypeSummary, documentId: string, locale?: string) => void {
  const navigate = useNavigate()
  return (type, documentId, locale) =>
    void navigate({
      to: '/content/$type/$documentId',
      params: { type: apiNameOf(type), documentId },
      search: locale === undefined ? {} : { locale },
    })
}

/** The text, once nobody types any more. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
