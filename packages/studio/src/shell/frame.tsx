import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Modal, ModalOverlay, Dialog } from 'react-aria-components'
import { Button } from '../design/button.tsx'
import { Icon } from '../design/icon.tsx'
import { useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'
import { KeyboardHelp } from './keyboard-help.tsx'
import { Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { useShortcuts } from './shortcuts.ts'

/** Navigation beside the screen; above it, behind a button, where there is no room. */
export function Frame() {
  const { t } = useTexts()
  const [open, setOpen] = useState<'palette' | 'help' | 'navigation' | null>(null)
  const close = (): void => setOpen(null)
  const address = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(close, [address])
  useShortcuts({ onPalette: () => setOpen('palette'), onHelp: () => setOpen('help') })
  const navigation = (
    <Navigation onPalette={() => setOpen('palette')} onHelp={() => setOpen('help')} />
  )
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
        <span className={styles['topName']}>{t('app.name')}</span>
        <Button
          look="quiet"
          square
          aria-label={t('palette.title')}
          onPress={() => setOpen('palette')}
        >
          <Icon name="search" />
        </Button>
      </div>
      <main id="content" tabIndex={-1} className={styles['main']}>
        <Outlet />
      </main>
      <ModalOverlay
        isOpen={open === 'navigation'}
        onOpenChange={close}
        isDismissable
        className={styles['scrim'] ?? ''}
      >
        <Modal className={styles['drawer'] ?? ''}>
          <Dialog aria-label={t('nav.label')} className={styles['drawerInside'] ?? ''}>
            {navigation}
          </Dialog>
        </Modal>
      </ModalOverlay>
      <Palette isOpen={open === 'palette'} onClose={close} onHelp={() => setOpen('help')} />
      <KeyboardHelp isOpen={open === 'help'} onClose={close} />
    </div>
  )
}
