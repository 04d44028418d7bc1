import { useNavigate } from '@tanstack/react-router'
import { apiNameOf, entryNameOf, listTitleOf } from '../api/content-types.ts'
import { useMay } from '../api/session.ts'
import type { Command } from '../design/commands.ts'
import { Icon } from '../design/icons/icon.tsx'
import { useTexts } from '../texts/texts.ts'
import { SETTINGS_SECTIONS } from '../screens/settings-sections.ts'
import { useEntryNavigation } from './use-entry-navigation.ts'
import { useReadableTypes } from '../api/readable-types.ts'
import { THEMES, useTheme } from '../design/theme.ts'
import { TypeIcon } from '../design/icons/type-icon.tsx'
import { useSignOut } from './use-sign-out.ts'

export function usePlaces(): readonly Command[] {
  const { t } = useTexts()
  const may = useMay()
  const navigate = useNavigate()
  const sections = SETTINGS_SECTIONS.filter(({ action }) => action === null || may(action))
  return [
    {
      id: 'home',
      icon: <Icon name="home" />,
      text: t('nav.home'),
      run: () => void navigate({ to: '/' }),
    },
    ...(may('plugin::upload.content-api.find')
      ? [
          {
            id: 'media',
            icon: <Icon name="media" />,
            text: t('nav.media'),
            run: () => void navigate({ to: '/media' }),
          },
        ]
      : []),
    {
      id: 'calendar',
      icon: <Icon name="calendar" />,
      text: t('nav.calendar'),
      run: () => void navigate({ to: '/calendar' }),
    },
    ...(may('admin::releases.read')
      ? [
          {
            id: 'releases',
            icon: <Icon name="releases" />,
            text: t('nav.releases'),
            run: () => void navigate({ to: '/releases' }),
          },
        ]
      : []),
    {
      id: 'trash',
      icon: <Icon name="trash" />,
      text: t('nav.trash'),
      run: () => void navigate({ to: '/trash' }),
    },
    ...useReadableTypes().map((type) => ({
      id: type.uid,
      icon: <TypeIcon type={type} />,
      text: listTitleOf(type),
      run: () => void navigate({ to: '/content/$type', params: { type: apiNameOf(type) } }),
    })),
    ...sections.map(({ id, title }) => ({
      id: `settings ${id}`,
      icon: <Icon name="settings" />,
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
      icon: <Icon name="plus" />,
      text: t('palette.new', { name: entryNameOf(type, language) }),
      run: () => open(type, 'new'),
    }))
}

export function useGeneralActions(onHelp: () => void): readonly Command[] {
  const { t } = useTexts()
  const leave = useSignOut()
  const [, chooseTheme] = useTheme()
  return [
    ...THEMES.map((theme) => ({
      id: `theme ${theme}`,
      icon: <Icon name={theme} />,
      text: `${t('theme.title')}: ${t(`theme.${theme}`)}`,
      run: () => chooseTheme(theme),
    })),
    { id: 'keys', icon: <Icon name="keys" />, text: t('keys.title'), run: onHelp },
    { id: 'sign out', icon: <Icon name="leave" />, text: t('signOut'), run: () => void leave() },
  ]
}
