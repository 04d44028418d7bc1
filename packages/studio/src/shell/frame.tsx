import { Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { studioName } from '../design/branding.ts'
import { Button } from '../design/button.tsx'
import { Icon } from '../design/icons/icon.tsx'
import { lazyPart } from '../design/load-part.tsx'
import { LoadBoundary } from '../design/not-loaded.tsx'
import { useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'
import { Navigation } from './navigation.tsx'
import { useShortcuts } from './shortcuts.ts'
import { useAppliedTheme } from '../design/theme.ts'
import { TypeAhead } from './type-ahead.tsx'

// Dialogs and menus are not part of the first load.
const NavigationDrawer = lazyPart(
  async () => (await import('./navigation-drawer.tsx')).NavigationDrawer,
)
const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette)
const KeyboardHelp = lazyPart(async () => (await import('./keyboard-help.tsx')).KeyboardHelp)

export function Frame() {
  const { t } = useTexts()
  const [open, setOpen] = useState<'palette' | 'help' | 'navigation' | null>(null)
  useAppliedTheme()
  const typed = useRef('')
  const close = (): void => setOpen(null)
  const openPalette = (): void => {
    typed.current = ''
    setOpen('palette')
  }
  const address = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(close, [address])
  useShortcuts({ onPalette: openPalette, onHelp: () => setOpen('help') })
  const navigation = <Navigation onPalette={openPalette} onHelp={() => setOpen('help')} />
  return (
    <div className={styles['frame']}>
      <a href="#content" className={styles['skip']}>
        {t('app.skip')}
      </a>
      <div className={styles['side']}>{navigation}</div>
      <div className={styles['top']}>
        <Button
          look="quiet"
          square
          aria-label={t('nav.open')}
          onPress={() => setOpen('navigation')}
        >
          <Icon name="menu" />
        </Button>
        <span className={styles['topName']}>{studioName}</span>
        <Button look="quiet" square aria-label={t('palette.title')} onPress={openPalette}>
          <Icon name="search" />
        </Button>
      </div>
      <main id="content" tabIndex={-1} className={styles['main']}>
        <Outlet />
      </main>
      <LoadBoundary>
        <Suspense fallback={null}>
          {open === 'navigation' && (
            <NavigationDrawer onClose={close}>{navigation}</NavigationDrawer>
          )}
          {open === 'palette' && (
            <Suspense
              fallback={<TypeAhead onText={(text) => (typed.current = text)} onClose={close} />}
            >
              <Palette isOpen {...{ typed }} onClose={close} onHelp={() => setOpen('help')} />
            </Suspense>
          )}
          {open === 'help' && <KeyboardHelp isOpen onClose={close} />}
        </Suspense>
      </LoadBoundary>
    </div>
  )
}
