import { useNavigate } from '@tanstack/react-router'
import { apiNameOf, entryNameOf, listTitleOf } from '../api/content-types.ts'
import { useMay } from '../api/session.ts'
import type { Command } from '../design/commands.ts'
import { useTexts } from '../texts/texts.ts'
import { SETTINGS_SECTIONS } from '../screens/settings-sections.ts'
import { useEntryNavigation } from './use-entry-navigation.ts'
import { useReadableTypes } from './readable-types.ts'
import { useSignOut } from './use-sign-out.ts'

export function usePlaces(): readonly Command[] {
  const { t } = useTexts()
  const may = useMay()
  const navigate = useNavigate()
  const sections = SETTINGS_SECTIONS.filter(({ action }) => action === null || may(action))
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

export function useCreations(): readonly Command[] {
  const { t, language } = useTexts()
  const may = useMay()
  const open = useEntryNavigation()
  return useReadableTypes()
    .filter(({ uid, kind }) => kind === 'collectionType' && may(`${uid}.create`))
    .map((type) => ({
      id: `new ${type.uid}`,
      text: t('palette.new', { name: entryNameOf(type, language) }),
      run: () => open(type, 'new'),
    }))
}

export function useGeneralActions(onHelp: () => void): readonly Command[] {
  const { t } = useTexts()
  const leave = useSignOut()
  return [
    { id: 'keys', text: t('keys.title'), run: onHelp },
    { id: 'sign out', text: t('signOut'), run: () => void leave() },
  ]
}
